package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/** What dead processes left goes, and nothing else. */
class SweeperTest {
  // Short: the path of a Unix-domain socket has at most 107 bytes.
  @TempDir Path temp;

  private RuntimeDirectory ours;
  private RuntimeDirectory theirs;
  private Path mark;

  @BeforeEach
  void twoProcesses() throws IOException {
    String base = temp.resolve("r").toString();
    ours = RuntimeDirectory.open(base, new ProcessId(1, 1));
    theirs = RuntimeDirectory.open(base, new ProcessId(2, 2));
    mark = theirs.announce(80, "00");
    Files.createFile(theirs.slabOf(theirs.name(), 0));
  }

  private ServerSocketChannel listen() throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(theirs.socketOf(theirs.name())));
  }

  private void sweep() {
    new Sweeper(new SocketsOnly(), ours).sweep();
  }

  @Test
  void aProcessWhoseSocketRefusesIsSweptWithItsMarks() throws IOException {
    listen().close();
    sweep();
    assertThat(theirs.own()).doesNotExist();
    assertThat(mark).doesNotExist();
    assertThat(ours.own()).exists();
  }

  @Test
  void aProcessThatAnswersIsLeftAlone() throws IOException {
    try (ServerSocketChannel alive = listen()) {
      sweep();
      assertThat(alive.isOpen()).isTrue();
      assertThat(theirs.slabOf(theirs.name(), 0)).exists();
      assertThat(mark).exists();
    }
  }

  @Test
  void aProcessThatIsJustStartingIsLeftAlone() {
    sweep();
    assertThat(theirs.own()).exists();
  }

  @Test
  void anOldDirectoryWithoutASocketIsSwept() throws IOException {
    Files.setLastModifiedTime(
        theirs.own(), FileTime.fromMillis(System.currentTimeMillis() - 60_000));
    sweep();
    assertThat(theirs.own()).doesNotExist();
    assertThat(mark).doesNotExist();
  }

  /** A container that shares the directory may plant what leads to other files of its neighbour. */
  @Test
  void noSymbolicLinkIsFollowed() throws IOException {
    Path precious = Files.createDirectory(temp.resolve("precious"));
    Files.createFile(precious.resolve("file"));
    Files.createFile(precious.resolve(theirs.name() + "-file"));
    Files.setLastModifiedTime(precious, FileTime.fromMillis(System.currentTimeMillis() - 60_000));
    Path process = Files.createSymbolicLink(ours.scope().resolve("0123456789abcdef"), precious);
    Files.createSymbolicLink(ours.scope().resolve("port-81"), precious);
    listen().close();

    sweep();

    assertThat(theirs.own()).as("it is swept all the same").doesNotExist();
    assertThat(process).doesNotExist();
    assertThat(precious).isDirectoryContaining(p -> p.endsWith("file"));
    assertThat(precious.resolve(theirs.name() + "-file")).exists();
  }

  /** Names that this transport never makes. */
  @Test
  void unknownNamesAreInTheWayOfNoProcess() throws IOException {
    for (String name : List.of("sixteen letters!", "port-", "port-x", "a\nb", "port-99999999999")) {
      Files.createFile(ours.scope().resolve(name));
    }
    Files.createDirectories(
        ours.scope().resolve("ffffffffffffffff").resolve("ctl").resolve("deep"));
    Files.createDirectories(ours.port(82).resolve(theirs.name() + "-00"));
    listen().close();

    sweep();

    assertThat(theirs.own()).doesNotExist();
    assertThat(mark).doesNotExist();
    assertThat(ours.own()).exists();
  }

  @Test
  void weNeverSweepOurselves() throws IOException {
    Files.setLastModifiedTime(ours.own(), FileTime.fromMillis(System.currentTimeMillis() - 60_000));
    new Sweeper(new SocketsOnly(), ours).sweepOne(ours.name());
    assertThat(ours.own()).exists();
  }

  /** A host that gives sockets and nothing else. */
  private static final class SocketsOnly implements TransportHost {
    @Override
    public SocketChannel openSocketChannel(StandardProtocolFamily family) throws IOException {
      return SocketChannel.open(family);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(StandardProtocolFamily family)
        throws IOException {
      return ServerSocketChannel.open(family);
    }

    @Override
    public ProcessId processId() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Reactor reactor() {
      throw new UnsupportedOperationException();
    }

    @Override
    public MemoryBudget budget() {
      throw new UnsupportedOperationException();
    }

    @Override
    public TransportSettings settings() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void sessionOpened(Session session) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void frameReceived(Session session, ByteBuffer frame) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void sessionLost(Session session, String cause) {
      throw new UnsupportedOperationException();
    }

    @Override
    public String inspect(String question) {
      throw new UnsupportedOperationException();
    }
  }
}
