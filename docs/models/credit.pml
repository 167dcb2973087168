/* credit.pml - a starved writer asks for a notice and sleeps: is the notice ever lost?
 *
 * W fills the peer's ring of R bytes. At the peer, the reading thread gives credit in steps, and at once if
 * W has asked (RingConsumer.read, ReceiveCredit.give, grow). The peer's writing thread tells its own look at the same
 * count with each of its publishes (RingProducer.publish: the piggybacked credit). W takes the greater of the two words
 * (SendCredit.refresh), and sleeps after SendCredit.request only if there is still no space. The ring has storage
 * behind its first bytes only; the reader puts it behind more when half of them are unread, and W uses more from then
 * on (SendCredit.widen, RingPlaces).
 *
 * The model has no timer. The code wakes a starved writer every 10 ms anyway, so a lost notice would cost time
 * and not hang; the model shows that the timer is not needed for that.
 *
 * The model's step is half of what is in use. The code's is a quarter, which gives credit earlier.
 *
 *   -DNOFENCE_W   no fence between "I want credit" and the last look
 *   -DNOFENCE_R   no fence between the credit and the look at the wish
 *   -DONEWORD     both threads of the peer write one credit word
 */
#ifndef M
#define M 6
#endif
#define R 4
#ifndef ECHOES
#define ECHOES 2
#endif
byte pos = 0, used = 2;                              /* used: the extent, as the reader reads it when bytes are there */
byte credit = 0, piggyback = 0, committed = 2, request = 0;   /* as everybody can see them */
byte consumed = 0;                                   /* inside the peer's process */
byte sbCredit = 255, sbRequest = 255;                   /* store buffers of the two that sleep or wake */
bool notice = false;

active proctype flushPeer() { end: do :: atomic { sbCredit != 255 -> credit = sbCredit; sbCredit = 255 } od }
active proctype flushWriter() { end: do :: atomic { sbRequest != 255 -> request = sbRequest; sbRequest = 255 } od }

#ifdef NOFENCE_W
#define FENCE_W skip
#else
#define FENCE_W (sbRequest == 255)
#endif
#ifdef NOFENCE_R
#define FENCE_R skip
#else
#define FENCE_R (sbCredit == 255)
#endif

inline lookForSpace() {
  if :: credit > known -> known = credit :: else fi;
  if :: piggyback > known -> known = piggyback :: else fi;
  assert(known <= pos);
  limit = (known >= since -> known + used : base + used);
  if
  :: pos >= limit && committed > used && (known > since || since == 0) ->
     atomic { base = pos - used; since = pos; used = committed };
     limit = (known >= since -> known + used : base + used)
  :: else
  fi
}

active proctype writer() {
  byte known = 0, limit = 0, wishes = 0, base = 0, since = 0;
  do
  :: pos == M -> break
  :: pos < M ->
     lookForSpace();
     if
     :: pos < limit -> pos++
     :: else ->
        wishes++;
        atomic { sbRequest == 255 -> sbRequest = wishes };
        FENCE_W;
        lookForSpace();
        if
        :: pos < limit
        :: else -> atomic { notice -> notice = false }   /* sleep */
        fi
     fi
  od
}

inline giveCredit() {
  atomic { sbCredit == 255 -> sbCredit = consumed };
  credited = consumed;
  FENCE_R;
  w = request;
  if
  :: w != answered -> answered = w; notice = true
  :: else
  fi
}

active proctype peerReader() {
  byte p = 0, n = 0, credited = 0, answered = 0, w = 0, extent = 2;
  do
  :: consumed == M -> break
  :: pos > consumed ->
     p = pos;
     extent = used;
     if
     :: n = p - consumed            /* all there is */
     :: n = 1
     fi;
     consumed = consumed + n;
     if
     :: consumed - credited >= extent / 2 -> giveCredit()
     :: consumed - credited < extent / 2 && request != answered -> giveCredit()
     :: else
     fi;
     if
     :: committed < R && (p - consumed + n) * 2 >= committed ->
          committed = R
     :: else
     fi
  od
}

/* writes now and then, and tells what the reader has taken out */
active proctype peerWriter() {
  byte taken = 0, times = 0;
  do
  :: times < ECHOES ->
     times++;
     taken = consumed;
#ifdef ONEWORD
     credit = taken
#else
     piggyback = taken
#endif
  :: times == ECHOES -> break
  od
}
