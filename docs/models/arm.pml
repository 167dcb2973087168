/* arm.pml - arm, look again, sleep: is a wake-up ever lost, and how many doorbells can be unread?
 *
 * One writer publishes positions 1..N. One reader consumes them and sleeps on the TCP connection. The model follows
 * RingConsumer.arm / disarm / doorbellHeard and RingProducer.lookForSleeper word for word:
 *
 *   - an arming has a number; the reader stores it into its armed word at the writer;
 *   - if the look after arming finds data, the reader stores 0 and goes on. The number is NOT used up: a doorbell for
 *     it may be on its way, so the next arming uses it again;
 *   - only a doorbell that was read ends the number. The next arming has a new one;
 *   - the writer rings once for each number that it sees.
 *
 * A lost wake-up is an invalid end state (the reader waits for a control byte that never comes). Two unread doorbells are
 * a failed assertion.
 *
 * Medium, one of:
 *   -DTSO    coherent memory, one store buffer for each side (shm)
 *   -DNTB    posted writes, one queue for each direction; a read completion pushes earlier writes before it
 *   -DRDMA   a write is posted and lands later
 *
 * What is left out or put in:
 *   -DNOFENCE_W -DNOFENCE_R   no full fence on that side
 *   -DNEWNUMBER               a disarmed reader takes a new number at its next arming
 *   -DNOHEAR                  a doorbell that was read does not end the number
 *   -DNODISARM                the reader stays armed while it is awake (allowed, costs stale doorbells)
 *   -DFULL                    the TCP connection is full of raw bytes that the reader has not taken yet, and the reader is
 *                             armed from before: the kernel takes no doorbell, and the writer forgets it
 *     -DDEBT                  ... unless it keeps the doorbell and writes it when there is room
 *   -DREADBACK                NTB: the reader reads its armed word back before the last look
 *   -DACKARM -DRELOOK         RDMA: the arming is acknowledged; the writer looks again when its write is complete.
 *                             Holds only with NODISARM: an old number that was not overwritten yet looks like the
 *                             acknowledgement of the new arming
 *   -DALLIMM                  RDMA: no armed word, each publish raises a completion
 *   -DSOURCE                  RDMA: the reader's read-back, behind its arming, fetches the writer's own copy of the
 *                             position, which is stored before the look at the armed word; the reader waits until
 *                             what it fetched has landed
 *     -DNOWAIT                ... and does not wait
 *     -DLATE                  ... but the writer stores its copy only after its look
 *   -DTEAR                    RDMA: a message and its position land in any order; a reader sees whether both are there
 *     -DSLEEPHALF             ... and sleeps when it has found one of the two
 */
#ifndef N
#define N 3
#endif
#define DOORBELL 1
#define RAW 2

byte pos = 0, armed = 0;              /* as everybody can see them */
#ifdef FULL
chan tcp = [2] of { byte };
#else
chan tcp = [8] of { byte };
#endif
byte unread = 0;                      /* doorbells in the TCP connection */

#ifdef TSO
byte sbPos = 255, sbArm = 255;        /* one-entry store buffers, 255 = empty */
active proctype flushW() { end: do :: atomic { sbPos != 255 -> pos = sbPos; sbPos = 255 } od }
active proctype flushR() { end: do :: atomic { sbArm != 255 -> armed = sbArm; sbArm = 255 } od }
#define PUBLISH(v) atomic { sbPos == 255 -> sbPos = v }
#define ARM(v)     atomic { sbArm == 255 -> sbArm = v }
#ifdef NOFENCE_W
#define FENCE_W    skip
#else
#define FENCE_W    (sbPos == 255)
#endif
#ifdef NOFENCE_R
#define FENCE_R    skip
#else
#define FENCE_R    (sbArm == 255)
#endif
#endif

#ifdef NTB
mtype = { WORD, READ, COMPLETION };
chan toR = [6] of { mtype, byte };
chan toW = [6] of { mtype, byte };
byte completed = 0;
active proctype busToR() { byte v; end: do
  :: atomic { toR?WORD(v) -> pos = v }
  :: atomic { toR?COMPLETION(v) -> completed++ } od }
active proctype busToW() { byte v; end: do
  :: atomic { toW?WORD(v) -> armed = v }
  :: toW?READ(v) -> toR!COMPLETION(0) od }
#define PUBLISH(v) toR!WORD(v)
#define FENCE_W    skip
#define ARM(v)     toW!WORD(v)
#ifdef READBACK
#define FENCE_R    toW!READ(0); atomic { completed > 0 -> completed-- }
#else
#define FENCE_R    skip
#endif
#endif

#ifdef RDMA
chan toR = [6] of { byte };
chan toW = [6] of { byte };
byte landed = 0;
#define FETCH 255
byte whole = 0;                       /* the message whose bytes are there */
byte source = 0, fetched = 0;         /* the writer's copy of its position; what the reader knows of it */
bool fetchDone = false;
active proctype queuePairToR() { byte v; end: do
#ifdef TEAR
  :: toR?v ->
     if
     :: pos = v; whole = v
     :: whole = v; pos = v
     fi
#else
  :: atomic { toR?v -> pos = v; landed = v;
#ifdef ALLIMM
     tcp!DOORBELL
#endif
  }
#endif
  od }
active proctype queuePairToW() { byte v; end: do
  :: atomic { toW?v ->
     if
     :: v == FETCH -> fetched = source; fetchDone = true
     :: else -> armed = v
     fi }
  od }
#if defined(SOURCE) && !defined(LATE)
#define PUBLISH(v) source = v; toR!v
#else
#define PUBLISH(v) toR!v
#endif
#define FENCE_W    skip
#define ARM(v)     toW!v
#ifdef ACKARM
#define FENCE_R    (armed == armedAs)
#elif defined(SOURCE)
#ifdef NOWAIT
#define FENCE_R    toW!FETCH; atomic { fetchDone -> fetchDone = false }
#else
#define FENCE_R    toW!FETCH; atomic { fetchDone -> fetchDone = false }; (pos >= fetched)
#endif
#else
#define FENCE_R    skip
#endif
#endif

#ifdef TEAR
#define IS_THERE(p) (whole >= p)
#else
#define IS_THERE(p) true
#endif
#ifdef SLEEPHALF
#define KEEPS_AWAKE(p) IS_THERE(p)
#else
#define KEEPS_AWAKE(p) true
#endif

byte signalledFor = 0;
bool readerDone = false;
#ifdef DEBT
#define MAY_END (!owed || readerDone)
#else
#define MAY_END true
#endif

inline lookForSleeper() {
  a = armed;
  if
  :: a != signalledFor && a != 0 ->
       signalledFor = a;
       atomic {
         if
         :: nfull(tcp) -> tcp!DOORBELL; unread++; assert(unread <= 1)
         :: full(tcp) -> owed = true
         fi
       }
  :: else
  fi
}

active proctype writer() {
  byte i = 0, a = 0;
  bool owed = false;
  do
  :: i < N -> i++; PUBLISH(i); FENCE_W;
#ifndef ALLIMM
     lookForSleeper()
#endif
#ifdef LATE
     ; source = i
#endif
#ifdef DEBT
  :: owed && nfull(tcp) -> atomic { tcp!DOORBELL; unread++; owed = false; assert(unread <= 1) }
#endif
  :: i == N && MAY_END -> break
  od;
#ifdef RELOOK
  landed == N; lookForSleeper()
#endif
}

/* one control byte off the TCP connection */
inline takeControlByte() {
  atomic {
    tcp?controlByte;
    if
    :: controlByte == DOORBELL ->
         if :: unread > 0 -> unread-- :: else fi;
#ifndef NOHEAR
         armings++
#endif
    :: else
    fi
  }
}

active proctype reader() {
  byte got = 0, p = 0, controlByte = 0;
  byte armings = 1, armedAs = 0;
#ifdef FULL
  atomic { armed = 1; armedAs = 1; tcp!RAW; tcp!RAW };
#endif
  do
  :: got == N -> break
  :: got < N && nempty(tcp) -> takeControlByte()          /* a look at the TCP connection by the way */
  :: got < N ->
     p = pos;
     if
     :: p > got && IS_THERE(p) -> got = p
     :: else ->
        if
        :: armedAs != armings -> armedAs = armings; ARM(armings)
        :: else
        fi;
        FENCE_R;
        p = pos;
        if
        :: p > got && KEEPS_AWAKE(p) ->
             if
             :: IS_THERE(p) -> got = p
             :: else                                    /* half a message: awake, and once more */
             fi;
#ifndef NODISARM
             armedAs = 0;
             ARM(0);
#ifdef NEWNUMBER
             armings++
#endif
#endif
        :: else -> takeControlByte()                          /* sleep */
        fi
     fi
  od;
  readerDone = true
}
