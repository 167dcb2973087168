/* DMA queues: one transfer at a time, on a thread of its own, and POSTED can be seen. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loopback.h"

struct sci_dma_queue {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t change;
  sci_dma_queue_state_t state;
  bool stop;
  bool abort;
  const unsigned char *from;
  struct sci_remote_segment *remote;
  size_t offset, size;
};

static bool transfer(struct sci_dma_queue *q) {
  const struct connection *c = &world->connections[q->remote->connection];
  if (!linkUp(c->node, c->remote) || c->gone) {
    return false;
  }
  writeByDma(q->remote, q->offset, q->from, q->size);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return true;
}

/* Waits while transfers stall; true if this one was aborted meanwhile. With the queue's lock. */
static bool stalls(struct sci_dma_queue *q) {
  while (__atomic_load_n(&world->dmaStalls, __ATOMIC_ACQUIRE)) {
    if (q->abort && !world->dmaIsDeaf) {
      return true;
    }
    pthread_mutex_unlock(&q->lock);
    usleep(100);
    pthread_mutex_lock(&q->lock);
  }
  return false;
}

static void *run(void *arg) {
  struct sci_dma_queue *q = arg;
  pthread_mutex_lock(&q->lock);
  while (!q->stop) {
    if (q->state == SCI_DMAQUEUE_POSTED) {
      bool aborted = stalls(q);
      pthread_mutex_unlock(&q->lock);
      bool ok = !aborted && transfer(q);
      pthread_mutex_lock(&q->lock);
      q->abort = false;
      q->state = ok ? SCI_DMAQUEUE_DONE : aborted ? SCI_DMAQUEUE_ABORTED : SCI_DMAQUEUE_ERROR;
      pthread_cond_broadcast(&q->change);
    } else {
      pthread_cond_wait(&q->change, &q->lock);
    }
  }
  pthread_mutex_unlock(&q->lock);
  return NULL;
}

void SCI_FUNC(SCICreateDMAQueue)(sci_desc_t sd, sci_dma_queue_t *queue, unsigned adapterNo, unsigned maxEntries,
    unsigned flags, sci_error_t *error) {
  (void)flags;
  if (!sd || !nodeOf(adapterNo) || maxEntries == 0 || maxEntries > 32) {
    done(error, SCI_ERR_ILLEGAL_PARAMETER);
    return;
  }
  struct sci_dma_queue *q = calloc(1, sizeof *q);
  pthread_mutex_init(&q->lock, NULL);
  pthread_cond_init(&q->change, NULL);
  pthread_create(&q->thread, NULL, run, q);
  *queue = q;
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCIStartDmaTransfer)(sci_dma_queue_t queue, sci_local_segment_t local, sci_remote_segment_t remote,
    size_t localOffset, size_t size, size_t remoteOffset, sci_cb_dma_t callback, void *callbackArg, unsigned flags,
    sci_error_t *error) {
  (void)callbackArg, (void)flags;
  if (callback) {
    done(error, SCI_ERR_FLAG_NOT_IMPLEMENTED);
    return;
  }
  if (localOffset + size > world->segments[local->index].size || remoteOffset + size > remote->size) {
    done(error, SCI_ERR_OUT_OF_RANGE);
    return;
  }
  pthread_mutex_lock(&queue->lock);
  if (queue->state == SCI_DMAQUEUE_POSTED || !local->prepared) {
    pthread_mutex_unlock(&queue->lock);
    done(error, local->prepared ? SCI_ERR_ILLEGAL_OPERATION : SCI_ERR_SEGMENT_NOT_PREPARED);
    return;
  }
  queue->from = (const unsigned char *)local->memory + localOffset;
  queue->remote = remote;
  queue->offset = remoteOffset;
  queue->size = size;
  queue->state = SCI_DMAQUEUE_POSTED;
  if (size > __atomic_load_n(&world->largestDma, __ATOMIC_RELAXED)) {
    __atomic_store_n(&world->largestDma, size, __ATOMIC_RELAXED);
  }
  pthread_cond_broadcast(&queue->change);
  pthread_mutex_unlock(&queue->lock);
  done(error, SCI_ERR_OK);
}

sci_dma_queue_state_t SCI_FUNC(SCIWaitForDMAQueue)(
    sci_dma_queue_t queue, unsigned timeout, unsigned flags, sci_error_t *error) {
  (void)flags, (void)timeout;
  pthread_mutex_lock(&queue->lock);
  while (queue->state == SCI_DMAQUEUE_POSTED) {
    pthread_cond_wait(&queue->change, &queue->lock); /* a memcpy: it always ends */
  }
  sci_dma_queue_state_t state = queue->state;
  pthread_mutex_unlock(&queue->lock);
  done(error, SCI_ERR_OK);
  return state;
}

sci_dma_queue_state_t SCI_FUNC(SCIDMAQueueState)(sci_dma_queue_t queue) {
  pthread_mutex_lock(&queue->lock);
  sci_dma_queue_state_t state = queue->state;
  pthread_mutex_unlock(&queue->lock);
  return state;
}

void SCI_FUNC(SCIAbortDMAQueue)(sci_dma_queue_t queue, unsigned flags, sci_error_t *error) {
  (void)flags;
  pthread_mutex_lock(&queue->lock);
  queue->abort = queue->state == SCI_DMAQUEUE_POSTED;
  pthread_mutex_unlock(&queue->lock);
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCIRemoveDMAQueue)(sci_dma_queue_t queue, unsigned flags, sci_error_t *error) {
  (void)flags;
  pthread_mutex_lock(&queue->lock);
  if (queue->state == SCI_DMAQUEUE_POSTED) {
    pthread_mutex_unlock(&queue->lock);
    done(error, SCI_ERR_ILLEGAL_OPERATION);
    return;
  }
  queue->stop = true;
  pthread_cond_broadcast(&queue->change);
  pthread_mutex_unlock(&queue->lock);
  pthread_join(queue->thread, NULL);
  free(queue);
  done(error, SCI_ERR_OK);
}
