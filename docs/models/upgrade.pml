/* upgrade.pml - TCP first, then the ring, and back: each direction leaves TCP at a count of raw bytes.
 *
 * The client has connected and has offered; the server has accepted. Client to server (A to B) is modelled in full,
 * as Outbound and Inbound do it: raw bytes, switch word, MARK, ring, BACK, raw bytes, and the ring again. Server to
 * client is modelled as far as it shows that the server waits for the client's MARK (-DTWOWAY).
 *
 * One epoch is: switch word (raw count and epoch number) into the peer's window; MARK on the TCP connection; bytes in the ring;
 * BACK with the ring position on the TCP connection. The receiver keeps its own epoch number and believes only the word of
 * the next epoch. When it has read BACK and emptied the ring it tells the sender (back), and only then may the sender
 * begin another epoch.
 *
 * Bytes are numbered 1..M; the receiving program must get exactly 1..M, in order.
 *
 *   -DTWOWAY      the server's direction too: it switches only when the client's MARK was read
 *   -DDIE         the client dies at any moment after ACCEPT: the server gets what was sent and then the end
 *
 * What is left out, and must fail:
 *   -DZEROED      the word has no epoch; it is set when the epoch begins and set to 0 when it ends; a new epoch begins
 *                 once the ring is empty
 *   -DNOEPOCH      the word has no epoch number
 *   -DNOBACK      a new epoch begins once the ring is empty, without the receiver's word that it read BACK
 *   -DDROPPED     the TCP connection is short; a doorbell that the kernel does not take is forgotten
 *     -DDEBT      ... is kept and written first (must hold)
 *   -DOVERTAKE    the switch word becomes visible later than MARK (two media: NTB, RDMA)
 *     -DPLACED    ... unless MARK waits until the word is placed (must hold)
 *
 * An unrelated process (-DLIAR): the TCP connection's true peer is a plain program; another process offered its tuple and writes any
 * switch count into the window.
 *   -DLIAR          the first bytes at that count are not MARK: they are data, and the link is dropped
 *   -DLIAR -DTRUST  MARK is not compared
 *   -DLIAR -DPAST   a count that lies in the past ends the stream, although nothing is proven yet
 *
 * The names are the code's (ModelNamesTest): phase has the states of SendSwitch in sendA and of ReceiveSwitch in recvB, and a
 * label in capitals is the action of SendSwitch that the writer takes next. Its events, and where the model has them:
 *
 *   SendSwitch.begin             BEGIN
 *   SendSwitch.taken             SEND_CONTROL: the TCP connection takes MARK or BACK in one piece
 *   SendSwitch.leave             LEAVE, from a ring that stays full
 *   SendSwitch.abandon           not modelled: the link fails before MARK is written
 *   ReceiveSwitch.mark           mark
 *   ReceiveSwitch.back           back
 *   ReceiveSwitch.emptied        emptied
 *   ReceiveSwitch.fail           not modelled: FAIL in place of BACK is failover.pml's
 *   ReceiveSwitch.linkReplaced   not modelled: one link only
 */
#ifndef M
#define M 4
#endif
#ifndef EPOCHS
#define EPOCHS 2          /* times that the sender leaves the ring */
#endif
#define R 2              /* bytes of the ring */
#define NONE 255

mtype = { DATA, MARK, DOORBELL, BACK,                  /* on the TCP connection */
          TCP, MARKING, RING, LEAVING, OVERFLOWED,     /* SendSwitch.State */
          DRAINING };                                  /* ReceiveSwitch.State, beside TCP and RING */
#ifdef DROPPED
chan a2b = [2] of { mtype, byte };
#else
chan a2b = [8] of { mtype, byte };
#endif

/* words in B's window, written by A */
byte swCount = 0, swEpoch = 0, pos = 0;
byte wireCount = 0, wireEpoch = 0;
byte slot[R];
/* words in A's window, written by B */
byte credit = 0, armed = 0, backSeen = 0;

bool proven = false, doneA = false, doneB = false;

inline take(v) { assert(v == got + 1); got = v }

#ifdef OVERTAKE
active proctype wire() { end: do
  :: atomic { wireEpoch != swEpoch -> swCount = wireCount; swEpoch = wireEpoch } od }
#define PUBLISH_SWITCH(k, t) d_step { wireCount = k; wireEpoch = t }
#else
#define PUBLISH_SWITCH(k, t) d_step { swCount = k; swEpoch = t }
#endif

#ifndef LIAR

#if defined(ZEROED)
#define MAY_RETURN (credit == pos)
#elif defined(NOBACK)
#define MAY_RETURN (credit == pos)
#else
#define MAY_RETURN (credit == pos && backSeen == epoch)
#endif

/* SendSwitch.isTcp */
#define IS_TCP (phase == TCP || phase == OVERFLOWED)

active proctype sendA() {
  byte i = 0, a = 0, raw = 0, epoch = 0, signalledFor = 0, left = 0;
  mtype phase = TCP;
  bool owed = false;
  do
  :: i == M && (!owed || doneB) -> break
#ifdef DIE
  :: goto dead
#endif
#ifdef DEBT
  :: owed && nfull(a2b) -> a2b!DOORBELL,0; owed = false
#endif
  :: IS_TCP && i < M && !owed ->
WRITE_TCP:
       i++; raw++; a2b!DATA,i
  :: IS_TCP && i < M && !owed && (phase == TCP || MAY_RETURN) ->
BEGIN: epoch++;
       phase = MARKING;
#if defined(ZEROED) || defined(NOEPOCH)
       PUBLISH_SWITCH(raw, 1);
#else
       PUBLISH_SWITCH(raw, epoch);
#endif
#ifdef PLACED
       swEpoch == epoch;
#endif
  :: phase == MARKING || phase == LEAVING ->
SEND_CONTROL:
       if
       :: phase == MARKING -> a2b!MARK,0; phase = RING
       :: else -> a2b!BACK,pos; phase = OVERFLOWED
       fi
  :: phase == RING && i < M && !owed && pos - credit < R ->
WRITE_RING:
       i++;
       slot[pos % R] = i;
       pos++;
       a = armed;                             /* loaded once */
       if
       :: a != signalledFor && a != 0 ->
            signalledFor = a;
#ifdef DROPPED
            atomic { if :: nfull(a2b) -> a2b!DOORBELL,0
                        :: full(a2b) ->
#ifdef DEBT
                             owed = true
#else
                             skip
#endif
                     fi }
#else
            a2b!DOORBELL,0
#endif
       :: else
       fi
  :: phase == RING && !owed && i < M && left < EPOCHS ->
LEAVE: left++;
#ifdef ZEROED
       d_step { swCount = 0; swEpoch = 0 };
#endif
       phase = LEAVING
  od;
#ifdef DIE
dead:
#endif
  doneA = true
}

active proctype recvB() {
  byte got = 0, rawIn = 0, epoch = 0, cons = 0, backAt = 0, v = 0;
  byte armings = 1, armedAs = 0;
  mtype k, phase = TCP;
  do
  :: got == M -> break
#ifdef DIE
  :: got < M && doneA && empty(a2b) && (phase == TCP || pos == cons) -> break
#endif
  :: got < M && phase == TCP && nempty(a2b) ->
       a2b?k,v;                              /* read, THEN look at the word */
       if
#if defined(ZEROED) || defined(NOEPOCH)
       :: swEpoch != 0 && rawIn == swCount ->
#else
       :: swEpoch == epoch + 1 && rawIn == swCount ->
#endif
mark:       assert(k == MARK); epoch++; proven = true; phase = RING
       :: else -> assert(k == DATA); rawIn++; take(v)
       fi
  :: got < M && phase == RING && pos > cons ->
       take(slot[cons % R]); cons++; credit = cons
  :: got < M && phase == RING && nempty(a2b) ->   /* a look at the TCP connection by the way */
       goto controlByte
  :: got < M && phase == RING && pos == cons ->
       if
       :: armedAs != armings -> armedAs = armings; armed = armings
       :: else
       fi;
       if
       :: pos > cons -> armedAs = 0; armed = 0
       :: else ->
#ifdef DIE
          if :: nempty(a2b) :: doneA && empty(a2b) -> goto again fi;
#endif
controlByte:
          a2b?k,v;
          if
          :: k == DOORBELL -> armings++
          :: k == BACK ->
back:          backAt = v; phase = DRAINING
          :: else -> assert(false)
          fi
       fi;
again: skip
  :: got < M && phase == DRAINING && pos > cons ->
       take(slot[cons % R]); cons++; credit = cons
  :: got < M && phase == DRAINING && pos == cons ->
emptied:
       assert(cons == backAt); phase = TCP; backSeen = epoch
  od;
#ifndef DIE
  assert(got == M);
#endif
  doneB = true
}

#ifdef TWOWAY
/* server to client: one epoch, two bytes; the client's side must find MARK where the word says */
chan b2a = [4] of { mtype, byte };
byte swCountA = 0, posA = 0; bool swA = false;
active proctype sendB() {
  byte i = 0;
  do
  :: i == 2 -> break
  :: i < 2 && !swA -> i++; b2a!DATA,i
  :: i < 2 && !swA && proven -> swCountA = i; swA = true; b2a!MARK,0
  :: i < 2 && swA -> i++; posA = i
  od
}
active proctype recvA() {
  byte got = 0, v; mtype k, phase = TCP;
  do
  :: got == 2 -> break
  :: got < 2 && phase == TCP -> b2a?k,v;
       if
       :: swA && got == swCountA -> assert(k == MARK); phase = RING
       :: else -> assert(k == DATA); take(v)
       fi
  :: got < 2 && phase == RING && posA > got -> got++
  od
}
#endif

#else /* LIAR */

active proctype plainPeer() {
  byte i = 0;
  do :: i < M -> i++; a2b!DATA,i :: else -> break od
}
active proctype liar() {
  if :: swCount = 0 :: swCount = 1 :: swCount = 2 :: swCount = 3 fi;
  swEpoch = 1
}
active proctype recvB() {
  byte got = 0, rawIn = 0, v = 0; mtype k; bool unproven = false;
  do
  :: got == M -> break
  :: got < M ->
       a2b?k,v;
       if
       :: !unproven && swEpoch == 1 && rawIn == swCount ->
#ifdef TRUST
            assert(k == MARK)
#else
            unproven = true;                  /* not MARK: data of another process */
            rawIn++; take(v)
#endif
       :: !unproven && swEpoch == 1 && rawIn > swCount ->
#ifdef PAST
            assert(false)                     /* ends a stream of a process that did nothing wrong */
#else
            unproven = true;
            rawIn++; take(v)
#endif
       :: else -> rawIn++; take(v)
       fi
  od
}
#endif
