/* close.pml - which thread gives a link back, and when may its memory be used again?
 *
 * Part 1: one end. A reader, a writer, a closer and an event loop share a stream. Each of reader, writer and closer
 * ends with LinkRelease.afterUse; the event loop takes the locks by tryLock for a look (Readiness). Exactly one
 * of them must give the link back, and no thread may touch it afterwards. A link that none gives back is a failed
 * assertion in the watcher.
 *
 *   -DNOLOOP      no event loop
 *   -DNORETRY     a thread that could not take both locks gives up; the holder of the lock may have given up too
 *   -DLOOKER      the event loop leaves without releaseIfClosed
 *   -DUNLOCKED    the closer gives the link back without the locks
 *
 * Part 2 (-DREUSE): two ends. B's window is used again for a new stream. A may be in the middle of a copy.
 *
 *   -DREUSE            B waits for its own end AND for A's CLOSED
 *   -DREUSE -DEARLY    B waits for its own end only
 *   -DREUSE -DHASTY    A says CLOSED when it closes, and not when its writer has left
 */
#ifndef REUSE

#define OPEN 0
#define CLOSING 1
#define CLOSED 2
#define RELEASED 3
byte state = OPEN;
bool inLock = false, outLock = false;
byte given = 0;
byte finished = 0;

#define TRY(l, ok)  atomic { if :: !l -> l = true; ok = true :: else -> ok = false fi }
#define LOCK(l)     atomic { !l -> l = true }
#define UNLOCK(l)   l = false
#define TOUCH       assert(given == 0)

/* LinkRelease.afterUse. With the retry: a thread that missed a lock looks again once the lock may be free. */
inline releaseIfClosed() {
  again = true;
  do
  :: again ->
     again = false;
     if
     :: state == CLOSED ->
        TRY(inLock, a);
        if
        :: a ->
           TRY(outLock, b);
           if
           :: b ->
              if :: atomic { state == CLOSED -> state = RELEASED }; given++; assert(given == 1)
                 :: else fi;
              UNLOCK(outLock)
           :: else
           fi;
           UNLOCK(inLock);
#ifndef NORETRY
           if
           :: !b && !outLock && state == CLOSED -> again = true
           :: else
           fi
#endif
        :: else ->
#ifndef NORETRY
           if
           :: !inLock && state == CLOSED -> again = true
           :: else
           fi
#else
           skip
#endif
        fi
     :: else
     fi
  :: else -> break
  od
}

active proctype reader() {
  bool a, b, again;
  LOCK(inLock);
  if :: state == OPEN -> TOUCH; TOUCH :: else fi;
  UNLOCK(inLock);
  releaseIfClosed();
  finished++
}

active proctype writer() {
  bool a, b, again;
  LOCK(outLock);
  if :: state == OPEN -> TOUCH; TOUCH :: else fi;
  UNLOCK(outLock);
  releaseIfClosed();
  finished++
}

active proctype closer() {
  bool a, b, again;
  state = CLOSING;
  /* finishLink: the last position and the flags, under the write lock if it comes in time */
  TRY(outLock, b);
  if :: b -> TOUCH; UNLOCK(outLock) :: else fi;
  state = CLOSED;
#ifdef UNLOCKED
  state = RELEASED; given++; assert(given == 1);
#else
  releaseIfClosed();
#endif
  finished++
}

#ifndef NOLOOP
active proctype eventLoop() {
  bool a, b, again;
  TRY(inLock, a);
  if
  :: a ->
     if :: state == OPEN -> TOUCH :: else fi;
     UNLOCK(inLock);
#ifndef LOOKER
     releaseIfClosed()
#endif
  :: else
  fi;
  finished++
}
#define THREADS 4
#else
#define THREADS 3
#endif

active proctype watcher() { finished == THREADS; assert(given == 1) }

#else

bool used = false;                /* B's window belongs to a new stream */
bool closedByA = false;           /* A's CLOSED has arrived at B */
bool aInside = true;              /* A's writer is in the middle of a copy */

active proctype aWriter() {
  assert(!used);                  /* a store of the old stream */
  assert(!used);
  aInside = false
}
active proctype aCloser() {
#ifndef HASTY
  !aInside;                       /* released: no reader, no writer */
#endif
  closedByA = true
}
active proctype b() {
#ifndef EARLY
  closedByA;
#endif
  used = true
}
#endif
