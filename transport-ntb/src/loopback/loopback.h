/* What the files of the loopback library share. See README.md in this directory. */
#ifndef SLIPSTREAM_LOOPBACK_H
#define SLIPSTREAM_LOOPBACK_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "sisci_api.h"

enum {
  MAX_SEGMENTS = 1024,
  MAX_CONNECTIONS = 4096,
  MAX_INTERRUPTS = 256,
  MAX_NODES = 64,
  MAX_ADAPTERS = 4,
  MAX_EVENTS = 8,
  DATA_QUEUE = 8,
  DATA_BYTES = 256
};

struct event {
  int32_t reason;
  uint32_t node;
};

/* Events that nobody has waited for yet; when it is full the oldest is forgotten. */
struct events {
  uint32_t from, to;
  struct event of[MAX_EVENTS];
};

struct segment {
  bool used, available, lost;
  pid_t owner;
  uint32_t id;
  uint32_t serial; /* names its file */
  uint32_t nodes[MAX_ADAPTERS]; /* where it is available; 0 = not there */
  uint64_t size;
  struct events events;
};

struct connection {
  bool used;
  pid_t owner;
  uint32_t segment, serial;
  uint32_t node, remote; /* the connecting node and the node of the segment */
  bool gone;
  struct events events;
};

struct interrupt {
  bool used, data;
  pid_t owner;
  uint32_t node, number;
  uint32_t serial;
  uint32_t pending;
  uint32_t from, to;
  uint32_t lengths[DATA_QUEUE];
  unsigned char messages[DATA_QUEUE][DATA_BYTES];
};

/* Everything that all processes of one directory see. */
struct world {
  uint32_t magic;
  pthread_mutex_t lock; /* robust: a process may be killed while it holds it */
  uint32_t changes;     /* a futex: counts every change that somebody may wait for */
  uint32_t serial;
  bool down[MAX_NODES];         /* by node id / 4 */
  uint32_t drops[MAX_NODES];    /* how often its link went down */
  uint32_t failChecks;          /* so many sequence checks still fail ... */
  sci_sequence_status_t failAs; /* ... like this */
  uint32_t loseLines;           /* so many lines of data still vanish, and later ones arrive ... */
  uint32_t loseSkip;            /* ... after so many that arrive */
  uint64_t largestDma;          /* bytes of the largest transfer that an engine was given */
  bool dmaStalls;               /* transfers do not begin ... */
  bool dmaIsDeaf;               /* ... and can not be aborted */
  bool hideLosses;              /* and no sequence notices it */
  struct segment segments[MAX_SEGMENTS];
  struct connection connections[MAX_CONNECTIONS];
  struct interrupt interrupts[MAX_INTERRUPTS];
};

extern struct world *world;

struct sci_desc {
  int dummy;
};

struct sci_local_segment {
  uint32_t index;
  void *memory;
  int maps;
  bool prepared;
};

struct sci_remote_segment {
  uint32_t connection;
  int fd;
  uint64_t size;
  void *memory; /* the real bytes */
  int maps;
};

struct sci_map {
  struct sci_local_segment *local;
  struct sci_remote_segment *remote;
  unsigned char *seen;   /* what the program stores into: the bytes themselves, or a copy */
  unsigned char *shadow; /* deferred stores: the copy as it was when it was last flushed; else null */
  unsigned char *real;
  size_t size;
  uint32_t drops; /* stores of this map that vanished */
  struct sci_map *next;
};

struct sci_sequence {
  struct sci_map *map;
  uint32_t drops, linkDrops;
};

/* -- world.c -- */
bool worldOpen(void);
bool storesAreDeferred(void);
void lockWorld(void);
void unlockWorld(void);
/* Something changed: whoever waits looks again. Under the lock. */
void changed(void);
/* Waits for a change, or some milliseconds, outside the lock; notices dead processes. */
void awaitChange(uint32_t since);
uint32_t now(void);
/* Whether a wait that began then is over. */
bool expired(uint32_t began, unsigned timeout);
void segmentPath(char *out, size_t size, uint32_t serial);
/* The node id of an adapter of this process; 0 if there is none. */
uint32_t nodeOf(unsigned adapter);
unsigned adapterOf(uint32_t node);
bool linkUp(uint32_t a, uint32_t b);
void post(struct events *events, sci_segment_cb_reason_t reason, uint32_t node);
bool take(struct events *events, struct event *out);
/* -- segment.c -- */
void dropSegment(struct segment *segment);
void dropConnection(struct connection *connection);
void tellConnections(uint32_t segment, sci_segment_cb_reason_t reason);
/* -- map.c -- */
void flushMaps(struct sci_map *only);
/* What a DMA engine does behind the back of the private copies. No flush runs at the same time: it sends whole words, of
 * which the engine may write a part. */
void writeByDma(const struct sci_remote_segment *segment, size_t offset, const void *from, size_t size);

static inline void done(sci_error_t *error, sci_error_t code) {
  if (error) {
    *error = code;
  }
}

#endif
