package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.core.api.Reason;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.testkit.transport.HeapWindow;
import org.slipstream.transport.ControlLayout;

/**
 * The file behind a window, or behind both, was truncated: whatever is asked of the stream then,
 * the answer is an {@link IOException} or none at all, and the stream can be closed.
 */
@Timeout(240)
class MemoryFaultTest {
  private static final int WINDOW = ControlLayout.BYTES + Bench.RING;

  /** What was truncated. */
  enum Lost {
    OURS,
    THE_PEERS,
    BOTH
  }

  /** How far the stream has come. */
  enum State {
    JOINED,
    WITH_UNREAD_BYTES,
    SWITCHED,
    FULL,
    LEAVING,
    LINK_LOST
  }

  @TempDir Path temp;
  private final List<FileChannel> files = new ArrayList<>();
  private final List<Bench> benches = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Bench bench : benches) {
      bench.close();
    }
    for (FileChannel file : files) {
      file.close();
    }
  }

  /** Pages of a file: the window's memory is left to the garbage collector, as in the product. */
  private HeapWindow window() throws IOException {
    FileChannel file =
        FileChannel.open(
            Files.createTempFile(temp, "window", ""),
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    files.add(file);
    file.write(ByteBuffer.allocate(WINDOW));
    return new HeapWindow(file.map(MapMode.READ_WRITE, 0, WINDOW, Arena.ofAuto()));
  }

  private Bench bench(State state, boolean blocking) throws IOException {
    HeapWindow ours = window();
    HeapWindow theirs = window();
    HeapLink.Pair pair = new HeapLink.Pair(new HeapLink(ours, theirs), new HeapLink(theirs, ours));
    Bench b = Bench.over(true, pair);
    benches.add(b);
    if (!blocking) {
      b.nonBlocking();
    }
    b.attached();
    if (state == State.JOINED) {
      return b;
    }
    b.write("one", false);
    b.peerSwitchesAt(0);
    b.toRing("hello");
    assertThat(b.readFully(5)).isEqualTo("hello");
    switch (state) {
      case WITH_UNREAD_BYTES -> b.toRing("unread");
      case FULL ->
          assertThat(b.stream.write(ByteBuffer.allocate(2 * Bench.RING), false)).isPositive();
      case LEAVING -> b.wireAndWait(b.back(5));
      case LINK_LOST -> {
        b.link.markRevoked();
        b.stream.nudge();
        b.wireAndWait(b.back(5));
        b.read(1, false);
        b.link.markDead();
      }
      default -> assertThat(b.stream.status().isAccelerated()).isTrue();
    }
    return b;
  }

  private void truncate(Lost lost) throws IOException {
    if (lost != Lost.THE_PEERS) {
      files.get(files.size() - 2).truncate(0);
    }
    if (lost != Lost.OURS) {
      files.getLast().truncate(0);
    }
  }

  static Stream<Arguments> cases() {
    return Arrays.stream(State.values())
        .flatMap(state -> Arrays.stream(Lost.values()).map(lost -> Arguments.of(state, lost)));
  }

  /** All of them, so that a new one is tested, too. */
  private static List<Method> questions() {
    return Stream.of(
            org.slipstream.core.stream.Stream.class,
            Readiness.class,
            UrgentData.class,
            NoDelay.class)
        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
        .filter(m -> Modifier.isPublic(m.getModifiers()) && !Modifier.isStatic(m.getModifiers()))
        .filter(m -> !m.isSynthetic())
        .toList();
  }

  @ParameterizedTest(name = "{0}, {1} truncated")
  @MethodSource("cases")
  void whateverIsAskedAnswersOrIsAnIoException(State state, Lost lost) throws Exception {
    assertThat(questions()).hasSizeGreaterThan(30);
    for (Method question : questions()) {
      Bench b = bench(state, false);
      truncate(lost);
      ask(b, question);
      b.stream.close(false);
      assertThat(b.stream.isOpen()).as("%s, and then close", question).isFalse();
      assertThat(b.stream.tcp().isOpen()).as("%s, and then close", question).isFalse();
      b.wire.close();
    }
  }

  private static void ask(Bench b, Method question) throws Exception {
    Class<?> owner = question.getDeclaringClass();
    Object target =
        owner == Readiness.class
            ? b.stream.readiness()
            : owner == UrgentData.class
                ? b.stream.urgentData()
                : owner == NoDelay.class ? b.stream.noDelay() : b.stream;
    Object[] arguments =
        Arrays.stream(question.getParameterTypes()).map(type -> argument(b, type)).toArray();
    try {
      question.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      assertThat(e.getCause()).as("%s", question).isInstanceOf(IOException.class);
    }
  }

  private static Object argument(Bench b, Class<?> type) {
    if (type == ByteBuffer.class) {
      return ByteBuffer.allocate(100);
    } else if (type == ByteBuffer[].class) {
      return new ByteBuffer[] {ByteBuffer.allocate(10), ByteBuffer.allocate(20_000)};
    } else if (type == boolean.class) {
      return false; // not blocking; an option that is off
    } else if (type == int.class) {
      return 1; // from the second buffer on
    } else if (type == long.class) {
      return 0L; // no deadline
    } else if (type == StreamLink.class) {
      return b.link;
    } else if (type == Reason.class) {
      return Reason.LINK_LOST;
    } else if (type == StreamObserver.class) {
      return (StreamObserver) () -> {};
    } else if (type == IoAction.class) {
      return (IoAction) () -> {};
    } else if (type == RawWriteProbe.class) {
      return new RawWriteProbe() {
        @Override
        public boolean before(SocketChannel tcp, long bytes) {
          return true;
        }

        @Override
        public void after(long total) {}
      };
    } else if (type == PipeAddress.class) {
      return new PipeAddress(PipeAddress.pipe(1, 2), 3, 4);
    }
    throw new AssertionError("What is an example of " + type + "?");
  }

  @ParameterizedTest(name = "{0}, {1} truncated")
  @MethodSource("cases")
  void filesToAndFromTheRingAsWell(State state, Lost lost) throws Exception {
    Path path = Files.write(Files.createTempFile(temp, "file", ""), new byte[30_000]);
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      Bench sending = bench(state, false);
      truncate(lost);
      assertAnswers(
          () -> FileTransfer.send(sending.stream, file, 0, 30_000, false, FileChannel::transferTo));
      sending.stream.close(false);
      Bench receiving = bench(state, false);
      truncate(lost);
      assertAnswers(() -> FileTransfer.receive(receiving.stream, file, 0, 30_000));
      receiving.stream.close(false);
    }
  }

  private static void assertAnswers(Callable<?> question) throws Exception {
    try {
      question.call();
    } catch (IOException e) {
      return; // an answer as well
    }
  }

  @ParameterizedTest(name = "{0}, {1} truncated")
  @MethodSource("cases")
  void aSelectorAndThreadsThatArmAreNotPutToSleepForEver(State state, Lost lost) throws Exception {
    Bench b = bench(state, false);
    truncate(lost);
    Readiness readiness = b.stream.readiness();
    if (readiness.isInboundRing() && lost != Lost.THE_PEERS) {
      assertThat(readiness.readable()).isTrue();
      assertThatThrownBy(() -> b.read(10, false)).isInstanceOf(IOException.class);
    }
    if (readiness.isInboundRing()) {
      assertThat(readiness.armForRead()).isFalse();
    }
    if (readiness.isOutboundRing() && lost != Lost.THE_PEERS) {
      assertThat(readiness.writable()).isTrue();
    }
  }

  @ParameterizedTest(name = "{0} truncated")
  @EnumSource(Lost.class)
  void blockedCallersAreAnsweredToo(Lost lost) throws Exception {
    Bench reader = bench(State.SWITCHED, true);
    truncate(lost);
    assertThatThrownBy(() -> reader.read(10, true)).isInstanceOf(IOException.class);
    assertThat(reader.stream.available()).isZero();
    Bench writer = bench(State.SWITCHED, true);
    truncate(lost);
    assertThatThrownBy(() -> writer.stream.write(ByteBuffer.allocate(2 * Bench.RING), true))
        .isInstanceOf(IOException.class);
    writer.stream.endBeforeReset();
    writer.stream.close(true);
    assertThat(writer.stream.tcp().isOpen()).isFalse();
  }
}
