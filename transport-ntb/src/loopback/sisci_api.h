/* The part of the SISCI API, version 2, that Slipstream uses: prototypes, types and numbers, in our own words from
 * public material. Shared by the loopback library, the recorder that pins the Java binding, and nothing else.
 *
 * As in the original, a function F is exported as _SISCI_PUBLIC_FUNC_MT_F (or ..._ST_F), and a flag or query code C is
 * an exported object _SISCI_PUBLIC_CONST_C and not a number in this header: a program has to read it.
 */
#ifndef SLIPSTREAM_SISCI_API_H
#define SLIPSTREAM_SISCI_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct sci_desc *sci_desc_t;
typedef struct sci_local_segment *sci_local_segment_t;
typedef struct sci_remote_segment *sci_remote_segment_t;
typedef struct sci_map *sci_map_t;
typedef struct sci_sequence *sci_sequence_t;
typedef struct sci_dma_queue *sci_dma_queue_t;
typedef struct sci_local_interrupt *sci_local_interrupt_t;
typedef struct sci_remote_interrupt *sci_remote_interrupt_t;
typedef struct sci_local_data_interrupt *sci_local_data_interrupt_t;
typedef struct sci_remote_data_interrupt *sci_remote_data_interrupt_t;

typedef enum {
  SCI_ERR_OK = 0,
  SCI_ERR_BUSY = 0x40000900,
  SCI_ERR_FLAG_NOT_IMPLEMENTED = 0x40000901,
  SCI_ERR_ILLEGAL_FLAG = 0x40000902,
  SCI_ERR_NOSPC = 0x40000904,
  SCI_ERR_API_NOSPC = 0x40000905,
  SCI_ERR_HW_NOSPC = 0x40000906,
  SCI_ERR_NOT_IMPLEMENTED = 0x40000907,
  SCI_ERR_ILLEGAL_ADAPTERNO = 0x40000908,
  SCI_ERR_NO_SUCH_ADAPTERNO = 0x40000909,
  SCI_ERR_TIMEOUT = 0x4000090A,
  SCI_ERR_OUT_OF_RANGE = 0x4000090B,
  SCI_ERR_NO_SUCH_SEGMENT = 0x4000090C, /* and NO_SUCH_INTNO */
  SCI_ERR_ILLEGAL_NODEID = 0x4000090D,
  SCI_ERR_CONNECTION_REFUSED = 0x4000090E,
  SCI_ERR_SEGMENT_NOT_CONNECTED = 0x4000090F,
  SCI_ERR_SIZE_ALIGNMENT = 0x40000910,
  SCI_ERR_OFFSET_ALIGNMENT = 0x40000911,
  SCI_ERR_ILLEGAL_PARAMETER = 0x40000912,
  SCI_ERR_MAX_ENTRIES = 0x40000913,
  SCI_ERR_SEGMENT_NOT_PREPARED = 0x40000914,
  SCI_ERR_ILLEGAL_ADDRESS = 0x40000915,
  SCI_ERR_ILLEGAL_OPERATION = 0x40000916,
  SCI_ERR_ILLEGAL_QUERY = 0x40000917,
  SCI_ERR_SEGMENTID_USED = 0x40000918,
  SCI_ERR_SYSTEM = 0x40000919,
  SCI_ERR_CANCELLED = 0x4000091A,
  SCI_ERR_NOT_CONNECTED = 0x4000091B,
  SCI_ERR_NOT_AVAILABLE = 0x4000091C,
  SCI_ERR_INCONSISTENT_VERSIONS = 0x4000091D,
  SCI_ERR_COND_INT_RACE_PROBLEM = 0x4000091E,
  SCI_ERR_OVERFLOW = 0x4000091F,
  SCI_ERR_NOT_INITIALIZED = 0x40000920,
  SCI_ERR_ACCESS = 0x40000921,
  SCI_ERR_NO_SUCH_NODEID = 0x40000A00,
  SCI_ERR_NODE_NOT_RESPONDING = 0x40000A02,
  SCI_ERR_NO_REMOTE_LINK_ACCESS = 0x40000A04,
  SCI_ERR_NO_LINK_ACCESS = 0x40000A05,
  SCI_ERR_TRANSFER_FAILED = 0x40000A06,
  SCI_ERR_REMOTE_BUSY = 0x40000B00
} sci_error_t;

typedef enum {
  SCI_CB_CONNECT = 1,
  SCI_CB_DISCONNECT = 2,
  SCI_CB_NOT_OPERATIONAL = 3,
  SCI_CB_OPERATIONAL = 4,
  SCI_CB_LOST = 5
} sci_segment_cb_reason_t;

typedef enum { SCI_CALLBACK_CANCEL = 1, SCI_CALLBACK_CONTINUE = 2 } sci_callback_action_t;

typedef enum {
  SCI_SEQ_OK = 0,
  SCI_SEQ_RETRIABLE = 1,
  SCI_SEQ_NOT_RETRIABLE = 2,
  SCI_SEQ_PENDING = 3
} sci_sequence_status_t;

typedef enum {
  SCI_DMAQUEUE_IDLE = 0,
  SCI_DMAQUEUE_GATHER = 1,
  SCI_DMAQUEUE_POSTED = 2,
  SCI_DMAQUEUE_DONE = 3,
  SCI_DMAQUEUE_ABORTED = 4,
  SCI_DMAQUEUE_ERROR = 5
} sci_dma_queue_state_t;

typedef sci_callback_action_t (*sci_cb_local_segment_t)(
    void *, sci_local_segment_t, sci_segment_cb_reason_t, unsigned, unsigned, sci_error_t);
typedef sci_callback_action_t (*sci_cb_remote_segment_t)(
    void *, sci_remote_segment_t, sci_segment_cb_reason_t, sci_error_t);
typedef sci_callback_action_t (*sci_cb_dma_t)(void *, sci_dma_queue_t, sci_error_t);
typedef sci_callback_action_t (*sci_cb_interrupt_t)(void *, sci_local_interrupt_t, sci_error_t);
typedef sci_callback_action_t (*sci_cb_data_interrupt_t)(
    void *, sci_local_data_interrupt_t, void *, unsigned, sci_error_t);

typedef struct {
  char *str;
  unsigned length;
} sci_query_string_t;

typedef struct {
  unsigned localAdapterNo;
  unsigned portNo;
  unsigned subcommand;
  void *data;
} sci_query_adapter_t;

typedef struct {
  unsigned localAdapterNo;
  unsigned subcommand;
  void *data;
} sci_query_dma_t;

typedef struct {
  uint32_t num_channels, max_transfer_size, max_vector_length;
  uint32_t support_mem2io, support_io2mem, support_io2io;
  uint32_t min_align_bytes, suggested_align_bytes;
} sci_dma_capabilities_t;

#define SCI_NAME_(prefix, name) prefix##name
#ifdef PERMUTED /* the second build has the other prefix too */
#define SCI_FUNC(name) SCI_NAME_(_SISCI_PUBLIC_FUNC_ST_, name)
#else
#define SCI_FUNC(name) SCI_NAME_(_SISCI_PUBLIC_FUNC_MT_, name)
#endif
#define SCI_CONST(name) SCI_NAME_(_SISCI_PUBLIC_CONST_, name)

#define SCI_EXPORT __attribute__((visibility("default")))

/* Every function: RESULT NAME (PARAMETERS). One list, so that header, loopback and recorder can not differ. */
#define SCI_FUNCTIONS(X) \
  X(void, SCIInitialize, (unsigned flags, sci_error_t *error)) \
  X(void, SCITerminate, (void)) \
  X(void, SCIOpen, (sci_desc_t *sd, unsigned flags, sci_error_t *error)) \
  X(void, SCIClose, (sci_desc_t sd, unsigned flags, sci_error_t *error)) \
  X(void, SCIGetLocalNodeId, (unsigned adapterNo, unsigned *nodeId, unsigned flags, sci_error_t *error)) \
  X(int, SCIProbeNode, (sci_desc_t sd, unsigned adapterNo, unsigned nodeId, unsigned flags, sci_error_t *error)) \
  X(void, SCIQuery, (unsigned command, void *data, unsigned flags, sci_error_t *error)) \
  X(const char *, SCIGetErrorString, (sci_error_t code)) \
  X(void, SCICreateSegment, (sci_desc_t sd, sci_local_segment_t *segment, unsigned segmentId, size_t size, \
    sci_cb_local_segment_t callback, void *callbackArg, unsigned flags, sci_error_t *error)) \
  X(void, SCIPrepareSegment, (sci_local_segment_t segment, unsigned adapterNo, unsigned flags, sci_error_t *error)) \
  X(void, SCISetSegmentAvailable, (sci_local_segment_t segment, unsigned adapterNo, unsigned flags, sci_error_t *error)) \
  X(void, SCISetSegmentUnavailable, (sci_local_segment_t segment, unsigned adapterNo, unsigned flags, sci_error_t *error)) \
  X(void, SCIRemoveSegment, (sci_local_segment_t segment, unsigned flags, sci_error_t *error)) \
  X(void, SCIConnectSegment, (sci_desc_t sd, sci_remote_segment_t *segment, unsigned nodeId, unsigned segmentId, \
    unsigned adapterNo, sci_cb_remote_segment_t callback, void *callbackArg, unsigned timeout, unsigned flags, \
    sci_error_t *error)) \
  X(void, SCIDisconnectSegment, (sci_remote_segment_t segment, unsigned flags, sci_error_t *error)) \
  X(size_t, SCIGetRemoteSegmentSize, (sci_remote_segment_t segment)) \
  X(void *, SCIMapLocalSegment, (sci_local_segment_t segment, sci_map_t *map, size_t offset, size_t size, void *addr, \
    unsigned flags, sci_error_t *error)) \
  X(volatile void *, SCIMapRemoteSegment, (sci_remote_segment_t segment, sci_map_t *map, size_t offset, size_t size, \
    void *addr, unsigned flags, sci_error_t *error)) \
  X(void, SCIUnmapSegment, (sci_map_t map, unsigned flags, sci_error_t *error)) \
  X(sci_segment_cb_reason_t, SCIWaitForLocalSegmentEvent, (sci_local_segment_t segment, unsigned *nodeId, \
    unsigned *adapterNo, unsigned timeout, unsigned flags, sci_error_t *error)) \
  X(sci_segment_cb_reason_t, SCIWaitForRemoteSegmentEvent, (sci_remote_segment_t segment, sci_error_t *status, \
    unsigned timeout, unsigned flags, sci_error_t *error)) \
  X(void, SCICreateMapSequence, (sci_map_t map, sci_sequence_t *sequence, unsigned flags, sci_error_t *error)) \
  X(sci_sequence_status_t, SCIStartSequence, (sci_sequence_t sequence, unsigned flags, sci_error_t *error)) \
  X(sci_sequence_status_t, SCICheckSequence, (sci_sequence_t sequence, unsigned flags, sci_error_t *error)) \
  X(void, SCIRemoveSequence, (sci_sequence_t sequence, unsigned flags, sci_error_t *error)) \
  X(void, SCIStoreBarrier, (sci_sequence_t sequence, unsigned flags)) \
  X(void, SCIFlush, (sci_sequence_t sequence, unsigned flags)) \
  X(void, SCIMemCpy, (sci_sequence_t sequence, void *memory, sci_map_t map, size_t offset, size_t size, unsigned flags, \
    sci_error_t *error)) \
  X(void, SCICreateDMAQueue, (sci_desc_t sd, sci_dma_queue_t *queue, unsigned adapterNo, unsigned maxEntries, \
    unsigned flags, sci_error_t *error)) \
  X(void, SCIStartDmaTransfer, (sci_dma_queue_t queue, sci_local_segment_t local, sci_remote_segment_t remote, \
    size_t localOffset, size_t size, size_t remoteOffset, sci_cb_dma_t callback, void *callbackArg, unsigned flags, \
    sci_error_t *error)) \
  X(sci_dma_queue_state_t, SCIWaitForDMAQueue, (sci_dma_queue_t queue, unsigned timeout, unsigned flags, \
    sci_error_t *error)) \
  X(sci_dma_queue_state_t, SCIDMAQueueState, (sci_dma_queue_t queue)) \
  X(void, SCIAbortDMAQueue, (sci_dma_queue_t queue, unsigned flags, sci_error_t *error)) \
  X(void, SCIRemoveDMAQueue, (sci_dma_queue_t queue, unsigned flags, sci_error_t *error)) \
  X(void, SCICreateInterrupt, (sci_desc_t sd, sci_local_interrupt_t *interrupt, unsigned adapterNo, \
    unsigned *interruptNo, sci_cb_interrupt_t callback, void *callbackArg, unsigned flags, sci_error_t *error)) \
  X(void, SCIWaitForInterrupt, (sci_local_interrupt_t interrupt, unsigned timeout, unsigned flags, sci_error_t *error)) \
  X(void, SCIRemoveInterrupt, (sci_local_interrupt_t interrupt, unsigned flags, sci_error_t *error)) \
  X(void, SCIConnectInterrupt, (sci_desc_t sd, sci_remote_interrupt_t *interrupt, unsigned nodeId, unsigned adapterNo, \
    unsigned interruptNo, unsigned timeout, unsigned flags, sci_error_t *error)) \
  X(void, SCITriggerInterrupt, (sci_remote_interrupt_t interrupt, unsigned flags, sci_error_t *error)) \
  X(void, SCIDisconnectInterrupt, (sci_remote_interrupt_t interrupt, unsigned flags, sci_error_t *error)) \
  X(void, SCICreateDataInterrupt, (sci_desc_t sd, sci_local_data_interrupt_t *interrupt, unsigned adapterNo, \
    unsigned *interruptNo, sci_cb_data_interrupt_t callback, void *callbackArg, unsigned flags, sci_error_t *error)) \
  X(void, SCIWaitForDataInterrupt, (sci_local_data_interrupt_t interrupt, void *data, unsigned *length, \
    unsigned timeout, unsigned flags, sci_error_t *error)) \
  X(void, SCIRemoveDataInterrupt, (sci_local_data_interrupt_t interrupt, unsigned flags, sci_error_t *error)) \
  X(void, SCIConnectDataInterrupt, (sci_desc_t sd, sci_remote_data_interrupt_t *interrupt, unsigned nodeId, \
    unsigned adapterNo, unsigned interruptNo, unsigned timeout, unsigned flags, sci_error_t *error)) \
  X(void, SCITriggerDataInterrupt, (sci_remote_data_interrupt_t interrupt, void *data, unsigned length, \
    unsigned flags, sci_error_t *error)) \
  X(void, SCIDisconnectDataInterrupt, (sci_remote_data_interrupt_t interrupt, unsigned flags, sci_error_t *error))

/* Constants: name, the number of the public tables or, where none is known, one of our own; the number of the second
 * build, which proves that programs read them. Our own numbers start at 0x01000000. */
#define SCI_CONSTANTS(X) \
  X(SCI_FLAG_USE_CALLBACK, 0x1, 0x40) \
  X(SCI_FLAG_PRIVATE, 0x4, 0x80) \
  X(SCI_FLAG_DMA_SOURCE_ONLY, 0x8, 0x1000) \
  X(SCI_FLAG_AUTO_ID, 0x20000000, 0x8) \
  X(SCI_FLAG_FORCE_REMOVE, 0x20, 0x10) \
  X(SCI_FLAG_FIXED_INTNO, 0x2, 0x100) \
  X(SCI_FLAG_COUNTING_INT, 0x20, 0x200) \
  X(SCI_FLAG_DMA_WAIT, 0x4, 0x20) \
  X(SCI_INFINITE_TIMEOUT, 0xFFFFFFFF, 0x7FFFFFFF) \
  X(SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY, 0x01000000, 0x2) \
  X(SCI_FLAG_NO_FLUSH, 0x02000000, 0x4) \
  X(SCI_FLAG_NO_STORE_BARRIER, 0x04000000, 0x1) \
  X(SCI_FLAG_ERROR_CHECK, 0x01000000, 0x10) \
  X(SCI_FLAG_BLOCK_READ, 0x02000000, 0x8) \
  X(SCI_FLAG_NOTIFY, 0x01000000, 0x400) \
  X(SCI_FLAG_FORCE_DISCONNECT, 0x02000000, 0x800) \
  X(SCI_Q_API, 0x01000001, 77) \
  X(SCI_Q_ADAPTER, 0x01000002, 76) \
  X(SCI_Q_DMA, 0x01000003, 75) \
  X(SCI_Q_ADAPTER_NODEID, 0x01000010, 11) \
  X(SCI_Q_ADAPTER_NUMBER_OF_LINKS, 0x01000011, 12) \
  X(SCI_Q_ADAPTER_LINK_OPERATIONAL, 0x01000012, 13) \
  X(SCI_Q_DMA_AVAILABLE, 0x01000020, 21) \
  X(SCI_Q_DMA_CAPABILITIES, 0x01000021, 22)

#define SCI_DECLARE_FUNCTION(result, name, parameters) SCI_EXPORT result SCI_FUNC(name) parameters;
SCI_FUNCTIONS(SCI_DECLARE_FUNCTION)
#undef SCI_DECLARE_FUNCTION

#define SCI_DECLARE_CONSTANT(name, value, permuted) SCI_EXPORT extern const unsigned SCI_CONST(name);
SCI_CONSTANTS(SCI_DECLARE_CONSTANT)
#undef SCI_DECLARE_CONSTANT

#endif
