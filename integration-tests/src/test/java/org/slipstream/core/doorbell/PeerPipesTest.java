package org.slipstream.core.doorbell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.it.WirePage.assertBytes;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.core.session.ControlThread;
import org.slipstream.it.WirePage;
import org.slipstream.transport.Link;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/** What is opened on the word of a peer, and that a pipe that is never emptied stops no writer. */
@Timeout(120)
class PeerPipesTest {
  @TempDir private Path files;

  private final Descriptors descriptors = new ReflectedDescriptors();
  private final FakeSession session = new FakeSession();
  private final PipeOpener opener = new PipeOpener(descriptors, inode -> false);
  private Pipe stranger;
  private OwnPipe own;

  @BeforeEach
  void open() throws IOException {
    SelectorProvider jdk = SelectorProvider.provider();
    stranger = jdk.openPipe();
    stranger.source().configureBlocking(false);
    own = new Doorbells(descriptors, jdk, new ControlThread(jdk.openSelector())).open(jdk);
  }

  @AfterEach
  void close() throws IOException {
    own.close();
    stranger.sink().close();
    stranger.source().close();
  }

  /** A session whose peer is one process, if any. */
  private static final class FakeSession implements Session {
    private long pid;

    @Override
    public boolean isProcess(long asked) {
      return asked == pid;
    }

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
      throw new AssertionError();
    }

    @Override
    public Window allocateWindow() {
      throw new AssertionError();
    }

    @Override
    public Link join(Window own, ByteBuffer peerDescriptor) {
      throw new AssertionError();
    }

    @Override
    public void abort(String cause) {
      throw new AssertionError();
    }

    @Override
    public boolean isOpen() {
      return true;
    }
  }

  private long addressOf(SelectableChannel end) throws IOException {
    return PipeAddress.pipe(ProcPipe.ownPid(), descriptors.number(end));
  }

  private long inodeOf(SelectableChannel end) throws IOException {
    return ProcPipe.inode(ProcPipe.of(ProcPipe.ownPid(), descriptors.number(end)));
  }

  private RandomAccessFile openOwn() throws IOException {
    PipeAddress address = own.address(1);
    PipeOpener allowed = new PipeOpener(descriptors, inode -> inode == address.inode());
    return allowed.open(session, address.pipe(), address.inode());
  }

  // -- what is opened --------------------------------------------------------------------------

  @Test
  void aPipeOfOurOwnThatIsNoDoorbellIsNotOpened() throws IOException {
    long address = addressOf(stranger.sink());
    long inode = inodeOf(stranger.sink());
    assertThatThrownBy(() -> opener.open(session, address, inode))
        .hasMessageContaining("not known to be the peer");
  }

  @Test
  void aPipeOfAnyOtherProcessIsNotOpened() {
    long parent = ProcessHandle.current().parent().orElseThrow().pid();
    assertThatThrownBy(() -> opener.open(session, PipeAddress.pipe(parent, 1), 5))
        .hasMessageContaining("not known to be the peer");
  }

  @Test
  void aDescriptorThatIsNoPipeIsNotOpened() throws IOException {
    Path file = Files.writeString(files.resolve("f"), "untouched");
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      PipeOpener trusting = new PipeOpener(descriptors, inode -> true);
      long address = PipeAddress.pipe(ProcPipe.ownPid(), descriptors.number(open.getFD()));
      assertThatThrownBy(() -> trusting.open(session, address, 1)).hasMessageContaining("no pipe");
    }
    assertThat(file).hasContent("untouched");
  }

  /** A number that is used again after a close. */
  @Test
  void aPipeWithAnotherInodeIsNotOpened() throws IOException {
    PipeOpener trusting = new PipeOpener(descriptors, inode -> true);
    long address = addressOf(stranger.sink());
    long inode = inodeOf(own.source());
    assertThatThrownBy(() -> trusting.open(session, address, inode)).hasMessageContaining("not");
    assertThat(stranger.source().read(ByteBuffer.allocate(8))).as("bytes in it").isZero();
  }

  @Test
  void aDescriptorThatDoesNotExistIsNotOpened() throws IOException {
    session.pid = 0x7fffffff;
    assertThatThrownBy(() -> opener.open(session, PipeAddress.pipe(session.pid, 3), 1))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> opener.open(session, PipeAddress.pipe(session.pid, -1), 1))
        .isInstanceOf(IOException.class);
  }

  /** An ordinary open would wait for a reader for ever. */
  @Test
  void aPipeWithoutAReaderIsOpenedAtOnce() throws IOException {
    PipeOpener trusting = new PipeOpener(descriptors, inode -> true);
    long address = addressOf(stranger.sink());
    long inode = inodeOf(stranger.sink());
    stranger.source().close();
    trusting.open(session, address, inode).close();
  }

  // -- ringing ---------------------------------------------------------------------------------

  @Test
  void aRecordNamesStreamAndArming() throws IOException {
    PeerPipe pipe = new PeerPipe(1, 2);
    assertThat(pipe.ring(5, 6)).as("not open yet").isFalse();
    pipe.opened(openOwn());
    assertThat(pipe.ring(5, 6)).isTrue();
    assertThat(pipe.ring(-7, Integer.MAX_VALUE)).isTrue();
    List<String> heard = new ArrayList<>();
    assertThat(own.drain((token, arming) -> heard.add(token + " " + arming))).isTrue();
    assertThat(heard).containsExactly("5 6", "-7 2147483647");
    pipe.close();
    assertThat(pipe.ring(5, 6)).as("closed").isFalse();
  }

  @Test
  void aRecordIsAsDrawn() throws IOException {
    PeerPipe pipe = new PeerPipe(1, 2);
    pipe.opened(openOwn());
    assertThat(pipe.ring(0x01020304, 0x05060708)).isTrue();
    ByteBuffer written = ByteBuffer.allocate(16);
    own.source().read(written);
    HexFormat hex = HexFormat.of();
    assertBytes(
        "core RUNG",
        WirePage.bytes(written.flip()),
        hex.parseHex("08070605"),
        hex.parseHex("04030201"));
    pipe.close();
  }

  /** The owner does not read, or another process of the user has filled the pipe. */
  @Test
  void aFullPipeStopsNoWriter() throws IOException {
    PeerPipe pipe = new PeerPipe(1, 2);
    pipe.opened(openOwn());
    int taken = 0;
    while (pipe.ring(1, 1)) {
      taken++;
    }
    assertThat(taken).as("records that fit").isGreaterThanOrEqualTo(512);
    assertThat(pipe.ring(1, 1)).isFalse();
    int[] heard = {0};
    own.drain((token, arming) -> heard[0]++);
    assertThat(heard[0]).isPositive();
    assertThat(pipe.ring(1, 1)).as("there is room again").isTrue();
    pipe.close();
  }

  /** An interrupt closes most channels of the JDK; this one belongs to all threads. */
  @Test
  void anInterruptedWriterRingsToo() throws IOException {
    PeerPipe pipe = new PeerPipe(1, 2);
    pipe.opened(openOwn());
    Thread.currentThread().interrupt();
    try {
      assertThat(pipe.ring(1, 1)).isTrue();
      assertThat(own.drain((token, arming) -> {})).as("an interrupted loop").isTrue();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(pipe.ring(1, 2)).isTrue();
    List<Integer> heard = new ArrayList<>();
    own.drain((token, arming) -> heard.add(arming));
    assertThat(heard).containsExactly(2);
    pipe.close();
  }

  @Test
  void halfARecordMakesAPipeUntrustworthy() throws IOException {
    try (RandomAccessFile hostile = openOwn()) {
      hostile.write(new byte[3]);
      hostile.write(new byte[8]);
    }
    assertThat(own.drain((token, arming) -> {})).isFalse();
  }
}
