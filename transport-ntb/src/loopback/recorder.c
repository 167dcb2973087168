/* A library of the same functions that does nothing but write down what it was called with. The Java tests compare the
 * line with what they passed: order, width and sign of every argument, checked by the compiler against the header. */
#include <stdio.h>

#include "sisci_api.h"

static char line[512];

/* What was called last. */
SCI_EXPORT const char *recorded(void) { return line; }

#define P(x) ((unsigned long long)(uintptr_t)(x))
#define U(x) ((unsigned long long)(unsigned)(x))
#define L(x) ((unsigned long long)(x))
#define NOTE(...) snprintf(line, sizeof line, __VA_ARGS__)
/* The error that every function reports from now on. */
static sci_error_t failure = SCI_ERR_OK;
SCI_EXPORT void recorderFail(unsigned code) { failure = (sci_error_t)code; }
#define FAIL *error = failure

void SCI_FUNC(SCIInitialize)(unsigned flags, sci_error_t *error) {
  NOTE("Initialize flags=%llx", U(flags));
  FAIL;
}

void SCI_FUNC(SCITerminate)(void) {
  NOTE("Terminate");
}

void SCI_FUNC(SCIOpen)(sci_desc_t *sd, unsigned flags, sci_error_t *error) {
  NOTE("Open flags=%llx", U(flags));
  *sd = (sci_desc_t)0x7001;
  FAIL;
}

void SCI_FUNC(SCIClose)(sci_desc_t sd, unsigned flags, sci_error_t *error) {
  NOTE("Close sd=%llx flags=%llx", P(sd), U(flags));
  FAIL;
}

void SCI_FUNC(SCIGetLocalNodeId)(unsigned adapterNo, unsigned *nodeId, unsigned flags, sci_error_t *error) {
  NOTE("GetLocalNodeId adapterNo=%llx flags=%llx", U(adapterNo), U(flags));
  *nodeId += 0x5005;
  FAIL;
}

int SCI_FUNC(SCIProbeNode)(sci_desc_t sd, unsigned adapterNo, unsigned nodeId, unsigned flags, sci_error_t *error) {
  NOTE("ProbeNode sd=%llx adapterNo=%llx nodeId=%llx flags=%llx", P(sd), U(adapterNo), U(nodeId), U(flags));
  FAIL;
  return 1;
}

void SCI_FUNC(SCIQuery)(unsigned command, void *data, unsigned flags, sci_error_t *error) {
  NOTE("Query command=%llx data=%llx flags=%llx", U(command), P(data), U(flags));
  FAIL;
}

const char * SCI_FUNC(SCIGetErrorString)(sci_error_t code) {
  NOTE("GetErrorString code=%llx", U(code));
  return "text";
}

void SCI_FUNC(SCICreateSegment)(sci_desc_t sd, sci_local_segment_t *segment, unsigned segmentId, size_t size, sci_cb_local_segment_t callback, void *callbackArg, unsigned flags, sci_error_t *error) {
  NOTE("CreateSegment sd=%llx segmentId=%llx size=%llx callback=%llx callbackArg=%llx flags=%llx", P(sd), U(segmentId), L(size), P(callback), P(callbackArg), U(flags));
  *segment = (sci_local_segment_t)0x7001;
  FAIL;
}

void SCI_FUNC(SCIPrepareSegment)(sci_local_segment_t segment, unsigned adapterNo, unsigned flags, sci_error_t *error) {
  NOTE("PrepareSegment segment=%llx adapterNo=%llx flags=%llx", P(segment), U(adapterNo), U(flags));
  FAIL;
}

void SCI_FUNC(SCISetSegmentAvailable)(sci_local_segment_t segment, unsigned adapterNo, unsigned flags, sci_error_t *error) {
  NOTE("SetSegmentAvailable segment=%llx adapterNo=%llx flags=%llx", P(segment), U(adapterNo), U(flags));
  FAIL;
}

void SCI_FUNC(SCISetSegmentUnavailable)(sci_local_segment_t segment, unsigned adapterNo, unsigned flags, sci_error_t *error) {
  NOTE("SetSegmentUnavailable segment=%llx adapterNo=%llx flags=%llx", P(segment), U(adapterNo), U(flags));
  FAIL;
}

void SCI_FUNC(SCIRemoveSegment)(sci_local_segment_t segment, unsigned flags, sci_error_t *error) {
  NOTE("RemoveSegment segment=%llx flags=%llx", P(segment), U(flags));
  FAIL;
}

void SCI_FUNC(SCIConnectSegment)(sci_desc_t sd, sci_remote_segment_t *segment, unsigned nodeId, unsigned segmentId, unsigned adapterNo, sci_cb_remote_segment_t callback, void *callbackArg, unsigned timeout, unsigned flags, sci_error_t *error) {
  NOTE("ConnectSegment sd=%llx nodeId=%llx segmentId=%llx adapterNo=%llx callback=%llx callbackArg=%llx timeout=%llx flags=%llx", P(sd), U(nodeId), U(segmentId), U(adapterNo), P(callback), P(callbackArg), U(timeout), U(flags));
  *segment = (sci_remote_segment_t)0x7001;
  FAIL;
}

void SCI_FUNC(SCIDisconnectSegment)(sci_remote_segment_t segment, unsigned flags, sci_error_t *error) {
  NOTE("DisconnectSegment segment=%llx flags=%llx", P(segment), U(flags));
  FAIL;
}

size_t SCI_FUNC(SCIGetRemoteSegmentSize)(sci_remote_segment_t segment) {
  NOTE("GetRemoteSegmentSize segment=%llx", P(segment));
  return 0x123456789abcULL;
}

void * SCI_FUNC(SCIMapLocalSegment)(sci_local_segment_t segment, sci_map_t *map, size_t offset, size_t size, void *addr, unsigned flags, sci_error_t *error) {
  NOTE("MapLocalSegment segment=%llx offset=%llx size=%llx addr=%llx flags=%llx", P(segment), L(offset), L(size), P(addr), U(flags));
  *map = (sci_map_t)0x7001;
  FAIL;
  return (void *)0x7002;
}

volatile void * SCI_FUNC(SCIMapRemoteSegment)(sci_remote_segment_t segment, sci_map_t *map, size_t offset, size_t size, void *addr, unsigned flags, sci_error_t *error) {
  NOTE("MapRemoteSegment segment=%llx offset=%llx size=%llx addr=%llx flags=%llx", P(segment), L(offset), L(size), P(addr), U(flags));
  *map = (sci_map_t)0x7001;
  FAIL;
  return (void *)0x7003;
}

void SCI_FUNC(SCIUnmapSegment)(sci_map_t map, unsigned flags, sci_error_t *error) {
  NOTE("UnmapSegment map=%llx flags=%llx", P(map), U(flags));
  FAIL;
}

sci_segment_cb_reason_t SCI_FUNC(SCIWaitForLocalSegmentEvent)(sci_local_segment_t segment, unsigned *nodeId, unsigned *adapterNo, unsigned timeout, unsigned flags, sci_error_t *error) {
  NOTE("WaitForLocalSegmentEvent segment=%llx timeout=%llx flags=%llx", P(segment), U(timeout), U(flags));
  *nodeId += 0x5005;
  *adapterNo += 0x5005;
  FAIL;
  return SCI_CB_LOST;
}

sci_segment_cb_reason_t SCI_FUNC(SCIWaitForRemoteSegmentEvent)(sci_remote_segment_t segment, sci_error_t *status, unsigned timeout, unsigned flags, sci_error_t *error) {
  NOTE("WaitForRemoteSegmentEvent segment=%llx timeout=%llx flags=%llx", P(segment), U(timeout), U(flags));
  *status = SCI_ERR_TIMEOUT;
  FAIL;
  return SCI_CB_LOST;
}

void SCI_FUNC(SCICreateMapSequence)(sci_map_t map, sci_sequence_t *sequence, unsigned flags, sci_error_t *error) {
  NOTE("CreateMapSequence map=%llx flags=%llx", P(map), U(flags));
  *sequence = (sci_sequence_t)0x7001;
  FAIL;
}

sci_sequence_status_t SCI_FUNC(SCIStartSequence)(sci_sequence_t sequence, unsigned flags, sci_error_t *error) {
  NOTE("StartSequence sequence=%llx flags=%llx", P(sequence), U(flags));
  FAIL;
  return SCI_SEQ_PENDING;
}

sci_sequence_status_t SCI_FUNC(SCICheckSequence)(sci_sequence_t sequence, unsigned flags, sci_error_t *error) {
  NOTE("CheckSequence sequence=%llx flags=%llx", P(sequence), U(flags));
  FAIL;
  return SCI_SEQ_PENDING;
}

void SCI_FUNC(SCIRemoveSequence)(sci_sequence_t sequence, unsigned flags, sci_error_t *error) {
  NOTE("RemoveSequence sequence=%llx flags=%llx", P(sequence), U(flags));
  FAIL;
}

void SCI_FUNC(SCIStoreBarrier)(sci_sequence_t sequence, unsigned flags) {
  NOTE("StoreBarrier sequence=%llx flags=%llx", P(sequence), U(flags));
}

void SCI_FUNC(SCIFlush)(sci_sequence_t sequence, unsigned flags) {
  NOTE("Flush sequence=%llx flags=%llx", P(sequence), U(flags));
}

void SCI_FUNC(SCIMemCpy)(sci_sequence_t sequence, void *memory, sci_map_t map, size_t offset, size_t size, unsigned flags, sci_error_t *error) {
  NOTE("MemCpy sequence=%llx memory=%llx map=%llx offset=%llx size=%llx flags=%llx", P(sequence), P(memory), P(map), L(offset), L(size), U(flags));
  FAIL;
}

void SCI_FUNC(SCICreateDMAQueue)(sci_desc_t sd, sci_dma_queue_t *queue, unsigned adapterNo, unsigned maxEntries, unsigned flags, sci_error_t *error) {
  NOTE("CreateDMAQueue sd=%llx adapterNo=%llx maxEntries=%llx flags=%llx", P(sd), U(adapterNo), U(maxEntries), U(flags));
  *queue = (sci_dma_queue_t)0x7001;
  FAIL;
}

void SCI_FUNC(SCIStartDmaTransfer)(sci_dma_queue_t queue, sci_local_segment_t local, sci_remote_segment_t remote, size_t localOffset, size_t size, size_t remoteOffset, sci_cb_dma_t callback, void *callbackArg, unsigned flags, sci_error_t *error) {
  NOTE("StartDmaTransfer queue=%llx local=%llx remote=%llx localOffset=%llx size=%llx remoteOffset=%llx callback=%llx callbackArg=%llx flags=%llx", P(queue), P(local), P(remote), L(localOffset), L(size), L(remoteOffset), P(callback), P(callbackArg), U(flags));
  FAIL;
}

sci_dma_queue_state_t SCI_FUNC(SCIWaitForDMAQueue)(sci_dma_queue_t queue, unsigned timeout, unsigned flags, sci_error_t *error) {
  NOTE("WaitForDMAQueue queue=%llx timeout=%llx flags=%llx", P(queue), U(timeout), U(flags));
  FAIL;
  return SCI_DMAQUEUE_ABORTED;
}

sci_dma_queue_state_t SCI_FUNC(SCIDMAQueueState)(sci_dma_queue_t queue) {
  NOTE("DMAQueueState queue=%llx", P(queue));
  return SCI_DMAQUEUE_ABORTED;
}

void SCI_FUNC(SCIAbortDMAQueue)(sci_dma_queue_t queue, unsigned flags, sci_error_t *error) {
  NOTE("AbortDMAQueue queue=%llx flags=%llx", P(queue), U(flags));
  FAIL;
}

void SCI_FUNC(SCIRemoveDMAQueue)(sci_dma_queue_t queue, unsigned flags, sci_error_t *error) {
  NOTE("RemoveDMAQueue queue=%llx flags=%llx", P(queue), U(flags));
  FAIL;
}

void SCI_FUNC(SCICreateInterrupt)(sci_desc_t sd, sci_local_interrupt_t *interrupt, unsigned adapterNo, unsigned *interruptNo, sci_cb_interrupt_t callback, void *callbackArg, unsigned flags, sci_error_t *error) {
  NOTE("CreateInterrupt sd=%llx adapterNo=%llx callback=%llx callbackArg=%llx flags=%llx", P(sd), U(adapterNo), P(callback), P(callbackArg), U(flags));
  *interrupt = (sci_local_interrupt_t)0x7001;
  *interruptNo += 0x5005;
  FAIL;
}

void SCI_FUNC(SCIWaitForInterrupt)(sci_local_interrupt_t interrupt, unsigned timeout, unsigned flags, sci_error_t *error) {
  NOTE("WaitForInterrupt interrupt=%llx timeout=%llx flags=%llx", P(interrupt), U(timeout), U(flags));
  FAIL;
}

void SCI_FUNC(SCIRemoveInterrupt)(sci_local_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  NOTE("RemoveInterrupt interrupt=%llx flags=%llx", P(interrupt), U(flags));
  FAIL;
}

void SCI_FUNC(SCIConnectInterrupt)(sci_desc_t sd, sci_remote_interrupt_t *interrupt, unsigned nodeId, unsigned adapterNo, unsigned interruptNo, unsigned timeout, unsigned flags, sci_error_t *error) {
  NOTE("ConnectInterrupt sd=%llx nodeId=%llx adapterNo=%llx interruptNo=%llx timeout=%llx flags=%llx", P(sd), U(nodeId), U(adapterNo), U(interruptNo), U(timeout), U(flags));
  *interrupt = (sci_remote_interrupt_t)0x7001;
  FAIL;
}

void SCI_FUNC(SCITriggerInterrupt)(sci_remote_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  NOTE("TriggerInterrupt interrupt=%llx flags=%llx", P(interrupt), U(flags));
  FAIL;
}

void SCI_FUNC(SCIDisconnectInterrupt)(sci_remote_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  NOTE("DisconnectInterrupt interrupt=%llx flags=%llx", P(interrupt), U(flags));
  FAIL;
}

void SCI_FUNC(SCICreateDataInterrupt)(sci_desc_t sd, sci_local_data_interrupt_t *interrupt, unsigned adapterNo, unsigned *interruptNo, sci_cb_data_interrupt_t callback, void *callbackArg, unsigned flags, sci_error_t *error) {
  NOTE("CreateDataInterrupt sd=%llx adapterNo=%llx callback=%llx callbackArg=%llx flags=%llx", P(sd), U(adapterNo), P(callback), P(callbackArg), U(flags));
  *interrupt = (sci_local_data_interrupt_t)0x7001;
  *interruptNo += 0x5005;
  FAIL;
}

void SCI_FUNC(SCIWaitForDataInterrupt)(sci_local_data_interrupt_t interrupt, void *data, unsigned *length, unsigned timeout, unsigned flags, sci_error_t *error) {
  NOTE("WaitForDataInterrupt interrupt=%llx data=%llx timeout=%llx flags=%llx", P(interrupt), P(data), U(timeout), U(flags));
  *length += 0x5005;
  FAIL;
}

void SCI_FUNC(SCIRemoveDataInterrupt)(sci_local_data_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  NOTE("RemoveDataInterrupt interrupt=%llx flags=%llx", P(interrupt), U(flags));
  FAIL;
}

void SCI_FUNC(SCIConnectDataInterrupt)(sci_desc_t sd, sci_remote_data_interrupt_t *interrupt, unsigned nodeId, unsigned adapterNo, unsigned interruptNo, unsigned timeout, unsigned flags, sci_error_t *error) {
  NOTE("ConnectDataInterrupt sd=%llx nodeId=%llx adapterNo=%llx interruptNo=%llx timeout=%llx flags=%llx", P(sd), U(nodeId), U(adapterNo), U(interruptNo), U(timeout), U(flags));
  *interrupt = (sci_remote_data_interrupt_t)0x7001;
  FAIL;
}

void SCI_FUNC(SCITriggerDataInterrupt)(sci_remote_data_interrupt_t interrupt, void *data, unsigned length, unsigned flags, sci_error_t *error) {
  NOTE("TriggerDataInterrupt interrupt=%llx data=%llx length=%llx flags=%llx", P(interrupt), P(data), U(length), U(flags));
  FAIL;
}

void SCI_FUNC(SCIDisconnectDataInterrupt)(sci_remote_data_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  NOTE("DisconnectDataInterrupt interrupt=%llx flags=%llx", P(interrupt), U(flags));
  FAIL;
}
