/* failover.pml - for links that lose bytes (RDMA, NTB; not used by shared memory, whose stores are never lost).
 *
 * The sender publishes positions 1..M over a link that may die at any moment. What is in flight then lands late, in
 * order, or never. The receiver answers with the position that it has, and the sender goes on from there on the
 * TCP connection. The program at the receiver must get 1..M once, in order, and nothing that was damaged.
 *
 *   (no flag)    the receiver fences the link, THEN latches the published position, reports it, and reads the ring
 *                up to it and no further
 *   -DNOFENCE    it latches while late writes can still land
 *   -DCONSUMED   it reports what it has consumed, but still empties the ring
 *   -DHOLE       NTB: data may be lost while the later position arrives
 *     -DVERIFIED ... and a position counts only if the data before it was checked
 *   -DHALFCLOSE  the sender had already shut down its output on the TCP connection
 */
#define M 3
chan link = [4] of { byte, bool };       /* position, data intact */
chan tcp = [8] of { byte };
chan report = [1] of { byte };
byte published = 0;
bool intact[5];
bool dead = false, lost = false, fenced = false, finSent = false;

active proctype wire() {
  byte p; bool good;
  end: do
  :: atomic { link?p,good ->
       if :: !fenced && !lost -> intact[p] = good; published = p :: else fi }
  :: atomic { dead && nempty(link) -> link?p,good; lost = true }
  od
}

active proctype breaker() { dead = true }

active proctype sender() {
  byte i = 0, r;
  do
  :: i < M && !dead ->
     i++;
     if
     :: link!i,true
#if defined(HOLE) && !defined(VERIFIED)
     :: link!i,false
#endif
     fi
#ifdef HALFCLOSE
  :: i == M && !finSent -> finSent = true
#endif
  :: dead -> break
  od;
  report?r;
  assert(r <= M);
  do
  :: r < M -> assert(!finSent); r++; tcp!r
  :: r == M -> break
  od
}

active proctype receiver() {
  byte got = 0, upTo = 0, b;
  do
  :: got < published -> got++; assert(intact[got])
  :: dead -> break
  od;
#ifndef NOFENCE
  fenced = true;
#endif
#ifdef CONSUMED
  report!got;
  do :: got < published -> got++ :: got >= published -> break od;
#else
  upTo = published;
  report!upTo;
#ifdef NOFENCE
  do :: got < published -> got++ :: got >= published && got >= upTo -> break od;
#else
  do :: got < upTo -> got++; assert(intact[got]) :: got == upTo -> break od;
#endif
#endif
  do
  :: got == M -> break
  :: got < M -> tcp?b; assert(b == got + 1); got = b
  od;
  empty(tcp)
}
