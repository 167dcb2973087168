/* The shared state of all processes that play nodes: one file, one robust mutex, one futex that counts changes. */
#define _GNU_SOURCE
#include "loopback.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x534c3102u
#define TICK_MS 20

struct world *world;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static char directory[256];
static uint32_t adapters[MAX_ADAPTERS];
static bool deferred;

static void readEnvironment(void) {
  const char *dir = getenv("SISCI_LOOPBACK_DIR");
  if (dir) {
    snprintf(directory, sizeof directory, "%s", dir);
  } else {
    snprintf(directory, sizeof directory, "/dev/shm/sisci-loopback-%u", getuid());
  }
  const char *nodes = getenv("SISCI_LOOPBACK_NODES");
  char list[128];
  snprintf(list, sizeof list, "%s", nodes ? nodes : "4");
  unsigned n = 0;
  for (char *rest = NULL, *one = strtok_r(list, ",", &rest); one && n < MAX_ADAPTERS; one = strtok_r(NULL, ",", &rest)) {
    adapters[n++] = (uint32_t)strtoul(one, NULL, 10);
  }
  const char *stores = getenv("SISCI_LOOPBACK_STORES");
  deferred = stores && strcmp(stores, "deferred") == 0;
}

static struct world *mapWorld(void) {
  char path[300];
  mkdir(directory, 0700);
  snprintf(path, sizeof path, "%s/world", directory);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || lockf(fd, F_LOCK, 0) != 0 || ftruncate(fd, sizeof(struct world)) != 0) {
    return NULL;
  }
  struct world *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (w == MAP_FAILED) {
    close(fd);
    return NULL;
  }
  if (w->magic != MAGIC) {
    memset(w, 0, sizeof *w);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&w->lock, &attributes);
    w->magic = MAGIC;
  }
  close(fd); /* and with it the file lock */
  return w;
}

bool worldOpen(void) {
  pthread_mutex_lock(&opening);
  if (!world) {
    readEnvironment();
    world = mapWorld();
  }
  pthread_mutex_unlock(&opening);
  return world != NULL;
}

bool storesAreDeferred(void) { return deferred; }

void lockWorld(void) {
  if (pthread_mutex_lock(&world->lock) == EOWNERDEAD) {
    pthread_mutex_consistent(&world->lock);
  }
}

void unlockWorld(void) { pthread_mutex_unlock(&world->lock); }

void changed(void) {
  __atomic_add_fetch(&world->changes, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &world->changes, FUTEX_WAKE, 0x7fffffff, NULL, NULL, 0);
}

static bool isDead(pid_t pid) {
  if (pid == 0 || pid == getpid()) {
    return false;
  }
  return kill(pid, 0) != 0 && errno == ESRCH;
}

/* What the driver does for a process that ended. */
static void bury(void) {
  static _Atomic uint32_t last;
  uint32_t t = now();
  if (t - last < TICK_MS) {
    return;
  }
  last = t;
  lockWorld();
  for (int i = 0; i < MAX_CONNECTIONS; i++) {
    if (world->connections[i].used && isDead(world->connections[i].owner)) {
      dropConnection(&world->connections[i]);
    }
  }
  for (int i = 0; i < MAX_SEGMENTS; i++) {
    if (world->segments[i].used && isDead(world->segments[i].owner)) {
      dropSegment(&world->segments[i]);
    }
  }
  for (int i = 0; i < MAX_INTERRUPTS; i++) {
    if (world->interrupts[i].used && isDead(world->interrupts[i].owner)) {
      world->interrupts[i].used = false;
      changed();
    }
  }
  unlockWorld();
}

void awaitChange(uint32_t since) {
  struct timespec tick = {0, TICK_MS * 1000000L};
  syscall(SYS_futex, &world->changes, FUTEX_WAIT, since, &tick, NULL, 0);
  bury();
}

uint32_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint32_t)(t.tv_sec * 1000 + t.tv_nsec / 1000000);
}

bool expired(uint32_t began, unsigned timeout) {
  return timeout != SCI_CONST(SCI_INFINITE_TIMEOUT) && now() - began >= timeout;
}

void segmentPath(char *out, size_t size, uint32_t serial) { snprintf(out, size, "%s/segment-%u", directory, serial); }

uint32_t nodeOf(unsigned adapter) { return adapter < MAX_ADAPTERS ? adapters[adapter] : 0; }

unsigned adapterOf(uint32_t node) {
  for (unsigned i = 0; i < MAX_ADAPTERS; i++) {
    if (adapters[i] == node) {
      return i;
    }
  }
  return 0;
}

static bool isDown(uint32_t node) { return world->down[node / 4 % MAX_NODES]; }

bool linkUp(uint32_t a, uint32_t b) { return !isDown(a) && !isDown(b); }

void post(struct events *events, sci_segment_cb_reason_t reason, uint32_t node) {
  if (events->to - events->from == MAX_EVENTS) {
    events->from++;
  }
  events->of[events->to++ % MAX_EVENTS] = (struct event){(int32_t)reason, node};
  changed();
}

bool take(struct events *events, struct event *out) {
  if (events->from == events->to) {
    return false;
  }
  *out = events->of[events->from++ % MAX_EVENTS];
  return true;
}

/* For tests that play several nodes without touching their environment; before the first call of anything else. */
SCI_EXPORT void loopbackConfigure(const char *dir, const char *nodes, int deferStores) {
  setenv("SISCI_LOOPBACK_DIR", dir, 1);
  setenv("SISCI_LOOPBACK_NODES", nodes, 1);
  setenv("SISCI_LOOPBACK_STORES", deferStores ? "deferred" : "direct", 1);
}

/* -- faults: for tests, not part of SISCI ------------------------------------------------------------------------- */

/* Pulls the cable of a node, or puts it back. */
SCI_EXPORT void loopbackSetLink(unsigned node, int up) {
  if (!worldOpen()) {
    return;
  }
  lockWorld();
  unsigned slot = node / 4 % MAX_NODES;
  if (world->down[slot] == (up != 0)) {
    world->down[slot] = !up;
    world->drops[slot] += up ? 0 : 1;
    sci_segment_cb_reason_t reason = up ? SCI_CB_OPERATIONAL : SCI_CB_NOT_OPERATIONAL;
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
      struct connection *c = &world->connections[i];
      if (c->used && (c->node == node || c->remote == node)) {
        post(&c->events, reason, node);
        post(&world->segments[c->segment].events, reason, node);
      }
    }
  }
  changed();
  unlockWorld();
}

/* The next sequence checks report an error although every store arrives. */
SCI_EXPORT void loopbackFailChecks(unsigned status, unsigned count) {
  if (worldOpen()) {
    lockWorld();
    world->failAs = (sci_sequence_status_t)status;
    world->failChecks = count;
    unlockWorld();
  }
}

/* So many 64-byte lines of data vanish on a link that is up, after so many that arrive; later ones arrive, and a sequence
 * says RETRIABLE. Only with deferred stores. */
SCI_EXPORT void loopbackLoseLines(unsigned skip, unsigned count) {
  if (worldOpen()) {
    lockWorld();
    world->loseSkip = skip;
    world->loseLines = count;
    unlockWorld();
  }
}

/* Whether sequences notice them. */
SCI_EXPORT void loopbackHideLosses(unsigned hide) {
  if (worldOpen()) {
    lockWorld();
    world->hideLosses = hide;
    unlockWorld();
  }
}

/* The bytes of the largest transfer that an engine was given; forgets them. */
SCI_EXPORT unsigned loopbackLargestDma(void) {
  return worldOpen() ? (unsigned)__atomic_exchange_n(&world->largestDma, 0, __ATOMIC_RELAXED) : 0;
}

/* Whether transfers of DMA engines wait, and whether they can be aborted meanwhile. */
SCI_EXPORT void loopbackStallDma(unsigned stall, unsigned deaf) {
  if (worldOpen()) {
    if (stall) {
      world->dmaIsDeaf = deaf;
    }
    __atomic_store_n(&world->dmaStalls, stall != 0, __ATOMIC_RELEASE); /* a deaf engine stays so until it has written */
  }
}

/* How many of them have not been lost yet. */
SCI_EXPORT unsigned loopbackLinesToLose(void) {
  return worldOpen() ? __atomic_load_n(&world->loseLines, __ATOMIC_ACQUIRE) : 0;
}

/* Takes all segments of a node that are at least so large away from under their owners. */
SCI_EXPORT void loopbackLoseLarge(unsigned node, unsigned atLeast) {
  if (!worldOpen()) {
    return;
  }
  lockWorld();
  for (unsigned i = 0; i < MAX_SEGMENTS; i++) {
    struct segment *s = &world->segments[i];
    for (int a = 0; s->used && s->size >= atLeast && a < MAX_ADAPTERS; a++) {
      if (s->nodes[a] == node) {
        s->available = false;
        s->lost = true;
        tellConnections(i, SCI_CB_LOST);
      }
    }
  }
  unlockWorld();
}

/* Takes a segment away from under its owner, as a driver that is unloaded does. */
SCI_EXPORT void loopbackLose(unsigned node, unsigned segmentId) {
  if (!worldOpen()) {
    return;
  }
  lockWorld();
  for (unsigned i = 0; i < MAX_SEGMENTS; i++) {
    struct segment *s = &world->segments[i];
    for (int a = 0; s->used && a < MAX_ADAPTERS; a++) {
      if (s->nodes[a] == node && s->id == segmentId) {
        s->available = false;
        s->lost = true;
        tellConnections(i, SCI_CB_LOST);
      }
    }
  }
  unlockWorld();
}
