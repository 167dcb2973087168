/* doorbell.pml - one pipe wakes a loop that sleeps over many streams: is a wake-up ever lost?
 *
 * One writer for each of two streams publishes positions 1..N. One event loop reads both streams and sleeps in one place.
 * arm.pml shows that arming, looking again and the two fences are right for one stream and one way; memory is coherent
 * here. This model is about what is new when the way may be a pipe (RingConsumer.arm, PipeRinger.ring, LoopDoorbell):
 *
 *   - before it arms, the reader says which way it wants (the words of its pipe, or none), in more than one store;
 *   - another way than before takes a new number: the writer rings once for each number, and may have rung the old one
 *     on the old way, which this loop does not listen to;
 *   - the writer looks at the number, then at the way. It rings by a record of (stream, number) in the pipe, or by a byte
 *     on the stream's TCP connection if the way is TCP, if it has not opened the pipe yet, or if the pipe is full;
 *   - after a sleep the loop looks only at the streams that a record or a byte names, and the others stay armed;
 *   - a record ends the number that it names, if that is the current one; a byte ends the current one.
 *
 * Stream 0 comes from another loop: it is armed there, under its number 1, and that loop's pipe is read by no reader of
 * this model. A lost wake-up is an invalid end state.
 *
 *   -DCAP=n        room of the pipe, in records
 *   -DMOVES=n      so often may the loop take another way for a stream that it arms (another thread reads it, for example)
 *   -DDIE          the loop may end at any moment; no writer may wait for it
 *
 * What is left out:
 *   -DSAMENUMBER   another way, the same number
 *   -DDROP         a record that finds no room is dropped, and no byte is sent
 *   -DBLOCK        the writer waits for room in the pipe
 *   -DUNHEARD      a record does not end its number
 *   -DANYNUMBER    a record ends the current number, whatever number it names (allowed: one more doorbell)
 */
#ifndef N
#define N 2
#endif
#ifndef CAP
#define CAP 2
#endif
#ifndef MOVES
#define MOVES 1
#endif
#define TCP 0
#define PIPE 1
#define OTHER 2                       /* the pipe of another loop */

byte pos[2], armed[2], way[2];        /* words of the two windows */
chan pipe = [CAP] of { byte, byte };
chan tcp = [8] of { byte };           /* both connections: which stream has a byte */

inline byTcp(s) { tcp!s }

proctype writer(byte s) {
  byte i = 0, a = 0, w = 0, signalledFor = 0;
  do
  :: i < N ->
     i++;
     pos[s] = i;
     a = armed[s];
     if
     :: a != signalledFor && a != 0 ->
          w = way[s];
          signalledFor = a;
          if
          :: w == TCP -> byTcp(s)
          :: w != TCP -> byTcp(s)                          /* the pipe is not open yet */
          :: w == OTHER                                    /* its loop may ignore it */
#ifdef BLOCK
          :: w == PIPE -> pipe!s,a
#else
          :: w == PIPE ->
               atomic {
                 if
                 :: nfull(pipe) -> pipe!s,a
#ifdef DROP
                 :: full(pipe)
#else
                 :: full(pipe) -> byTcp(s)
#endif
                 fi
               }
#endif
          fi
     :: else
     fi
  :: i == N -> break
  od
}

byte got[2], armings[2], armedAs[2], told[2];    /* the loop's */
bool polled[2];

inline endNumber(s) { armings[s]++ }

inline heard(s, a) {
#ifndef UNHEARD
#ifdef ANYNUMBER
  endNumber(s);
#else
  if
  :: a == armings[s] -> endNumber(s)
  :: else
  fi;
#endif
#endif
  polled[s] = true
}

inline takeOne() {
  atomic {
    if
    :: pipe?t,a -> heard(t, a)
    :: tcp?t -> endNumber(t); polled[t] = true
    fi
  }
}

inline choose(s) {
  if
  :: w = told[s]
  :: moves > 0 -> moves--; w = 1 - w
  fi;
  if
  :: told[s] == OTHER -> w = PIPE
  :: else
  fi
}

inline lookAt(s) {
  p = pos[s];
  if
  :: p > got[s] -> got[s] = p
  :: else ->
     w = told[s];
     choose(s);
     if
     :: w != told[s] ->
          way[s] = w; told[s] = w;
#ifndef SAMENUMBER
          endNumber(s)
#endif
     :: else
     fi;
     if
     :: armedAs[s] != armings[s] -> armedAs[s] = armings[s]; armed[s] = armings[s]
     :: else
     fi;
     p = pos[s];
     if
     :: p > got[s] -> got[s] = p; armedAs[s] = 0; armed[s] = 0
     :: else -> polled[s] = false
     fi
  fi
}

proctype loop() {
  byte p = 0, w = 0, t = 0, a = 0, moves = MOVES;
  do
  :: got[0] == N && got[1] == N -> break
#ifdef DIE
  :: break
#endif
  :: (got[0] < N || got[1] < N) && polled[0] -> lookAt(0)
  :: (got[0] < N || got[1] < N) && polled[1] -> lookAt(1)
  :: !polled[0] && !polled[1] && (got[0] < N || got[1] < N) -> takeOne()       /* sleep */
  :: (got[0] < N || got[1] < N) && (nempty(pipe) || nempty(tcp)) -> takeOne()  /* a look by the way */
  od
}

init {
  atomic {
    way[0] = OTHER; told[0] = OTHER; armed[0] = 1; armedAs[0] = 1;
    armings[0] = 1; armings[1] = 1;
    way[1] = PIPE; told[1] = PIPE;
    polled[0] = true; polled[1] = true;
    run writer(0); run writer(1); run loop()
  }
}
