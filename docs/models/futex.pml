/* futex.pml - a blocked thread sleeps on a futex in its window: is a wake-up ever lost?
 *
 * One writer publishes positions 1..N, and may end the connection then. One reader consumes them. Before each sleep it takes
 * one of two ways: a byte on the TCP connection, or the futex. On the futex it can not hear the TCP connection: a watcher
 * does that for it, by an edge-triggered epoll. A closer of the reader's own process may end the sleep as well.
 * arm.pml shows that arming and looking again need their fences; memory is coherent here. The model follows
 * ReaderSleep (prepare, sleep), RingConsumer.arm, Sleeper (wake, tcpEvent) and WindowDoorbell.ring:
 *
 *   - the reader loads the word, arms under a new number, looks at the ring, at the events and at its own state, and waits
 *     only while the word has that value;
 *   - the writer looks at the number, then at the way. On the futex it increments the word, and then wakes;
 *   - the watcher counts the event, then increments the word, then wakes; the closer says that it closes, and does the same;
 *   - the reader forgets an event only when the TCP connection was found empty behind it.
 *
 *   -DEND          the writer ends the connection, and the reader waits for that
 *   -DCLOSE        the writer may fall silent, and the stream is closed at any moment
 *   -DMOVES=n      so often may the reader take the other way
 *   -DOLD          the writer knows no futex: it rings by TCP
 *
 * What is left out:
 *   -DLATEWORD     the word is loaded behind the looks
 *   -DSAMENUMBER   an arming on the futex keeps the number of the last one
 *   -DNOWATCHER    no thread hears the TCP connection
 *   -DWORDFIRST    the watcher increments the word before it counts the event
 *   -DEVENTSFIRST  the reader looks at the events before it loads the word
 *   -DHASTY        the reader forgets an event with the first byte that it takes
 *   -DNOBUMP       the writer wakes, and does not increment the word
 *   -DCLOSEAFTER   the closer wakes before it says that it closes
 */
#ifndef N
#define N 3
#endif
#ifndef MOVES
#define MOVES 2
#endif
#define TCP 0
#define FUTEX 1

byte pos, armed, way, word;           /* words of the windows */
bool asleep;                          /* the reader, in the kernel's queue of the word */
byte bytes;                           /* doorbells in the TCP connection */
bool fin, edge;                       /* the end is in there; epoll has something to report */
byte events;                          /* counted by the watcher */
bool closed, readerDone;

#ifdef END
#define ENDED ended
#else
#define ENDED true
#endif
#define READABLE (bytes > 0 || fin)

inline bump() {
#ifndef NOBUMP
  word++
#else
  skip
#endif
}

inline wakeUp() { asleep = false }

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
#ifndef OLD
          :: way == FUTEX -> bump(); wakeUp()
#endif
          :: atomic { bytes++; edge = true }            /* TCP; or this process can not ring a futex (yet) */
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

#ifndef NOWATCHER
active proctype watcher() {
  end: do
  :: atomic { edge -> edge = false };
#ifdef WORDFIRST
     word++; wakeUp(); events++
#else
     events++; word++; wakeUp()
#endif
  od
}
#endif

#ifdef CLOSE
active proctype closer() {
#ifdef CLOSEAFTER
  word++; wakeUp(); closed = true
#else
  closed = true; word++; wakeUp()
#endif
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

inline loadEvents() { e = events }

inline wait() {
  atomic {
    if
    :: word == v -> asleep = true
    :: else
    fi
  };
  !asleep
}

active proctype reader() {
  byte got = 0, p = 0, v = 0, e = 0, seen = 0, told = TCP, moves = MOVES;
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
#ifdef EVENTSFIRST
        loadEvents();
#endif
#ifndef LATEWORD
        v = word;
#endif
        if
        :: moves > 0 -> moves--; told = 1 - told; way = told; armings++
        :: true ->
           if
#ifndef SAMENUMBER
           :: told == FUTEX -> armings++
#endif
           :: else
           fi
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
        :: p == got && told == FUTEX ->
#ifndef EVENTSFIRST
             loadEvents();
#endif
#ifdef LATEWORD
             v = word;
#endif
             if
             :: e != seen && READABLE ->
                  takeOne();
#ifdef HASTY
                  seen = e
#endif
             :: e != seen && !READABLE -> seen = e
             :: e == seen && closed
             :: e == seen && !closed -> wait()
             fi
        fi
     fi
  od;
  readerDone = true
}
