/* park.pml - a blocked virtual thread is parked: is a wake-up ever lost?
 *
 * One writer publishes positions 1..N, and may end the connection then. One reader consumes them. Before each sleep it takes
 * one of two ways: a byte on the TCP connection, or a record in the pipe of the process, which the control thread takes out
 * to unpark the reader. Parked, it can not hear the TCP connection: a watcher does that for it (futex.pml). A closer of the
 * reader's own process may end the sleep as well, and the control thread may find the pipe unusable.
 * The model follows ReaderSleep (prepareParking, sleep), RingConsumer.arm, Sleeper (rung, wake) and VirtualDoorbell:
 *
 *   - the reader names itself, hears what was rung for, arms, looks at the ring, at the events, at its own state and at what
 *     has been rung for meanwhile, and parks. An unpark that comes before that ends it at once;
 *   - the writer rings once for each number: it puts the number into the pipe, or, if that is full or unknown, on the TCP
 *     connection;
 *   - the control thread stores the number that it took out, then unparks the thread that has named itself;
 *   - a number ends when the reader hears that it was rung for.
 *
 *   -DEND        the writer ends the connection, and the reader waits for that
 *   -DCLOSE      the writer may fall silent, and the stream is closed at any moment
 *   -DFAIL       the pipe may become unusable at any moment, with all that is in it
 *   -DMOVES=n    so often may the reader take the other way
 *
 * What is left out:
 *   -DUNHEARD    the number goes on although the reader has heard that it was rung for
 *   -DLATENAME   the reader names itself behind its looks
 *   -DUNPARKFIRST the control thread unparks before it stores the number, and the reader looks at the number alone
 *   -DNOFAILLOOK the reader does not look whether the pipe is usable still
 *   -DSAMENUMBER a reader that takes another way arms with the number that it has
 */
#ifndef N
#define N 3
#endif
#ifndef MOVES
#define MOVES 2
#endif
#define TCP 0
#define PIPE 1

byte pos, armed, way;                 /* words of the windows */
chan pipe = [1] of { byte };          /* with room for one record */
bool unusable;
bool named, permit;                   /* of the reader's thread */
byte rungFor;
byte bytes;                           /* doorbells in the TCP connection */
bool fin, edge;                       /* the end is in there; epoll has something to report */
byte events;                          /* counted by the watcher */
bool closed;

#ifdef END
#define ENDED ended
#else
#define ENDED true
#endif
#define READABLE (bytes > 0 || fin)

inline unpark() {
  if
  :: named -> permit = true
  :: else
  fi
}

active proctype writer() {
  byte i = 0, a = 0, signalledFor = 0;
  do
  :: i < N ->
     i++;
     pos = i;
     a = armed;
     if
     :: a != signalledFor && a != 0 ->
          signalledFor = a;
          if
          :: way == PIPE && nfull(pipe) -> pipe!a
          :: atomic { bytes++; edge = true }            /* TCP; or the pipe is full, or not open yet */
          fi
     :: else
     fi
  :: i == N -> break
#ifdef CLOSE
  :: break                            /* it is silent from now on */
#endif
  od;
#ifdef END
  atomic { fin = true; edge = true }
#endif
}

active proctype control() {
  byte a;
  end: do
  :: !unusable && nempty(pipe) ->
       pipe?a;
#ifdef UNPARKFIRST
       unpark();
       rungFor = a
#else
       rungFor = a;
       unpark()
#endif
#ifdef FAIL
  :: !unusable -> unusable = true; unpark(); break
#endif
  od
}

active proctype watcher() {
  end: do
  :: atomic { edge -> edge = false };
     events++;
     unpark()
  od
}

#ifdef CLOSE
active proctype closer() {
  closed = true;
  unpark()
}
#endif

byte armings = 1;

inline takeOne() {
  atomic {
    if
    :: bytes > 0 -> bytes--; armings++
    :: bytes == 0 && fin -> ended = true
    fi
  }
}

inline hear() {
  atomic {
#ifndef UNHEARD
    if
    :: rungFor == armings -> armings++
    :: else
    fi;
#endif
    rungFor = 0
  }
}

inline number() {
#ifndef SAMENUMBER
  armings++
#else
  skip
#endif
}

active proctype reader() {
  byte got = 0, p = 0, e = 0, seen = 0, told = TCP, moves = MOVES;
  bool ended = false;
  do
  :: closed -> break
  :: !closed && ENDED && got == N -> break
  :: !closed && !(ENDED && got == N) ->
     p = pos;
     if
     :: p > got -> got = p
     :: p == got && ended                               /* the end was read before the last position */
     :: p == got && !ended ->
        if
        :: moves > 0 || (told == PIPE && unusable) ->
             if
             :: told == TCP && unusable                 /* there is no other way any more */
             :: told == TCP && !unusable -> moves--; told = PIPE; way = told; number()
             :: told == PIPE && moves > 0 -> moves--; told = TCP; way = told; number()
             :: told == PIPE && moves == 0 -> told = TCP; way = told; number()
             fi
        :: !(told == PIPE && unusable)
        fi;
        if
        :: told == PIPE ->
#ifndef LATENAME
             named = true;
#endif
             hear()
        :: else
        fi;
        armed = armings;
        p = pos;
        if
        :: p > got -> got = p; armed = 0
        :: p == got && told == TCP ->
             if
             :: READABLE -> takeOne()                   /* sleeps in the kernel's read */
             :: closed
             fi
        :: p == got && told == PIPE ->
             e = events;
             if
             :: e != seen && READABLE -> takeOne()
             :: e != seen && !READABLE -> seen = e
             :: e == seen && closed
#ifndef NOFAILLOOK
             :: e == seen && !closed && unusable
             :: e == seen && !closed && !unusable ->
#else
             :: e == seen && !closed ->
#endif
                  if
#ifdef LATENAME
                  :: true -> named = true; permit; permit = false
#else
                  :: rungFor != 0
                  :: rungFor == 0 -> permit; permit = false
#endif
                  fi
             fi
        fi;
        named = false
     fi
  od
}
