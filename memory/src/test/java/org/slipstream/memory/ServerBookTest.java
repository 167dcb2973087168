package org.slipstream.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;

/** Whose leases end with what: with a session, or with an entry of the directory. */
class ServerBookTest {
  private static final String A = "00112233445566778899aabbccddeeff";
  private static final String B = "ffeeddccbbaa99887766554433221100";
  private static final int CHUNKS = 4;

  private final List<String> watched = new ArrayList<>();
  private final List<Region> ended = new ArrayList<>();

  /** Whether there is no memory for the next call. */
  private boolean isShort;

  private void failIfShort() {
    if (isShort) {
      isShort = false;
      throw new OutOfMemoryError("as a test has it");
    }
  }

  private final ServerBook book =
      new ServerBook(
          4096,
          chunk -> {
            failIfShort();
            ended.add(chunk);
          },
          holder -> {
            failIfShort();
            watched.add(holder);
          });
  private final Session one = session();
  private final Session other = session();

  private record Memory(MemorySegment segment) implements OwnMemory {
    @Override
    public void describe(Session to, String grant, MemoryAccess access, ByteBuffer out) {}

    @Override
    public boolean revoke(Session from, String grant) {
      return true;
    }

    @Override
    public void close() {}
  }

  private static Session session() {
    return (Session)
        Proxy.newProxyInstance(
            Session.class.getClassLoader(),
            new Class<?>[] {Session.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" ->
                      System.identityHashCode(proxy) == System.identityHashCode(arguments[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @BeforeEach
  void chunks() {
    for (int i = 0; i < CHUNKS; i++) {
      Owner owner = Owner.at(new InetSocketAddress("10.0.0.1", 7000));
      Memory memory = new Memory(Arena.ofAuto().allocate(64));
      book.add(new Region("chunk-" + i, () -> owner, memory, 0, closed -> {}));
    }
  }

  private String ask(Session from, String question) throws IOException {
    return book.answer(from, question);
  }

  private String take(Session from, String as, String label) throws IOException {
    String answer = ask(from, as + "take 1 0 1 1 " + label);
    assertThat(answer).startsWith("chunk 0 ");
    return Grant.decode(answer.substring("chunk 0 ".length())).region();
  }

  private List<String> endedNames() {
    return ended.stream().map(Region::name).toList();
  }

  @Test
  void aLeaseOfAnEntryEndsWithItAndNotWithTheSessionThatAsked() throws Exception {
    String ofA = take(one, "as " + A + " ", "label");
    String ofB = take(one, "as " + B + " ", "");
    String ofSession = take(one, "", "");
    assertThat(watched).containsExactly(A, B);
    book.lost(one);
    assertThat(endedNames()).containsExactly(ofSession);
    assertThat(ask(other, "find 0 label")).startsWith("chunk 1 ");
    book.gone(A);
    assertThat(endedNames()).containsExactly(ofSession, ofA);
    assertThat(ask(other, "find 0 label")).isEqualTo("none");
    book.gone(A);
    book.gone(B);
    assertThat(endedNames()).containsExactly(ofSession, ofA, ofB);
  }

  /** The entry may be gone by the time its lease is made: then the watch hears so at once. */
  @Test
  void anEntryIsWatchedOnceUntilItIsGone() throws Exception {
    take(one, "as " + A + " ", "");
    take(one, "as " + A + " ", "");
    assertThat(watched).containsExactly(A);
    book.gone(A);
    assertThat(ended).hasSize(2);
    take(one, "as " + A + " ", "");
    assertThat(watched).containsExactly(A, A);
  }

  @Test
  void onlyItsHolderGivesAChunkBackOverWhicheverSession() throws Exception {
    String chunk = take(one, "as " + A + " ", "");
    assertThat(ask(one, "give 1 " + chunk)).isEqualTo("none");
    assertThat(ask(one, "as " + B + " give 1 " + chunk)).isEqualTo("none");
    assertThat(ask(other, "as " + A + " give 1 " + chunk)).isEqualTo("ok");
    assertThat(endedNames()).containsExactly(chunk);
    assertThat(ask(other, "as " + A + " give 1 " + chunk)).isEqualTo("none");
  }

  /** Its answer was lost, and the chunk has been lent to the same holder meanwhile. */
  @Test
  void whatIsGivenBackTwiceIsNotTakenFromTheNextReservation() throws Exception {
    String chunk = take(one, "as " + A + " ", "");
    ask(one, "as " + A + " give 1 " + chunk);
    while (book.freeChunks() > 0) {
      ask(one, "as " + B + " take 7 0 1 1 ");
    }
    ended.forEach(book::add);
    assertThat(ask(other, "as " + A + " take 2 0 1 1 ")).contains(chunk);
    assertThat(ask(other, "as " + A + " give 1 " + chunk)).isEqualTo("none");
    assertThat(ask(other, "as " + A + " give 2 " + chunk)).isEqualTo("ok");
  }

  /** Of a take whose answer was lost, its holder does not know the chunk. */
  @Test
  void allOfAReservationIsGivenBackWithoutNames() throws Exception {
    String first = take(one, "as " + A + " ", "");
    String second = take(one, "as " + A + " ", "");
    ask(one, "as " + A + " take 2 0 1 1 ");
    assertThat(ask(one, "as " + B + " give 1 ")).isEqualTo("none");
    assertThat(ask(one, "as " + A + " give 1 ")).isEqualTo("ok");
    assertThat(endedNames()).containsExactlyInAnyOrder(first, second);
    assertThat(ask(one, "as " + A + " give 1 ")).isEqualTo("none");
  }

  @Test
  void aLeaseEndsByTheNextCallIfThereWasNoMemoryForItsEnd() throws Exception {
    String first = take(one, "", "");
    String second = take(one, "", "");
    isShort = true;
    assertThatThrownBy(() -> ask(one, "give 1 " + first)).isInstanceOf(OutOfMemoryError.class);
    assertThat(ask(one, "give 1 " + first)).isEqualTo("ok");
    isShort = true;
    assertThatThrownBy(() -> book.lost(one)).isInstanceOf(OutOfMemoryError.class);
    book.lost(one);
    book.lost(one);
    assertThat(endedNames()).containsExactly(first, second);
  }

  @Test
  void aHolderIsWatchedByTheNextCallIfThereWasNoMemoryForIt() throws Exception {
    isShort = true;
    assertThatThrownBy(() -> ask(one, "as " + A + " take 1 0 1 1 "))
        .isInstanceOf(OutOfMemoryError.class);
    take(one, "as " + A + " ", "");
    assertThat(watched).containsExactly(A);
    assertThat(book.freeChunks()).isEqualTo(CHUNKS - 1);
  }

  @Test
  void withoutADirectoryNoEntryHoldsAnything() throws Exception {
    ServerBook ofHost = new ServerBook(4096, ended::add);
    assertThat(ofHost.answer(one, "as " + A + " take 1 0 1 1 ")).isEqualTo("none");
    assertThat(ofHost.answer(one, "as " + A + " give 1 chunk-0")).isEqualTo("none");
  }

  @Test
  void nonsenseEndsTheSession() {
    for (String bad : Set.of("as", "as " + A, "as x take 1 0 1 1 ", "as " + A + " hail ")) {
      assertThatThrownBy(() -> ask(one, bad)).as(bad).isInstanceOf(IOException.class);
    }
    assertThat(watched).isEmpty();
  }
}
