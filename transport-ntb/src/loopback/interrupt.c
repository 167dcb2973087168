/* Interrupts, with and without data. The queue of a data interrupt is bounded, as in the original: NOSPC. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loopback.h"

/* A handle of any of the four kinds: a place in the table, and which interrupt it was there. */
struct handle {
  uint32_t index, serial;
};

static struct interrupt *find(uint32_t node, uint32_t number, bool data) {
  for (int i = 0; i < MAX_INTERRUPTS; i++) {
    struct interrupt *t = &world->interrupts[i];
    if (t->used && t->node == node && t->number == number && t->data == data) {
      return t;
    }
  }
  return NULL;
}

static struct interrupt *live(const struct handle *h) {
  struct interrupt *t = &world->interrupts[h->index];
  return t->used && t->serial == h->serial ? t : NULL;
}

static struct handle *newHandle(const struct interrupt *t) {
  struct handle *h = malloc(sizeof *h);
  h->index = (uint32_t)(t - world->interrupts);
  h->serial = t->serial;
  return h;
}

static struct handle *create(unsigned adapterNo, unsigned *number, bool data, unsigned flags, sci_error_t *error) {
  uint32_t node = nodeOf(adapterNo);
  struct handle *h = NULL;
  lockWorld();
  bool fixed = flags & SCI_CONST(SCI_FLAG_FIXED_INTNO);
  unsigned n = fixed ? *number : 1;
  while (!fixed && find(node, n, data)) {
    n++;
  }
  sci_error_t code = node ? SCI_ERR_API_NOSPC : SCI_ERR_NO_SUCH_ADAPTERNO;
  if (fixed && find(node, n, data)) {
    code = SCI_ERR_BUSY;
  } else {
    for (int i = 0; node && !h && i < MAX_INTERRUPTS; i++) {
      struct interrupt *t = &world->interrupts[i];
      if (!t->used) {
        memset(t, 0, sizeof *t);
        t->used = true;
        t->data = data;
        t->owner = getpid();
        t->node = node;
        t->number = *number = n;
        t->serial = ++world->serial;
        h = newHandle(t);
        code = SCI_ERR_OK;
      }
    }
  }
  unlockWorld();
  done(error, code);
  return h;
}

static struct handle *connectTo(
    unsigned nodeId, unsigned adapterNo, unsigned number, bool data, sci_error_t *error) {
  struct handle *h = NULL;
  lockWorld();
  struct interrupt *t = find(nodeId, number, data);
  if (!nodeOf(adapterNo) || !linkUp(nodeOf(adapterNo), nodeId)) {
    done(error, SCI_ERR_NO_REMOTE_LINK_ACCESS);
  } else if (!t) {
    done(error, SCI_ERR_NO_SUCH_SEGMENT);
  } else {
    h = newHandle(t);
    done(error, SCI_ERR_OK);
  }
  unlockWorld();
  return h;
}

/* Waits until one is pending; the caller then holds the lock and takes it. */
static struct interrupt *await(const struct handle *h, unsigned timeout, sci_error_t *error) {
  uint32_t began = now();
  for (;;) {
    uint32_t since = __atomic_load_n(&world->changes, __ATOMIC_SEQ_CST);
    lockWorld();
    struct interrupt *t = live(h);
    if (!t) {
      unlockWorld();
      done(error, SCI_ERR_CANCELLED);
      return NULL;
    }
    if (t->data ? t->from != t->to : t->pending > 0) {
      done(error, SCI_ERR_OK);
      return t;
    }
    unlockWorld();
    if (expired(began, timeout)) {
      done(error, SCI_ERR_TIMEOUT);
      return NULL;
    }
    awaitChange(since);
  }
}

static void removeIt(struct handle *h, sci_error_t *error) {
  lockWorld();
  struct interrupt *t = live(h);
  if (t) {
    t->used = false;
    changed();
  }
  unlockWorld();
  free(h);
  done(error, SCI_ERR_OK);
}

/* -- without data --------------------------------------------------------------------------------------------------- */

void SCI_FUNC(SCICreateInterrupt)(sci_desc_t sd, sci_local_interrupt_t *interrupt, unsigned adapterNo,
    unsigned *interruptNo, sci_cb_interrupt_t callback, void *callbackArg, unsigned flags, sci_error_t *error) {
  (void)sd, (void)callback, (void)callbackArg;
  *interrupt = (sci_local_interrupt_t)create(adapterNo, interruptNo, false, flags, error);
}

void SCI_FUNC(SCIWaitForInterrupt)(sci_local_interrupt_t interrupt, unsigned timeout, unsigned flags, sci_error_t *error) {
  (void)flags;
  struct interrupt *t = await((struct handle *)interrupt, timeout, error);
  if (t) {
    t->pending = 0;
    unlockWorld();
  }
}

void SCI_FUNC(SCIRemoveInterrupt)(sci_local_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  (void)flags;
  removeIt((struct handle *)interrupt, error);
}

void SCI_FUNC(SCIConnectInterrupt)(sci_desc_t sd, sci_remote_interrupt_t *interrupt, unsigned nodeId, unsigned adapterNo,
    unsigned interruptNo, unsigned timeout, unsigned flags, sci_error_t *error) {
  (void)sd, (void)timeout, (void)flags;
  *interrupt = (sci_remote_interrupt_t)connectTo(nodeId, adapterNo, interruptNo, false, error);
}

void SCI_FUNC(SCITriggerInterrupt)(sci_remote_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  (void)flags;
  lockWorld();
  struct interrupt *t = live((struct handle *)interrupt);
  if (t) {
    t->pending++;
    changed();
  }
  unlockWorld();
  done(error, t ? SCI_ERR_OK : SCI_ERR_NOT_CONNECTED);
}

void SCI_FUNC(SCIDisconnectInterrupt)(sci_remote_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  (void)flags;
  free(interrupt);
  done(error, SCI_ERR_OK);
}

/* -- with data ------------------------------------------------------------------------------------------------------ */

void SCI_FUNC(SCICreateDataInterrupt)(sci_desc_t sd, sci_local_data_interrupt_t *interrupt, unsigned adapterNo,
    unsigned *interruptNo, sci_cb_data_interrupt_t callback, void *callbackArg, unsigned flags, sci_error_t *error) {
  (void)sd, (void)callback, (void)callbackArg;
  *interrupt = (sci_local_data_interrupt_t)create(adapterNo, interruptNo, true, flags, error);
}

void SCI_FUNC(SCIWaitForDataInterrupt)(sci_local_data_interrupt_t interrupt, void *data, unsigned *length,
    unsigned timeout, unsigned flags, sci_error_t *error) {
  (void)flags;
  struct interrupt *t = await((struct handle *)interrupt, timeout, error);
  if (!t) {
    return;
  }
  uint32_t slot = t->from++ % DATA_QUEUE;
  unsigned n = t->lengths[slot] < *length ? t->lengths[slot] : *length;
  memcpy(data, t->messages[slot], n);
  *length = n;
  unlockWorld();
}

void SCI_FUNC(SCIRemoveDataInterrupt)(sci_local_data_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  (void)flags;
  removeIt((struct handle *)interrupt, error);
}

void SCI_FUNC(SCIConnectDataInterrupt)(sci_desc_t sd, sci_remote_data_interrupt_t *interrupt, unsigned nodeId,
    unsigned adapterNo, unsigned interruptNo, unsigned timeout, unsigned flags, sci_error_t *error) {
  (void)sd, (void)timeout, (void)flags;
  *interrupt = (sci_remote_data_interrupt_t)connectTo(nodeId, adapterNo, interruptNo, true, error);
}

void SCI_FUNC(SCITriggerDataInterrupt)(
    sci_remote_data_interrupt_t interrupt, void *data, unsigned length, unsigned flags, sci_error_t *error) {
  (void)flags;
  sci_error_t code = SCI_ERR_OK;
  lockWorld();
  struct interrupt *t = live((struct handle *)interrupt);
  if (!t) {
    code = SCI_ERR_NOT_CONNECTED;
  } else if (length > DATA_BYTES) {
    code = SCI_ERR_ILLEGAL_PARAMETER;
  } else if (t->to - t->from == DATA_QUEUE) {
    code = SCI_ERR_NOSPC;
  } else {
    uint32_t slot = t->to++ % DATA_QUEUE;
    t->lengths[slot] = length;
    memcpy(t->messages[slot], data, length);
    changed();
  }
  unlockWorld();
  done(error, code);
}

void SCI_FUNC(SCIDisconnectDataInterrupt)(sci_remote_data_interrupt_t interrupt, unsigned flags, sci_error_t *error) {
  (void)flags;
  free(interrupt);
  done(error, SCI_ERR_OK);
}
