/* path.pml - which process gets the first control byte, if two networks have equal addresses?
 *
 * A client (namespace A) has a TCP connection C:c -> S:s. Two servers (namespaces B and N) have the address S, port s
 * and an accepted connection from C:c: the one that the client's packets reach, and a neighbour, whose own client
 * (namespace E) has the client's address too. All share a runtime directory, so each server may get the client's offer
 * and match it by the four numbers. Bytes and counts of the two connections are equal at all times.
 *
 * What a kernel does with a packet is decided by where it comes from and by its address, not by its port:
 *   reach[x] is where packets from x to the other side's address arrive.
 *
 *   (no flag)      a server in another namespace accepts after the client has read its secret from a socket at S,
 *                  connected from C: holds
 *   -DTUPLE        equal addresses and ports are taken for proof: breaks
 *   -DANYSOURCE    one server's secret is the same as another's (a secret of the address): breaks
 *   -DPORTS        the network between routes by port, in the client's direction only: holds, because the answer of
 *                  the wrong server does not come back
 *   -DPORTS -DBOTH ... and in the other direction too: breaks, and is what remains
 */
#define A 0     /* the client */
#define E 1     /* the neighbour's client */
#define B 2     /* the server that the client is connected to */
#define N 3     /* the neighbour */

byte stream_to[2];      /* where the segments of a client's stream arrive */
byte probe_to[2];       /* where a connection to another port of S arrives */
byte stream_back[4];    /* where the segments of a server's accepted stream arrive */
byte probe_back[4];     /* where the answer to a connection to another port arrives */

mtype = { OFFER, PROBE, PROVEN, WITHDRAW, ACCEPT };
chan up = [4] of { mtype, byte, byte };     /* client to server: kind, server */
chan down = [4] of { mtype, byte, byte };   /* server to client: kind, server, secret */

byte accepted_from = 255;
bool marked = false;

/* A connection from A to another port of S: the secret of the process that listens there, if the answer comes back. */
inline connect(server, read) {
  read = 255;
  if
  :: probe_back[probe_to[A]] == A && probe_to[A] == server ->
#ifdef ANYSOURCE
    read = 7
#else
    read = server
#endif
#ifdef ANYSOURCE
  :: probe_back[probe_to[A]] == A && probe_to[A] != server -> read = 7   /* it has a beacon of the same secret open */
#endif
  :: else -> skip
  fi
}

proctype server(byte me) {
  byte x; byte who;
  do
  :: up ?? OFFER, eval(me), x ->
    /* It has an accepted stream of the four numbers. */
#ifdef TUPLE
    down ! ACCEPT, me, 0
#else
#ifdef ANYSOURCE
    down ! PROBE, me, 7
#else
    down ! PROBE, me, me
#endif
  :: up ?? PROVEN, eval(me), x -> down ! ACCEPT, me, 0
  :: up ?? WITHDRAW, eval(me), x -> skip
#endif
  :: marked -> break
  :: timeout -> break
  od
}

proctype client() {
  byte from; byte secret; byte read;
  up ! OFFER, B, 0;
  up ! OFFER, N, 0;
  do
  :: down ? PROBE, from, secret ->
    connect(from, read);
    if
    :: read == secret -> up ! PROVEN, from, 0
    :: else -> up ! WITHDRAW, from, 0
    fi
  :: down ? ACCEPT, from, secret ->
    /* MARK, the nonce of `from`, goes to the process that the stream's segments reach. */
    assert(stream_to[A] == from);
    marked = true;
    break
  :: timeout -> break
  od
}

init {
  atomic {
    /* Two networks that are not connected. */
    stream_to[A] = B; stream_back[B] = A;
    stream_to[E] = N; stream_back[N] = E;
    probe_to[A] = B; probe_to[E] = N;
    probe_back[B] = A; probe_back[N] = E;
#ifdef PORTS
    if
    :: probe_to[A] = N
    :: skip
    fi;
#ifdef BOTH
    if
    :: probe_back[N] = A
    :: skip
    fi;
#endif
#endif
    run server(B);
    run server(N);
    run client()
  }
}
