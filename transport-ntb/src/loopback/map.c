/* Maps, sequences, flushes and copies.
 *
 * With SISCI_LOOPBACK_STORES=deferred a remote map is a private copy. Stores become visible to the peer only by a flush,
 * 64-byte line by line, in random order, as they leave the write-combining buffers of a processor. While the link is
 * down they vanish, and nobody is told but by a sequence.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "loopback.h"

#define LINE 64
#define PAGE 4096

static pthread_mutex_t mapsLock = PTHREAD_MUTEX_INITIALIZER;
static struct sci_map *maps;

void *SCI_FUNC(SCIMapLocalSegment)(sci_local_segment_t segment, sci_map_t *map, size_t offset, size_t size, void *addr,
    unsigned flags, sci_error_t *error) {
  (void)flags;
  if (addr || offset + size > world->segments[segment->index].size || size == 0) {
    done(error, SCI_ERR_OUT_OF_RANGE);
    return NULL;
  }
  *map = calloc(1, sizeof **map);
  (*map)->local = segment;
  (*map)->seen = (*map)->real = (unsigned char *)segment->memory + offset;
  (*map)->size = size;
  segment->maps++;
  done(error, SCI_ERR_OK);
  return (*map)->seen;
}

volatile void *SCI_FUNC(SCIMapRemoteSegment)(sci_remote_segment_t segment, sci_map_t *map, size_t offset, size_t size,
    void *addr, unsigned flags, sci_error_t *error) {
  (void)flags;
  if (addr || offset + size > segment->size || size == 0) {
    done(error, SCI_ERR_OUT_OF_RANGE);
    return NULL;
  }
  struct sci_map *m = calloc(1, sizeof *m);
  m->remote = segment;
  m->size = size;
  m->seen = m->real = (unsigned char *)segment->memory + offset;
  if (storesAreDeferred()) {
    m->seen = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    m->shadow = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(m->shadow, m->real, size);
    memcpy(m->seen, m->shadow, size);
  }
  segment->maps++;
  pthread_mutex_lock(&mapsLock);
  m->next = maps;
  maps = m;
  pthread_mutex_unlock(&mapsLock);
  *map = m;
  done(error, SCI_ERR_OK);
  return m->seen;
}

void SCI_FUNC(SCIUnmapSegment)(sci_map_t map, unsigned flags, sci_error_t *error) {
  (void)flags;
  if (map->local) {
    map->local->maps--;
  } else {
    pthread_mutex_lock(&mapsLock);
    for (struct sci_map **m = &maps; *m; m = &(*m)->next) {
      if (*m == map) {
        *m = map->next;
        break;
      }
    }
    pthread_mutex_unlock(&mapsLock);
    map->remote->maps--;
    if (map->shadow) {
      munmap(map->seen, map->size);
      munmap(map->shadow, map->size);
    }
  }
  free(map);
  done(error, SCI_ERR_OK);
}

/* -- flushing --------------------------------------------------------------------------------------------------------*/

static bool arrives(const struct sci_map *map) {
  const struct connection *c = &world->connections[map->remote->connection];
  return linkUp(c->node, c->remote) && !c->gone;
}

/* Whether a line is to vanish. Lines of control words (the first page of a slab) do not: a test wants a hole in the data,
 * with everything behind it in place. */
static bool vanishes(size_t at) {
  if (at < PAGE || __atomic_load_n(&world->loseLines, __ATOMIC_ACQUIRE) == 0) {
    return false;
  }
  lockWorld();
  bool lose = world->loseLines > 0 && world->loseSkip == 0;
  world->loseLines -= lose;
  world->loseSkip -= world->loseSkip > 0;
  unlockWorld();
  return lose;
}

static void sendLine(struct sci_map *m, size_t at, bool arrive) {
  size_t end = at + LINE < m->size ? at + LINE : m->size;
  for (size_t i = at; i + 8 <= end; i += 8) {
    uint64_t word = __atomic_load_n((uint64_t *)(m->seen + i), __ATOMIC_ACQUIRE);
    if (word != *(uint64_t *)(m->shadow + i)) {
      *(uint64_t *)(m->shadow + i) = word;
      if (arrive) {
        __atomic_store_n((uint64_t *)(m->real + i), word, __ATOMIC_RELEASE);
      }
    }
  }
  for (size_t i = end & ~(size_t)7; i < end; i++) {
    if (m->seen[i] != m->shadow[i]) {
      m->shadow[i] = m->seen[i];
      if (arrive) {
        m->real[i] = m->shadow[i];
      }
    }
  }
}

/* The changed lines of one page, in random order. */
static bool flushPage(struct sci_map *m, size_t page, bool arrive) {
  static _Thread_local uint32_t random = 2463534242u;
  size_t lines[PAGE / LINE];
  size_t n = 0;
  size_t end = page + PAGE < m->size ? page + PAGE : m->size;
  for (size_t at = page; at < end; at += LINE) {
    if (memcmp(m->seen + at, m->shadow + at, at + LINE < end ? LINE : end - at) != 0) {
      lines[n++] = at;
    }
  }
  for (size_t i = 0; i < n; i++) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    size_t other = i + random % (n - i);
    size_t line = lines[other];
    lines[other] = lines[i];
    bool lost = arrive && vanishes(line);
    sendLine(m, line, arrive && !lost);
    m->drops += lost && !world->hideLosses;
  }
  return n > 0;
}

static void flushMap(struct sci_map *m) {
  if (!m->shadow) {
    return;
  }
  bool arrive = arrives(m);
  bool any = false;
  /* From the beginning or from the end: a position stands before its data, and must not be lucky. */
  static _Thread_local unsigned turn;
  bool backwards = turn++ & 1;
  size_t pages = (m->size + PAGE - 1) / PAGE;
  for (size_t i = 0; i < pages; i++) {
    size_t page = (backwards ? pages - 1 - i : i) * PAGE;
    size_t length = page + PAGE < m->size ? PAGE : m->size - page;
    if (memcmp(m->seen + page, m->shadow + page, length) != 0) {
      any |= flushPage(m, page, arrive);
    }
  }
  m->drops += any && !arrive;
}

void writeByDma(const struct sci_remote_segment *segment, size_t offset, const void *from, size_t size) {
  pthread_mutex_lock(&mapsLock);
  memcpy((unsigned char *)segment->memory + offset, from, size);
  for (struct sci_map *m = maps; m; m = m->next) {
    size_t base = (size_t)(m->real - (unsigned char *)segment->memory);
    if (m->shadow && m->remote == segment && offset >= base && offset + size <= base + m->size) {
      memcpy(m->seen + offset - base, m->real + offset - base, size);
      memcpy(m->shadow + offset - base, m->real + offset - base, size);
    }
  }
  pthread_mutex_unlock(&mapsLock);
}

void flushMaps(struct sci_map *only) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!storesAreDeferred()) {
    return;
  }
  pthread_mutex_lock(&mapsLock);
  if (only) {
    flushMap(only);
  } else {
    for (struct sci_map *m = maps; m; m = m->next) {
      flushMap(m);
    }
  }
  pthread_mutex_unlock(&mapsLock);
}

void SCI_FUNC(SCIFlush)(sci_sequence_t sequence, unsigned flags) {
  (void)flags;
  flushMaps(sequence ? sequence->map : NULL);
}

void SCI_FUNC(SCIStoreBarrier)(sci_sequence_t sequence, unsigned flags) {
  (void)flags;
  flushMaps(sequence ? sequence->map : NULL);
}

/* -- sequences ------------------------------------------------------------------------------------------------------ */

static uint32_t linkDrops(const struct sci_map *map) {
  const struct connection *c = &world->connections[map->remote->connection];
  return world->drops[c->node / 4 % MAX_NODES] + world->drops[c->remote / 4 % MAX_NODES];
}

void SCI_FUNC(SCICreateMapSequence)(sci_map_t map, sci_sequence_t *sequence, unsigned flags, sci_error_t *error) {
  (void)flags;
  if (!map->remote) {
    done(error, SCI_ERR_ILLEGAL_PARAMETER);
    return;
  }
  *sequence = calloc(1, sizeof **sequence);
  (*sequence)->map = map;
  (*sequence)->drops = map->drops;
  (*sequence)->linkDrops = linkDrops(map);
  done(error, SCI_ERR_OK);
}

sci_sequence_status_t SCI_FUNC(SCIStartSequence)(sci_sequence_t sequence, unsigned flags, sci_error_t *error) {
  (void)flags;
  done(error, SCI_ERR_OK);
  if (!arrives(sequence->map)) {
    return world->connections[sequence->map->remote->connection].gone ? SCI_SEQ_NOT_RETRIABLE : SCI_SEQ_PENDING;
  }
  sequence->drops = sequence->map->drops;
  sequence->linkDrops = linkDrops(sequence->map);
  return SCI_SEQ_OK;
}

sci_sequence_status_t SCI_FUNC(SCICheckSequence)(sci_sequence_t sequence, unsigned flags, sci_error_t *error) {
  done(error, SCI_ERR_OK);
  if (!(flags & SCI_CONST(SCI_FLAG_NO_FLUSH))) {
    flushMaps(sequence->map);
  }
  if (__atomic_load_n(&world->failChecks, __ATOMIC_ACQUIRE) > 0) {
    lockWorld();
    bool fail = world->failChecks > 0;
    world->failChecks -= fail;
    sci_sequence_status_t as = world->failAs;
    unlockWorld();
    if (fail) {
      return as;
    }
  }
  if (!arrives(sequence->map)) {
    return SCI_SEQ_NOT_RETRIABLE;
  }
  bool dropped = sequence->drops != sequence->map->drops || sequence->linkDrops != linkDrops(sequence->map);
  return dropped ? SCI_SEQ_RETRIABLE : SCI_SEQ_OK;
}

void SCI_FUNC(SCIRemoveSequence)(sci_sequence_t sequence, unsigned flags, sci_error_t *error) {
  (void)flags;
  free(sequence);
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCIMemCpy)(sci_sequence_t sequence, void *memory, sci_map_t map, size_t offset, size_t size, unsigned flags,
    sci_error_t *error) {
  (void)sequence;
  if (offset + size > map->size) {
    done(error, SCI_ERR_OUT_OF_RANGE);
    return;
  }
  bool arrive = !map->remote || arrives(map);
  if (flags & SCI_CONST(SCI_FLAG_BLOCK_READ)) {
    flushMaps(map->remote ? map : NULL);
    if (arrive) {
      memcpy(memory, map->real + offset, size);
    } else {
      memset(memory, 0xFF, size);
    }
  } else {
    memcpy(map->seen + offset, memory, size);
    if (flags & SCI_CONST(SCI_FLAG_ERROR_CHECK)) {
      flushMaps(map->remote ? map : NULL);
    }
  }
  done(error, !arrive && (flags & SCI_CONST(SCI_FLAG_ERROR_CHECK)) ? SCI_ERR_TRANSFER_FAILED : SCI_ERR_OK);
}
