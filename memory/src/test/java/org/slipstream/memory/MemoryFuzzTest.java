package org.slipstream.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;
import org.slipstream.transport.Link;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.PeerMemory;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * A peer says anything, to a process that exports a region and has asked for one of the peer's. The
 * answer is a frame, an IOException for its session, or nothing; and when the session is over,
 * nothing is mapped on either side.
 */
class MemoryFuzzTest {
  private static final int SECRET_AT = MemoryFrame.HEADER_BYTES + 1 + Long.BYTES;
  private static final int HERE = 0xEEEEEEEE;
  private static final int LARGEST = 1 << 16;
  private static final int CHUNKS = 2;

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final List<ByteBuffer> sent = new ArrayList<>();
  private final List<Arena> arenas = new ArrayList<>();

  @FuzzTest
  void anyFramesAreAnsweredOrAnIoException() {
    Fuzzer.hex("memory")
        .allocating(8 << 20)
        .reaching(
            "mapped by its name",
            "mapped with a grant",
            "refused",
            "unmapped again",
            "ours is mapped",
            "ours is refused",
            "ours can not be mapped",
            "ours is revoked",
            "a chunk is taken",
            "a chunk is found",
            "a chunk is given back")
        .run(this::take);
  }

  private void take(byte[] input, Trace trace) {
    sent.clear();
    arenas.clear();
    tasks.clear();
    Exports exports = new Exports();
    Region region =
        new Region(
            "r",
            () -> Owner.process(1),
            new Memory(),
            Right.bits(Set.of(Right.READ)),
            exports::remove);
    exports.add(region);
    final byte[] secret =
        HexFormat.of().parseHex(region.grant(EnumSet.allOf(Right.class)).secret());
    Peer peer = new Peer();
    Imports imports = new Imports(Media.of("fake", new Endpoint(peer)), new Loop());
    MapRequest ours =
        new MapRequest(
            Owner.process(2),
            new MemoryFrame.Request(MemoryFrame.VERSION, 0, MemoryFrame.NO_SECRET, "theirs"));
    imports.ask(ours);
    Questions questions = new Questions(Media.of("fake", new Endpoint(peer)), new Loop());
    List<Region> given = new ArrayList<>();
    ServerBook book = new ServerBook(LARGEST, given::add);
    for (int i = 0; i < CHUNKS; i++) {
      book.add(new Region("chunk-" + i, () -> Owner.process(1), new Memory(), 0, chunk -> {}));
    }
    questions.answerWith(book);
    questions.askAll(ServerBook.ROLE, "hail ");
    PeerFrames frames = new PeerFrames(exports, imports, questions);
    run();
    try {
      ByteBuffer in = ByteBuffer.wrap(input);
      while (in.hasRemaining()) {
        byte[] frame = new byte[Math.min(Byte.toUnsignedInt(in.get()), in.remaining())];
        in.get(frame);
        ByteBuffer prepared = ByteBuffer.wrap(frame);
        if (frame.length >= SECRET_AT + secret.length && prepared.getInt(SECRET_AT) == HERE) {
          prepared.put(SECRET_AT, secret);
        }
        int before = region.mappings();
        frames.received(peer, prepared);
        run();
        look(trace, region.mappings() - before, ours);
        look(trace, given);
      }
    } catch (IOException e) {
      assertThat(e.getMessage()).isNotBlank();
      trace.refused(e.getMessage());
    }
    frames.lost(peer);
    run();
    assertThat(region.mappings()).as("what the peer has mapped").isZero();
    assertThat(arenas).as("what we have mapped").noneMatch(arena -> arena.scope().isAlive());
    assertThat(ours.isOpen()).as("the question").isFalse();
    assertThat(book.freeChunks() + given.size())
        .as("chunks that no process holds")
        .isEqualTo(CHUNKS);
  }

  private void run() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      task.run();
    }
  }

  private void look(Trace trace, int more, MapRequest ours) {
    if (more > 0) {
      int rights = sent.getLast().get(MemoryFrame.HEADER_BYTES);
      trace.reached(rights == 1 ? "mapped by its name" : "mapped with a grant");
    } else if (more < 0) {
      trace.reached("unmapped again");
    } else if (sent.getLast().get(0) == MemoryFrame.REFUSED) {
      trace.reached("refused");
    }
    if (!ours.isOpen()) {
      boolean unmapped = sent.getLast().get(0) == MemoryFrame.UNMAPPED;
      if (arenas.isEmpty()) {
        trace.reached("ours is refused");
      } else if (arenas.getLast().scope().isAlive()) {
        trace.reached("ours is mapped");
      } else if (unmapped) {
        trace.reached(wasMapped ? "ours is revoked" : "ours can not be mapped");
      }
    }
  }

  private void look(Trace trace, List<Region> given) {
    ByteBuffer last = sent.getLast();
    if (!given.isEmpty()) {
      trace.reached("a chunk is given back");
    } else if (last.get(0) == MemoryFrame.ANSWER) {
      String said = MemoryFrame.readText(last.duplicate().position(MemoryFrame.HEADER_BYTES));
      if (said.startsWith("chunk 0 ")) {
        trace.reached("a chunk is taken");
      } else if (said.startsWith("chunk ")) {
        trace.reached("a chunk is found");
      }
    }
  }

  /** Whether the last mapping of ours came about. */
  private boolean wasMapped;

  private static final class Memory implements OwnMemory {
    private final MemorySegment segment = MemorySegment.ofArray(new byte[64]);

    @Override
    public MemorySegment segment() {
      return segment;
    }

    @Override
    public void describe(Session to, String grant, MemoryAccess access, ByteBuffer out) {
      out.putInt(7);
    }

    @Override
    public boolean revoke(Session from, String grant) {
      return false;
    }

    @Override
    public void close() {}
  }

  private final class Peer implements Session {
    @Override
    public ProcessId peer() {
      return new ProcessId(1, 2);
    }

    @Override
    public String transportName() {
      return "fake";
    }

    @Override
    public void send(ByteBuffer frame) {
      assertThat(frame.remaining()).isLessThanOrEqualTo(MAX_FRAME_BYTES);
      sent.add(frame);
    }

    @Override
    public Window allocateWindow() throws IOException {
      throw new IOException("none");
    }

    @Override
    public Link join(Window own, ByteBuffer peerDescriptor) throws IOException {
      throw new IOException("none");
    }

    @Override
    public void abort(String cause) {}

    @Override
    public boolean isOpen() {
      return true;
    }
  }

  private final class Endpoint implements MemoryEndpoint {
    private final Session peer;

    Endpoint(Session peer) {
      this.peer = peer;
    }

    @Override
    public Closeable announceOwner(String owner) {
      return () -> {};
    }

    @Override
    public int findOwner(String owner, Consumer<Session> answer, Runnable lost) {
      answer.accept(peer);
      return 1;
    }

    @Override
    public OwnMemory allocateMemory(long bytes) {
      return new Memory();
    }

    @Override
    public PeerMemory mapMemory(
        Session owner, ByteBuffer descriptor, long bytes, boolean writable, Arena arena)
        throws IOException {
      arenas.add(arena);
      wasMapped = bytes > 0 && bytes <= LARGEST && descriptor.remaining() == Integer.BYTES;
      if (!wasMapped) {
        throw new IOException("no such memory");
      }
      MemorySegment memory = arena.allocate(bytes);
      return () -> memory;
    }

    @Override
    public Closeable announce(InetSocketAddress address) {
      return () -> {};
    }

    @Override
    public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
      return false;
    }

    @Override
    public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
      return 0;
    }

    @Override
    public void close() {}
  }

  private final class Loop implements Reactor {
    @Override
    public SelectionKey register(SelectableChannel channel, int ops, Handler handler)
        throws IOException {
      throw new IOException("there are no channels");
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public void schedule(long delayNanos, Runnable task) {
      tasks.add(task);
    }

    @Override
    public boolean inReactor() {
      return true;
    }
  }
}
