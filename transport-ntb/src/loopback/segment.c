/* Segments: shared files; connections: who has them mapped; events about both. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loopback.h"

static bool isAt(const struct segment *s, uint32_t node) {
  for (int a = 0; a < MAX_ADAPTERS; a++) {
    if (s->nodes[a] == node) {
      return true;
    }
  }
  return false;
}

void tellConnections(uint32_t segment, sci_segment_cb_reason_t reason) {
  for (int i = 0; i < MAX_CONNECTIONS; i++) {
    struct connection *c = &world->connections[i];
    if (c->used && c->segment == segment && c->serial == world->segments[segment].serial) {
      c->gone |= reason == SCI_CB_LOST || reason == SCI_CB_DISCONNECT;
      post(&c->events, reason, c->remote);
    }
  }
}

void dropSegment(struct segment *s) {
  char path[300];
  tellConnections((uint32_t)(s - world->segments), SCI_CB_DISCONNECT);
  segmentPath(path, sizeof path, s->serial);
  unlink(path);
  memset(s, 0, sizeof *s);
  changed();
}

void dropConnection(struct connection *c) {
  struct segment *s = &world->segments[c->segment];
  if (s->used && s->serial == c->serial) {
    post(&s->events, SCI_CB_DISCONNECT, c->node);
  }
  memset(c, 0, sizeof *c);
}

/* -- the owner's side ----------------------------------------------------------------------------------------------- */

static bool idIsUsed(unsigned id) {
  for (int i = 0; i < MAX_SEGMENTS; i++) {
    const struct segment *s = &world->segments[i];
    /* Processes of one host are the processes of one node here: the adapter's. */
    for (int a = 0; s->used && s->id == id && a < MAX_ADAPTERS; a++) {
      if (nodeOf((unsigned)a) && isAt(s, nodeOf((unsigned)a))) {
        return true;
      }
    }
    if (s->used && s->id == id && s->owner == getpid()) {
      return true;
    }
  }
  return false;
}

static struct segment *allocate(unsigned *id, size_t size, unsigned flags, sci_error_t *error) {
  if (flags & SCI_CONST(SCI_FLAG_AUTO_ID)) {
    while (idIsUsed(*id)) {
      ++*id;
    }
  } else if (idIsUsed(*id)) {
    done(error, SCI_ERR_SEGMENTID_USED);
    return NULL;
  }
  for (int i = 0; i < MAX_SEGMENTS; i++) {
    struct segment *s = &world->segments[i];
    if (!s->used) {
      memset(s, 0, sizeof *s);
      s->used = true;
      s->owner = getpid();
      s->id = *id;
      s->serial = ++world->serial;
      s->size = size;
      return s;
    }
  }
  done(error, SCI_ERR_API_NOSPC);
  return NULL;
}

void SCI_FUNC(SCICreateSegment)(sci_desc_t sd, sci_local_segment_t *segment, unsigned segmentId, size_t size,
    sci_cb_local_segment_t callback, void *callbackArg, unsigned flags, sci_error_t *error) {
  if (!sd || callback || callbackArg || size == 0) {
    done(error, callback ? SCI_ERR_FLAG_NOT_IMPLEMENTED : SCI_ERR_ILLEGAL_PARAMETER);
    return;
  }
  lockWorld();
  struct segment *s = allocate(&segmentId, size, flags, error);
  if (!s) {
    unlockWorld();
    return;
  }
  char path[300];
  segmentPath(path, sizeof path, s->serial);
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  void *memory = MAP_FAILED;
  if (fd >= 0 && posix_fallocate(fd, 0, (off_t)size) == 0) {
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (fd >= 0) {
    close(fd);
  }
  if (memory == MAP_FAILED) {
    dropSegment(s);
    unlockWorld();
    done(error, SCI_ERR_NOSPC);
    return;
  }
  *segment = calloc(1, sizeof **segment);
  (*segment)->index = (uint32_t)(s - world->segments);
  (*segment)->memory = memory;
  unlockWorld();
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCIPrepareSegment)(sci_local_segment_t segment, unsigned adapterNo, unsigned flags, sci_error_t *error) {
  (void)flags;
  if (!nodeOf(adapterNo)) {
    done(error, SCI_ERR_NO_SUCH_ADAPTERNO);
    return;
  }
  segment->prepared = true;
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCISetSegmentAvailable)(sci_local_segment_t segment, unsigned adapterNo, unsigned flags, sci_error_t *error) {
  (void)flags;
  uint32_t node = nodeOf(adapterNo);
  if (!segment->prepared || !node) {
    done(error, node ? SCI_ERR_SEGMENT_NOT_PREPARED : SCI_ERR_NO_SUCH_ADAPTERNO);
    return;
  }
  lockWorld();
  struct segment *s = &world->segments[segment->index];
  for (int i = 0; i < MAX_SEGMENTS; i++) {
    const struct segment *other = &world->segments[i];
    if (other != s && other->used && other->id == s->id && isAt(other, node)) {
      unlockWorld();
      done(error, SCI_ERR_SEGMENTID_USED);
      return;
    }
  }
  s->nodes[adapterNo] = node;
  s->available = true;
  changed();
  unlockWorld();
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCISetSegmentUnavailable)(sci_local_segment_t segment, unsigned adapterNo, unsigned flags, sci_error_t *error) {
  lockWorld();
  struct segment *s = &world->segments[segment->index];
  if (adapterNo < MAX_ADAPTERS) {
    s->nodes[adapterNo] = 0;
  }
  s->available = false;
  for (int a = 0; a < MAX_ADAPTERS; a++) {
    s->available |= s->nodes[a] != 0;
  }
  if (flags & (SCI_CONST(SCI_FLAG_NOTIFY) | SCI_CONST(SCI_FLAG_FORCE_DISCONNECT))) {
    tellConnections(segment->index, SCI_CB_DISCONNECT);
  }
  unlockWorld();
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCIRemoveSegment)(sci_local_segment_t segment, unsigned flags, sci_error_t *error) {
  if (segment->maps > 0) {
    done(error, SCI_ERR_BUSY);
    return;
  }
  lockWorld();
  struct segment *s = &world->segments[segment->index];
  if (s->available && !(flags & SCI_CONST(SCI_FLAG_FORCE_REMOVE))) {
    unlockWorld();
    done(error, SCI_ERR_BUSY);
    return;
  }
  munmap(segment->memory, s->size);
  dropSegment(s);
  unlockWorld();
  free(segment);
  done(error, SCI_ERR_OK);
}

sci_segment_cb_reason_t SCI_FUNC(SCIWaitForLocalSegmentEvent)(sci_local_segment_t segment, unsigned *nodeId,
    unsigned *adapterNo, unsigned timeout, unsigned flags, sci_error_t *error) {
  (void)flags;
  uint32_t began = now();
  for (;;) {
    uint32_t since = __atomic_load_n(&world->changes, __ATOMIC_SEQ_CST);
    struct event event;
    lockWorld();
    bool any = take(&world->segments[segment->index].events, &event);
    unlockWorld();
    if (any) {
      *nodeId = event.node;
      *adapterNo = 0;
      done(error, SCI_ERR_OK);
      return (sci_segment_cb_reason_t)event.reason;
    }
    if (expired(began, timeout)) {
      done(error, SCI_ERR_TIMEOUT);
      return (sci_segment_cb_reason_t)0;
    }
    awaitChange(since);
  }
}

/* -- the peer's side ------------------------------------------------------------------------------------------------ */

static struct segment *find(uint32_t node, unsigned id) {
  for (int i = 0; i < MAX_SEGMENTS; i++) {
    struct segment *s = &world->segments[i];
    if (s->used && s->available && s->id == id && isAt(s, node)) {
      return s;
    }
  }
  return NULL;
}

static struct connection *newConnection(const struct segment *s, uint32_t from, uint32_t to) {
  for (int i = 0; i < MAX_CONNECTIONS; i++) {
    struct connection *c = &world->connections[i];
    if (!c->used) {
      *c = (struct connection){.used = true,
          .owner = getpid(),
          .segment = (uint32_t)(s - world->segments),
          .serial = s->serial,
          .node = from,
          .remote = to};
      return c;
    }
  }
  return NULL;
}

void SCI_FUNC(SCIConnectSegment)(sci_desc_t sd, sci_remote_segment_t *segment, unsigned nodeId, unsigned segmentId,
    unsigned adapterNo, sci_cb_remote_segment_t callback, void *callbackArg, unsigned timeout, unsigned flags,
    sci_error_t *error) {
  (void)timeout;
  (void)flags;
  uint32_t from = nodeOf(adapterNo);
  if (!sd || callback || callbackArg || !from) {
    done(error, from ? SCI_ERR_ILLEGAL_PARAMETER : SCI_ERR_NO_SUCH_ADAPTERNO);
    return;
  }
  lockWorld();
  struct segment *s = find(nodeId, segmentId);
  if (!linkUp(from, nodeId) || !s) {
    sci_error_t code = s ? SCI_ERR_NO_REMOTE_LINK_ACCESS : SCI_ERR_NO_SUCH_SEGMENT;
    unlockWorld();
    done(error, code);
    return;
  }
  char path[300];
  segmentPath(path, sizeof path, s->serial);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  struct connection *c = fd < 0 ? NULL : newConnection(s, from, nodeId);
  void *memory = c ? mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  if (fd >= 0) {
    close(fd);
  }
  if (memory == MAP_FAILED) {
    if (c) {
      c->used = false;
    }
    unlockWorld();
    done(error, SCI_ERR_HW_NOSPC);
    return;
  }
  post(&s->events, SCI_CB_CONNECT, from);
  *segment = calloc(1, sizeof **segment);
  (*segment)->connection = (uint32_t)(c - world->connections);
  (*segment)->size = s->size;
  (*segment)->memory = memory;
  unlockWorld();
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCIDisconnectSegment)(sci_remote_segment_t segment, unsigned flags, sci_error_t *error) {
  (void)flags;
  if (segment->maps > 0) {
    done(error, SCI_ERR_BUSY);
    return;
  }
  lockWorld();
  dropConnection(&world->connections[segment->connection]);
  unlockWorld();
  munmap(segment->memory, segment->size);
  free(segment);
  done(error, SCI_ERR_OK);
}

size_t SCI_FUNC(SCIGetRemoteSegmentSize)(sci_remote_segment_t segment) { return segment->size; }

sci_segment_cb_reason_t SCI_FUNC(SCIWaitForRemoteSegmentEvent)(
    sci_remote_segment_t segment, sci_error_t *status, unsigned timeout, unsigned flags, sci_error_t *error) {
  (void)flags;
  uint32_t began = now();
  for (;;) {
    uint32_t since = __atomic_load_n(&world->changes, __ATOMIC_SEQ_CST);
    struct event event;
    lockWorld();
    bool any = take(&world->connections[segment->connection].events, &event);
    unlockWorld();
    if (any) {
      *status = SCI_ERR_OK;
      done(error, SCI_ERR_OK);
      return (sci_segment_cb_reason_t)event.reason;
    }
    if (expired(began, timeout)) {
      done(error, SCI_ERR_TIMEOUT);
      return (sci_segment_cb_reason_t)0;
    }
    awaitChange(since);
  }
}
