/* translate.pml - which process gets the first control byte, if addresses are translated between the two ends?
 *
 * A client has a TCP connection to the address of a service. Its true peer T has accepted it and may run Slipstream or
 * not. Three other processes share the directory: F, a forwarder's target, has a connection of the forwarder that shows
 * the client's own address and port; M has one of another client, masqueraded as ours; L lies. T's connection may end at
 * any time, and another client's may then have its addresses and ports there.
 *
 * A name is the number of a connection's first segment: a half that is told in SEEK, which is equal for all here, and
 * the rest. 1 is the rest of our connection.
 *
 *   (no flag)      the client compares the rest in FOUND, and the server the one in CLAIM: holds
 *   -DSOURCE       connections are named by the client's address and port as the server sees them: breaks
 *   -DTRUST        the client does not compare the rest: breaks
 *   -DNOCOMPARE    the server claims what has the addresses by now: breaks
 *   -DGUESS        the liar may say any number: breaks, and is what remains (one try in 2^16, times the clock)
 */
#define T 0
#define F 1
#define M 2
#define L 3
#define OURS 1

mtype = { SEEK, FOUND, CLAIM, ACCEPT, REFUSE };
chan up[4] = [2] of { mtype, byte };     /* client to process: kind, rest */
chan down = [8] of { mtype, byte, byte };  /* process to client: kind, process, rest */

byte rest[4];          /* of the connection that a process has accepted */
bool joined_ours[4];   /* the link that it accepted is that of our connection */
bool runs_slipstream;
bool marked = false;

proctype process(byte me) {
  byte r;
  do
  :: up[me] ? SEEK, _ ->
    if
    :: me == L ->
#ifdef GUESS
      if :: r = 1 :: r = 2 :: r = 9 fi;
#else
      r = 9;
#endif
      down ! FOUND, me, r
    :: else ->
#ifdef SOURCE
      down ! FOUND, me, OURS
#else
      down ! FOUND, me, rest[me]
#endif
    fi
  :: up[me] ? CLAIM, r ->
    atomic {
      if
#if defined(NOCOMPARE) || defined(SOURCE)
      :: true ->
#else
      :: me == L || rest[me] == r ->
#endif
        joined_ours[me] = (me == T && rest[me] == OURS);
        down ! ACCEPT, me, r
#if !defined(NOCOMPARE) && !defined(SOURCE)
      :: else -> down ! REFUSE, me, r
#endif
      fi
    }
  :: timeout -> break
  od
}

/* The server's program closes our connection, and accepts another one of the same addresses. */
proctype another() {
  if
  :: rest[T] = 5
  :: skip
  fi
}

proctype client() {
  byte from; byte r;
  bool claimed = false;
  if :: runs_slipstream -> up[T] ! SEEK, 0 :: else fi;
  up[F] ! SEEK, 0;
  up[M] ! SEEK, 0;
  up[L] ! SEEK, 0;
  do
  :: down ? FOUND, from, r ->
    if
#ifdef TRUST
    :: !claimed ->
#else
    :: !claimed && r == OURS ->
#endif
      claimed = true;
      up[from] ! CLAIM, r
    :: else -> skip
    fi
  :: down ? REFUSE, from, r -> break
  :: down ? ACCEPT, from, r ->
    /* MARK goes to the process that the connection leads to. */
    assert(from == T && joined_ours[T]);
    marked = true;
    break
  :: timeout -> break
  od
}

init {
  atomic {
    rest[T] = OURS; rest[F] = 2; rest[M] = 3; rest[L] = 4;
    if :: runs_slipstream = true :: runs_slipstream = false fi;
    if :: runs_slipstream -> run process(T); run another() :: else fi;
    run process(F);
    run process(M);
    run process(L);
    run client()
  }
}
