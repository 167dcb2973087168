package org.slipstream.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;

/** What has to be heard, over sessions that end before it is answered. */
class QuestionsTest {
  private static final Owner OWNER = Owner.process(7);

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final List<String> said = new ArrayList<>();
  private final Set<String> over = new HashSet<>();
  private long id;
  private int searches;

  /** With which the owner is found; null while it is not. */
  private @Nullable Session there;

  private final Questions questions =
      new Questions(
          Media.of(
              "fake",
              fake(
                  MemoryEndpoint.class,
                  (proxy, method, arguments) ->
                      switch (method.getName()) {
                        case "meetsByAddress" -> false;
                        case "findOwner" -> find(arguments);
                        default -> throw new UnsupportedOperationException(method.getName());
                      })),
          fake(
              Reactor.class,
              (proxy, method, arguments) -> tasks.add((Runnable) arguments[arguments.length - 1])));

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @SuppressWarnings("unchecked") // the second parameter of findOwner
  private int find(Object[] arguments) {
    searches++;
    if (there == null) {
      return 0;
    }
    ((Consumer<Session>) arguments[1]).accept(there);
    return 1;
  }

  private Session session(String name) {
    return fake(
        Session.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "hashCode" -> name.hashCode();
              case "equals" ->
                  System.identityHashCode(proxy) == System.identityHashCode(arguments[0]);
              case "isOpen" -> !over.contains(name);
              case "send" -> {
                ByteBuffer frame = ((ByteBuffer) arguments[0]).duplicate();
                assertThat(frame.get()).isEqualTo(MemoryFrame.ASK);
                id = frame.getLong();
                said.add(name + ": " + MemoryFrame.readText(frame));
                yield null;
              }
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  private void run() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      task.run();
    }
  }

  @Test
  void whatWasNotAnsweredIsSaidAgainOverTheNextSession() throws Exception {
    Session first = session("first");
    Session second = session("second");
    there = second;
    questions.tell(first, OWNER, "give 1 c");
    run();
    assertThat(said).containsExactly("first: give 1 c");
    questions.lost(first);
    run();
    assertThat(said).containsExactly("first: give 1 c", "second: give 1 c");
    questions.answered(second, id, ByteBuffer.wrap("ok".getBytes(StandardCharsets.UTF_8)));
    questions.lost(second);
    run();
    assertThat(said).as("it was answered").hasSize(2);
  }

  @Test
  void anOwnerThatIsNotThereIsLookedForSomeTimes() {
    over.add("first");
    questions.tell(session("first"), OWNER, "give 1 c");
    run();
    assertThat(said).isEmpty();
    assertThat(searches).isEqualTo(7);
    there = session("second");
    over.clear();
    questions.tell(session("second"), OWNER, "give 1 d");
    run();
    assertThat(said).containsExactly("second: give 1 d");
  }
}
