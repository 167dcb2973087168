package org.slipstream.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.HandshakeMessage.Kind;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;

/** Who gets a session, and who can end one: both ends of the handshake, without a fabric. */
class DoorTest {
  private static final long SECOND = 1_000_000_000L;
  private static final InetAddress CLIENT = InetAddress.ofLiteral("10.0.0.1");
  private static final InetAddress UNEXPECTED = InetAddress.ofLiteral("10.0.0.66");
  private static final FabricKey NONE = FabricKey.of(null);
  private static final FabricKey KEY = FabricKey.of("sixteen bytes and more".getBytes(UTF_8));
  private static final FabricKey OTHER = FabricKey.of("another key of some bytes".getBytes(UTF_8));

  private final ProcessId client = ProcessId.random();
  private final ProcessId server = ProcessId.random();
  private final Set<InetAddress> expected = new HashSet<>();

  /** The address from which each session came; rdma_cm says it. */
  private InetAddress from = CLIENT;

  private long now = Long.MAX_VALUE - 10 * SECOND; // it may pass the end of numbers

  /** What it was ended with. */
  private final class Admitted implements Door.Admitted {
    boolean established = true;
    boolean proven;
    boolean carries;
    @Nullable String end;

    @Override
    public boolean isEstablished() {
      return established;
    }

    @Override
    public boolean isProven() {
      return proven;
    }

    @Override
    public boolean carriesStream() {
      return carries;
    }

    @Override
    public void end(String cause) {
      end = cause;
      door.leave(this);
    }
  }

  private Door<Admitted> door = door(NONE);

  private Door<Admitted> door(FabricKey key) {
    return new Door<>(key, server, expected::contains);
  }

  /** Returns the session; or what was answered. */
  private Object ask(HandshakeMessage request) throws IOException {
    Door.Decision decision = door.decide(HandshakeMessage.read(request.bytes()), from, now);
    Door.Admission admission = decision.admission();
    if (admission == null) {
      return decision.rejection();
    }
    assertThat(decision.rejection()).isNull();
    Admitted admitted = new Admitted();
    admitted.proven = door.isProofNeeded();
    door.enter(admitted, admission, now);
    accepted = admission.answer();
    return admitted;
  }

  private @Nullable HandshakeMessage accepted;

  /** As the connecting process does it; returns the session, or the answer that ended it. */
  private Object connect(FabricKey key, ProcessId process, Token ticket) throws IOException {
    Opening opening = Opening.hello(key, process, 0);
    for (; ; ) {
      Object answer = ask(opening.request());
      if (answer instanceof Admitted) {
        opening.accepted(HandshakeMessage.read(accepted.bytes()));
        return answer;
      }
      HandshakeMessage rejection = HandshakeMessage.read(((HandshakeMessage) answer).bytes());
      Opening next = opening.rejected(rejection);
      if (next == null) {
        if (ticket == null || !opening.mayBeLost()) {
          return rejection;
        }
        next = opening.lost(rejection, ticket);
      }
      opening = next;
    }
  }

  private Admitted enter(FabricKey key) throws IOException {
    return (Admitted) connect(key, ProcessId.random(), null);
  }

  private static @Nullable Refusal refusal(Object answer) {
    assertThat(answer).isInstanceOf(HandshakeMessage.class);
    return RefusedException.of((HandshakeMessage) answer);
  }

  private void assertRefused(Refusal why, FabricKey key) {
    assertThatThrownBy(() -> enter(key))
        .isInstanceOf(RefusedException.class)
        .satisfies(e -> assertThat(RefusedException.of(e)).isEqualTo(why));
  }

  // -- without a key -----------------------------------------------------------------------------

  @Test
  void oneSessionForEachProcessAndAddress() throws Exception {
    assertThat(connect(NONE, client, null)).isInstanceOf(Admitted.class);
    assertThat(((HandshakeMessage) connect(NONE, client, null)).kind()).isEqualTo(Kind.KNOWN);
    from = UNEXPECTED;
    assertThat(connect(NONE, client, null)).as("from another address").isInstanceOf(Admitted.class);
  }

  @Test
  void aPeerWithTheTicketReplacesALostSession() throws Exception {
    Admitted first = (Admitted) connect(NONE, client, null);
    Token ticket = accepted.number();
    Admitted second = (Admitted) connect(NONE, client, ticket);
    assertThat(first.end).isEqualTo("the peer has lost the session");
    assertThat(second.end).isNull();
    assertThat(accepted.number()).as("each session has its own").isNotEqualTo(ticket);
  }

  /** Every process tells its id to each peer that connects to it. */
  @Test
  void aPeerThatKnowsOnlyTheIdEndsNothing() throws Exception {
    Admitted victim = (Admitted) connect(NONE, client, null);
    victim.proven = true;
    for (Token guess : List.of(Token.NONE, Token.random())) {
      assertThat(connect(NONE, client, guess)).isInstanceOf(Admitted.class);
    }
    from = UNEXPECTED;
    assertThat(connect(NONE, client, Token.NONE)).isInstanceOf(Admitted.class);
    assertThat(victim.end).isNull();
  }

  /** Of the same host, for example: another one that was there first with our id. */
  @Test
  void aPeerThatSaysToBeUsDoesNotKeepUsOut() throws Exception {
    Admitted impostor = (Admitted) connect(NONE, client, null);
    Admitted ours = (Admitted) connect(NONE, client, Token.NONE);
    assertThat(impostor.end).isNull();
    Token ticket = accepted.number();
    assertThat(connect(NONE, client, ticket)).isInstanceOf(Admitted.class);
    assertThat(ours.end).isNotNull();
    assertThat(impostor.end).isNull();
  }

  @Test
  void aFloodOfUnexpectedPeersGetsFewSessionsAndThoseNotForLong() throws Exception {
    from = UNEXPECTED;
    List<Admitted> let = new ArrayList<>();
    for (int i = 0; i < Door.MAX_UNEXPECTED_OF_ADDRESS; i++) {
      let.add(enter(NONE));
    }
    for (int i = 0; i < 100; i++) {
      assertRefused(Refusal.BUSY, NONE);
    }
    for (int host = 0; host < 100; host++) {
      from = InetAddress.getByAddress(new byte[] {10, 1, 0, (byte) host});
      try {
        let.add(enter(NONE));
      } catch (RefusedException e) {
        assertThat(e.why()).isEqualTo(Refusal.BUSY);
      }
    }
    assertThat(let).hasSize(Door.MAX_UNEXPECTED);
    expected.add(CLIENT);
    from = CLIENT;
    Admitted wanted = enter(NONE); // the program has a connection from there
    now += Door.UNEXPECTED_NS - 1;
    door.sweep(now);
    assertThat(let).allMatch(g -> g.end == null);
    now += 1;
    door.sweep(now);
    assertThat(let).allMatch(g -> String.valueOf(g.end).startsWith("no TCP connection of 10."));
    assertThat(wanted.end).isNull();
  }

  @Test
  void aSessionThatIsNotEstablishedEndsSoonWhateverItsPeerHasProven() throws Exception {
    door = door(KEY);
    Admitted admitted = enter(KEY);
    admitted.proven = true;
    admitted.established = false;
    now += Door.ESTABLISH_NS - 1;
    door.sweep(now);
    assertThat(admitted.end).isNull();
    now += 1;
    door.sweep(now);
    assertThat(admitted.end).isEqualTo("the peer did not establish it in time");
  }

  @Test
  void oneAddressHasOnlySoManyUnprovenSessions() throws Exception {
    expected.add(CLIENT);
    List<Admitted> let = new ArrayList<>();
    for (int i = 0; i < Door.MAX_UNPROVEN_OF_ADDRESS; i++) {
      let.add(enter(NONE));
    }
    assertRefused(Refusal.BUSY, NONE);
    let.getFirst().proven = true;
    assertThat(enter(NONE).end).isNull();
    now += Door.UNPROVEN_NS;
    let.get(1).carries = true;
    door.sweep(now);
    assertThat(let.get(0).end).as("proven").isNull();
    assertThat(let.get(1).end).as("has a stream").isNull();
    assertThat(let.get(2).end).as("has nothing").isNotNull();
  }

  @Test
  void aProvenSessionMayCarryNothingForMinutesAndGivesWayToNewOnes() throws Exception {
    expected.add(CLIENT);
    List<Admitted> let = new ArrayList<>();
    for (int i = 0; i < Door.MAX_IDLE_OF_ADDRESS + 3; i++) {
      Admitted admitted = enter(NONE);
      admitted.proven = true;
      let.add(admitted);
      now += SECOND;
    }
    assertThat(let.subList(0, 3)).allMatch(g -> "another session needs its place".equals(g.end));
    assertThat(let.subList(3, let.size())).allMatch(g -> g.end == null);
    let.get(5).carries = true;
    assertThat(door.makeRoom(now)).isTrue();
    assertThat(let.get(3).end).as("the oldest").isNotNull();
    now += Door.IDLE_NS;
    door.sweep(now);
    assertThat(let.stream().filter(g -> g.end == null)).containsExactly(let.get(5));
    assertThat(door.makeRoom(now)).isFalse();
    let.get(5).carries = false;
    door.sweep(now + Door.IDLE_NS - 1);
    assertThat(let.get(5).end).as("idle since the last look").isNull();
    door.sweep(now + Door.IDLE_NS);
    assertThat(door.isEmpty()).isTrue();
  }

  @Test
  void whatIsNoRequestIsRefused() throws Exception {
    for (Kind kind : List.of(Kind.KNOWN, Kind.CHALLENGE, Kind.ACCEPT, Kind.REFUSED)) {
      HandshakeMessage odd = HandshakeMessage.of(kind, 0, client, Token.NONE, Proof.NONE);
      assertThat(refusal(ask(odd))).isEqualTo(Refusal.NOT_ALLOWED);
    }
    assertThat(door.isEmpty()).isTrue();
  }

  // -- with a key --------------------------------------------------------------------------------

  @Test
  void aPeerWithTheKeyGetsInAndKnowsThatTheOtherOneHasIt() throws Exception {
    door = door(KEY);
    Admitted first = (Admitted) connect(KEY, client, null);
    assertThat(first.end).isNull();
    Token ticket = accepted.number();
    assertThat(((HandshakeMessage) connect(KEY, client, null)).kind()).isEqualTo(Kind.KNOWN);
    assertThat(connect(KEY, client, ticket)).isInstanceOf(Admitted.class);
    assertThat(first.end).isEqualTo("the peer has lost the session");
  }

  private @Nullable Admitted ofQueue(FabricKey key, long count, Token ticket) throws IOException {
    Token number = new Token(count, 4711);
    Proof proof = key.prove(Kind.QUEUE, 0, client, server, number, ticket);
    HandshakeMessage asked = HandshakeMessage.of(Kind.QUEUE, 0, client, number, proof);
    return door.ofQueue(HandshakeMessage.read(asked.bytes()), from);
  }

  @Test
  void aQueueIsLetInByTheTicketOfItsSessionOnce() throws Exception {
    for (FabricKey key : List.of(KEY, NONE)) {
      door = door(key);
      assertThat(ofQueue(key, 1, Token.NONE)).as("without a session").isNull();
      Object session = connect(key, client, null);
      Token ticket = accepted.number();
      assertThat(ofQueue(key, 1, ticket)).isEqualTo(session);
      assertThat(ofQueue(key, 1, ticket)).as("overheard, and said again").isNull();
      assertThat(ofQueue(key, 3, ticket)).isEqualTo(session);
      assertThat(ofQueue(key, 2, ticket)).isNull();
      assertThat(ofQueue(key, 4, Token.random())).isNull();
      assertThat(ofQueue(OTHER, 4, ticket)).isNull();
      from = UNEXPECTED;
      assertThat(ofQueue(key, 4, ticket)).as("from elsewhere").isNull();
      from = CLIENT;
      ((Admitted) session).end("it is over");
      assertThat(ofQueue(key, 4, ticket)).isNull();
    }
  }

  @Test
  void theWrongKeyAndNoKeyAreRefusedAtTheEndThatAsked() {
    door = door(KEY);
    assertRefused(Refusal.KEY, NONE);
    assertRefused(Refusal.KEY, OTHER);
    door = door(NONE);
    assertRefused(Refusal.KEY, KEY);
  }

  @Test
  void noNumberOfSessionsIsTooManyForTheKey() throws Exception {
    door = door(KEY);
    for (int i = 0; i < 2 * Door.MAX_UNPROVEN_OF_ADDRESS; i++) {
      Admitted admitted = enter(KEY);
      admitted.carries = true;
    }
  }

  @Test
  void anUnprovenPeerWithoutTheKeyIsNotLetInWhateverItSays() throws Exception {
    door = door(KEY);
    for (Kind kind : List.of(Kind.PROVE, Kind.LOST)) {
      for (Token number : List.of(Token.NONE, Token.random(), challenge(client).number())) {
        HandshakeMessage guess = HandshakeMessage.of(kind, 0, client, number, new Proof(1, 2));
        assertThat(refusal(ask(guess))).isEqualTo(Refusal.KEY);
        Proof public_ = NONE.prove(kind, 0, client, server, number, Token.NONE);
        assertThat(refusal(ask(HandshakeMessage.of(kind, 0, client, number, public_))))
            .isEqualTo(Refusal.KEY);
      }
    }
    assertThat(door.isEmpty()).isTrue();
  }

  private HandshakeMessage challenge(ProcessId process) throws IOException {
    return (HandshakeMessage) ask(Opening.hello(KEY, process, 0).request());
  }

  private HandshakeMessage proof(ProcessId process) throws IOException {
    Opening hello = Opening.hello(KEY, process, 0);
    return hello.rejected((HandshakeMessage) ask(hello.request())).request();
  }

  @Test
  void aProofIsGoodOnce() throws Exception {
    door = door(KEY);
    HandshakeMessage proof = proof(client);
    Admitted admitted = (Admitted) ask(proof);
    assertThat(refusal(ask(proof))).as("overheard, and said again").isEqualTo(Refusal.KEY);
    admitted.end("it is over");
    assertThat(refusal(ask(proof))).isEqualTo(Refusal.KEY);
  }

  @Test
  void aProofIsGoodForItsProcessAtItsAddressForAShortTime() throws Exception {
    door = door(KEY);
    HandshakeMessage proof = proof(client);
    HandshakeMessage forged =
        new HandshakeMessage(Kind.PROVE, 0, ProcessId.random(), 0, proof.number(), proof.proof());
    assertThat(refusal(ask(forged))).isEqualTo(Refusal.KEY);
    HandshakeMessage otherKind =
        new HandshakeMessage(Kind.LOST, 0, client, 0, proof.number(), proof.proof());
    assertThat(refusal(ask(otherKind))).isEqualTo(Refusal.KEY);
    from = UNEXPECTED;
    assertThat(refusal(ask(proof))).isEqualTo(Refusal.KEY);
    from = CLIENT;
    now += Challenges.LIFE_NS + 1;
    assertThat(refusal(ask(proof))).isEqualTo(Refusal.KEY);
    door = door(KEY);
    assertThat(refusal(ask(proof))).as("the process was started again").isEqualTo(Refusal.KEY);
  }

  /** An unproven peer answers with what an honest process said to another connect. */
  @Test
  void anAnswerIsGoodForItsRequestOnly() throws Exception {
    door = door(KEY);
    HandshakeMessage old = challenge(client);
    assertThatThrownBy(() -> Opening.hello(KEY, client, 0).rejected(old))
        .hasMessageContaining("does not prove");
    assertThat(connect(KEY, client, null)).isInstanceOf(Admitted.class);
    HandshakeMessage acceptance = accepted;
    Opening hello = Opening.hello(KEY, client, 0);
    assertThatThrownBy(() -> hello.accepted(acceptance)).hasMessageContaining("does not prove");
    Opening prove = hello.rejected((HandshakeMessage) ask(hello.request()));
    assertThatThrownBy(() -> prove.accepted(acceptance)).hasMessageContaining("does not prove");
    // One that passes the challenge on, and then takes the place of the honest one.
    HandshakeMessage impostor =
        HandshakeMessage.of(
            Kind.ACCEPT, 0, ProcessId.random(), acceptance.number(), acceptance.proof());
    assertThatThrownBy(() -> prove.accepted(impostor)).hasMessageContaining("does not prove");
  }

  @Test
  void knownHasToBeProvenToo() throws Exception {
    door = door(KEY);
    Opening hello = Opening.hello(KEY, client, 0);
    Opening prove = hello.rejected((HandshakeMessage) ask(hello.request()));
    HandshakeMessage lie = HandshakeMessage.of(Kind.KNOWN, 0, server, Token.NONE, Proof.NONE);
    assertThatThrownBy(() -> prove.rejected(lie)).hasMessageContaining("does not prove");
  }

  @Test
  void challengesCostTheServerNothing() throws Exception {
    door = door(KEY);
    Set<Token> given = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      given.add(challenge(client).number());
    }
    assertThat(given).as("in one moment").hasSize(10_000);
    assertThat(door.remembered()).isZero();
    ask(proof(client));
    assertThat(door.remembered()).isEqualTo(1);
    now += 2 * Challenges.LIFE_NS;
    ask(proof(ProcessId.random()));
    assertThat(door.remembered()).isEqualTo(1);
  }

  // -- sessions over other ports -----------------------------------------------------------------

  private Object askBeside(FabricKey key, ProcessId process, Token ticket, long count)
      throws IOException {
    Opening rail = Opening.rail(key, process, server, ticket, count, 0);
    Object answer = ask(rail.request());
    if (answer instanceof Admitted) {
      rail.accepted(HandshakeMessage.read(accepted.bytes()));
    }
    return answer;
  }

  @Test
  void theTicketOfAProvenSessionLetsOthersInFromOtherAddresses() throws Exception {
    for (FabricKey key : List.of(NONE, KEY)) {
      door = door(key);
      from = CLIENT;
      Admitted first = (Admitted) connect(key, client, null);
      final Token ticket = accepted.number();
      first.proven = true;
      from = UNEXPECTED;
      Admitted beside = (Admitted) askBeside(key, client, ticket, 1);
      beside.proven = true;
      final Token its = accepted.number();
      assertThat(its).isNotEqualTo(ticket);
      assertThat(refusal(askBeside(key, client, ticket, 1)))
          .as("overheard, and said again")
          .isEqualTo(Refusal.NOT_ALLOWED);
      assertThat(refusal(askBeside(OTHER, client, ticket, 9))).isEqualTo(Refusal.NOT_ALLOWED);
      assertThat(refusal(askBeside(key, client, Token.random(), 9))).isEqualTo(Refusal.NOT_ALLOWED);
      assertThat(refusal(askBeside(key, ProcessId.random(), ticket, 9)))
          .isEqualTo(Refusal.NOT_ALLOWED);
      assertThat(beside.end).isNull();

      Admitted latest = (Admitted) askBeside(key, client, ticket, 2);
      assertThat(beside.end).as("one for each address").isEqualTo("the peer has lost the session");

      // The first one is made again by the ticket of the other.
      final Token other = accepted.number();
      first.end("the link is down");
      assertThat(refusal(askBeside(key, client, other, 1)))
          .as("from the same address")
          .isEqualTo(Refusal.NOT_ALLOWED);
      latest.proven = true;
      from = CLIENT;
      assertThat(askBeside(key, client, other, 2)).isInstanceOf(Admitted.class);
      Object again = connect(key, client, null);
      assertThat(((HandshakeMessage) again).kind())
          .as("it counts as the first")
          .isEqualTo(Kind.KNOWN);
    }
  }

  @Test
  void anUnprovenPeerHasOneSessionOnly() throws Exception {
    Admitted first = (Admitted) connect(NONE, client, null);
    Token ticket = accepted.number();
    from = UNEXPECTED;
    assertThat(refusal(askBeside(NONE, client, ticket, 1))).isEqualTo(Refusal.BUSY);
    first.proven = true;
    assertThat(askBeside(NONE, client, ticket, 2)).isInstanceOf(Admitted.class);
  }

  @Test
  void aPeerHasOnlySoManySessions() throws Exception {
    Admitted first = (Admitted) connect(NONE, client, null);
    Token ticket = accepted.number();
    first.proven = true;
    for (int i = 1; i < Door.MAX_RAILS; i++) {
      from = InetAddress.getByAddress(new byte[] {10, 1, 0, (byte) i});
      assertThat(askBeside(NONE, client, ticket, i)).isInstanceOf(Admitted.class);
    }
    from = UNEXPECTED;
    assertThat(refusal(askBeside(NONE, client, ticket, 99))).isEqualTo(Refusal.BUSY);
  }

  @Test
  void oneThatCarriesNothingStaysAsLongAsAnotherCarriesSomething() throws Exception {
    Admitted first = (Admitted) connect(NONE, client, null);
    first.proven = true;
    first.carries = true;
    Token ticket = accepted.number();
    from = UNEXPECTED;
    Admitted beside = (Admitted) askBeside(NONE, client, ticket, 1);
    beside.proven = true;
    assertThat(connect(NONE, client, null))
        .as("it is none of those by which the process is known there")
        .isInstanceOf(Admitted.class);
    now += 2 * Door.IDLE_NS;
    door.sweep(now);
    assertThat(beside.end).isNull();
    first.carries = false;
    door.sweep(now + Door.IDLE_NS);
    assertThat(beside.end).isNotNull();
    assertThat(first.end).isNotNull();
  }
}
