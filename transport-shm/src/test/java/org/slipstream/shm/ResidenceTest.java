package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.transport.PeerSearch;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;

/** A process stays where others find it, whatever fails or is removed meanwhile. */
class ResidenceTest {
  // Short: the path of a Unix-domain socket has at most 107 bytes.
  @TempDir Path temp;

  private HandHost host;
  private Residence residence;
  private final List<SocketChannel> accepted = new ArrayList<>();

  @BeforeEach
  void begin() throws IOException {
    host = new HandHost(temp.resolve("r"), new ProcessId(1, 1));
    residence = new Residence(host, accepted::add);
  }

  @AfterEach
  void end() throws IOException {
    residence.leave();
    for (SocketChannel channel : accepted) {
      channel.close();
    }
    host.close();
  }

  private Path base() {
    return temp.resolve("r");
  }

  private void assertIsFound() throws IOException {
    RuntimeDirectory dir = residence.directory();
    int before = accepted.size();
    try (SocketChannel peer =
        SocketChannel.open(UnixDomainSocketAddress.of(dir.socketOf(dir.name())))) {
      host.select();
      assertThat(peer.isConnected()).isTrue();
      assertThat(accepted).hasSize(before + 1);
    }
  }

  /** A process that is refused takes this one for dead, and removes what it finds of it. */
  @Test
  void aSocketThatIsFoundIsOneThatListens() throws Exception {
    RuntimeDirectory dir = residence.directory();
    Path socket = dir.socketOf(dir.name());
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger refused = new AtomicInteger();
    Thread peer =
        Thread.ofPlatform()
            .start(() -> {
              while (!over.get()) {
                try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                  probe.configureBlocking(false);
                  probe.connect(UnixDomainSocketAddress.of(socket));
                } catch (ConnectException e) {
                  refused.incrementAndGet();
                } catch (IOException e) {
                  Thread.onSpinWait(); // not there now, or its backlog is full
                }
              }
            });
    for (int i = 0; i < 2_000; i++) {
      Files.delete(socket);
      assertThat(residence.directory().own()).isEqualTo(dir.own());
      host.select();
      for (SocketChannel channel : accepted) {
        channel.close();
      }
      accepted.clear();
    }
    over.set(true);
    peer.join();
    assertThat(refused).hasValue(0);
    assertThat(dir.newSocket()).doesNotExist();
    assertThat(SocketOwner.of(socket)).isEqualTo(ProcessHandle.current().pid());
  }

  private List<String> marks(int port) throws IOException {
    return residence.directory().marks(port, true).stream()
        .map(mark -> mark.getFileName().toString())
        .toList();
  }

  private void removeEverything() throws IOException {
    try (var all = Files.walk(base())) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void aDirectoryThatWasRemovedIsMadeAgainWithItsMarks() throws IOException {
    Closeable first = residence.announce(80, "aa");
    Closeable second = residence.announce(81, "bb");
    second.close();
    assertIsFound();
    removeEverything();

    assertIsFound();

    assertThat(marks(80)).containsExactly("0000000000000001-aa");
    assertThat(marks(81)).isEmpty();
    first.close();
    assertThat(marks(80)).isEmpty();
  }

  @Test
  void theOldControlSocketIsClosedWhenThereIsAnother() throws IOException {
    residence.directory();
    removeEverything();
    residence.directory();
    host.select();
    assertThat(host.keys()).filteredOn(SelectionKey::isValid).hasSize(1);
  }

  @Test
  void aControlSocketThatWasClosedIsOpenedAgain() throws IOException {
    residence.announce(80, "aa");
    SelectionKey key = host.keys().iterator().next();
    key.channel().close();
    residence.failed(new IOException("injected"));

    host.passes(Residence.FIRST_RETRY_NS);

    assertIsFound();
    assertThat(marks(80)).hasSize(1);
  }

  @Test
  void whatIsSweptByMistakeIsMadeAgain() throws IOException {
    residence.announce(80, "aa");
    HandHost peer = new HandHost(base(), new ProcessId(2, 2));
    RuntimeDirectory.open(base().toString(), peer.processId()).remove("0000000000000001");
    assertIsFound();
    assertThat(marks(80)).hasSize(1);
    peer.close();
  }

  @Test
  void withoutDescriptorsForTheSocketItIsTriedAgain() throws IOException {
    host.refusals = 1;
    residence.announce(80, "aa");
    assertThat(host.warnings)
        .containsExactly("accepted streams stay on TCP: Too many open files (injected)");
    assertThatThrownBy(residence::directory).hasMessageContaining("Too many open files");

    host.passes(Residence.FIRST_RETRY_NS);

    assertThat(marks(80)).hasSize(1);
    assertIsFound();
  }

  @Test
  void aDirectoryThatStaysUnusableIsLookedAtLessAndLessOften() throws IOException {
    Files.createFile(base());
    residence.announce(80, "aa");
    assertThat(host.warnings).singleElement().asString().contains("is not a directory");
    long last = 0;
    for (int i = 0; i < 10; i++) {
      last = host.passToNextTask();
    }
    assertThat(last).isEqualTo(Residence.LAST_RETRY_NS);
    Files.delete(base());
    host.passes(Residence.LAST_RETRY_NS);
    assertThat(marks(80)).hasSize(1);
  }

  @Test
  void aProcessThatDoesNotListenLeavesNoTimerBehind() throws IOException {
    host.refusals = 1;
    assertThatThrownBy(residence::directory).isInstanceOf(IOException.class);
    host.passes(Residence.FIRST_RETRY_NS);
    assertThat(host.tasks()).isZero();
    assertIsFound();
  }

  /** The login manager makes another place for the directory, or takes it away. */
  @Test
  void aProcessMovesToWhereOthersLookNow() throws IOException {
    residence.announce(80, "aa");
    host.directory = temp.resolve("s");
    assertIsFound();
    assertThat(marks(80)).hasSize(1);
    assertThat(residence.directory().own()).startsWith(temp.resolve("s"));
    assertThat(base()).doesNotExist();
  }

  @Test
  void afterItHasLeftNothingIsMade() throws IOException {
    residence.announce(80, "aa");
    residence.leave();
    assertThatThrownBy(residence::directory).hasMessage("the process leaves");
    residence.failed(new IOException("injected"));
    host.passes(Residence.LAST_RETRY_NS);
    assertThat(base()).doesNotExist();
  }

  @Test
  void aFailedAcceptIsTriedAgainAfterAPause() throws IOException {
    Refusing listener = new Refusing(1);
    Key key = new Key(listener, host.selector());
    residence.ready(key);
    assertThat(key.interestOps()).as("paused").isZero();
    assertThat(listener.isOpen()).isTrue();

    host.passes(Residence.ACCEPT_PAUSE_NS);

    assertThat(key.interestOps()).isEqualTo(SelectionKey.OP_ACCEPT);
    residence.ready(key);
    assertThat(key.interestOps()).isEqualTo(SelectionKey.OP_ACCEPT);
    assertThat(listener.attempts).isEqualTo(2);
  }

  @Test
  void whatFailsWithOneConnectionDoesNotEndTheListener() throws IOException {
    Residence broken =
        new Residence(
            host,
            channel -> {
              throw new NoClassDefFoundError("injected");
            });
    RuntimeDirectory dir = broken.directory();
    try (SocketChannel peer =
        SocketChannel.open(UnixDomainSocketAddress.of(dir.socketOf(dir.name())))) {
      host.select();
      assertThat(peer.read(java.nio.ByteBuffer.allocate(1))).as("it hears so").isEqualTo(-1);
    }
    assertThat(host.keys()).allMatch(SelectionKey::isValid);
    broken.leave();
  }

  // -- searches --------------------------------------------------------------------------------

  @Test
  void aSearchWhoseSessionsAllEndBeforeTheyBeganIsAnsweredOnce() {
    List<String> heard = new ArrayList<>();
    PeerSearch search = new PeerSearch(session -> heard.add("session"), () -> heard.add("none"));
    search.found();
    search.found();
    search.lost();
    assertThat(heard).isEmpty();
    search.lost();
    assertThat(heard).containsExactly("none");
  }

  @Test
  void aSearchThatFoundOneProcessIsNotAnsweredByTheLossOfAnother() {
    List<Object> heard = new ArrayList<>();
    PeerSearch search = new PeerSearch(heard::add, () -> heard.add("none"));
    Session session = new ShmSession(new ShmEndpoint(host), host.unconnected(), null);
    search.found();
    search.found();
    search.opened(session);
    search.lost();
    assertThat(heard).containsExactly(session);
  }

  /** The stream that asked hears that the process did not answer, and may ask again later. */
  @Test
  void aSessionThatEndsBeforeItBeganTellsStreamsThatWait() throws IOException {
    ShmEndpoint client = new ShmEndpoint(host);
    RuntimeDirectory theirs = RuntimeDirectory.open(host.directory.toString(), new ProcessId(2, 2));
    ServerSocketChannel listener =
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of(theirs.socketOf(theirs.name())));
    theirs.announce(80, "0".repeat(32));
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);
    List<String> heard = new ArrayList<>();
    int found = client.findPeers(address, session -> heard.add("session"), () -> heard.add("none"));
    assertThat(found).isEqualTo(1);

    listener.accept().close();
    host.select();

    assertThat(heard).containsExactly("none");
    assertThat(client.mayFindLater(address)).as("its mark is there").isTrue();
    assertThat(client.refusal(address, address)).isEqualTo(Refusal.SILENT);
    assertThat(client.sessions()).isEmpty();
    listener.close();
    client.close();
  }

  @Test
  void anAddressThatNoProcessAnnouncesIsNotSoughtAgain() throws IOException {
    ShmEndpoint client = new ShmEndpoint(host);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);
    assertThat(client.findPeers(address, session -> {}, () -> {})).isZero();
    assertThat(client.mayFindLater(address)).isFalse();
    assertThat(client.refusal(address, address)).isNull();
    client.close();
  }

  @Test
  void aProcessThatOnlyConnectsSaysWhyItStaysOnTcp() throws IOException {
    Files.createDirectory(
        base(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxrwxrwx")));
    Files.setPosixFilePermissions(base(), PosixFilePermissions.fromString("rwxrwxrwx"));
    ShmEndpoint client = new ShmEndpoint(host);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);
    assertThat(client.findPeers(address, session -> {}, () -> {})).isZero();
    assertThat(host.warnings)
        .singleElement()
        .asString()
        .startsWith("connected streams stay on TCP: " + base() + " has mode rwxrwxrwx");
    assertThat(client.mayFindLater(address)).as("it may be repaired").isTrue();
    client.close();
  }

  /** A listener of a process that has no descriptors for some time. */
  private static final class Refusing extends ServerSocketChannel {
    private int left;
    int attempts;

    Refusing(int refusals) {
      super(SelectorProvider.provider());
      left = refusals;
    }

    @Override
    public SocketChannel accept() throws IOException {
      attempts++;
      if (left-- > 0) {
        throw new IOException("Too many open files (injected)");
      }
      return null;
    }

    @Override
    public ServerSocketChannel bind(SocketAddress local, int backlog) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
      return Set.of();
    }

    @Override
    public ServerSocket socket() {
      throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress getLocalAddress() {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseSelectableChannel() {}

    @Override
    protected void implConfigureBlocking(boolean block) {}
  }

  private static final class Key extends AbstractSelectionKey {
    private final ServerSocketChannel channel;
    private final Selector selector;
    private int ops = SelectionKey.OP_ACCEPT;

    Key(ServerSocketChannel channel, Selector selector) {
      this.channel = channel;
      this.selector = selector;
    }

    @Override
    public ServerSocketChannel channel() {
      return channel;
    }

    @Override
    public Selector selector() {
      return selector;
    }

    @Override
    public int interestOps() {
      return ops;
    }

    @Override
    public SelectionKey interestOps(int next) {
      ops = next;
      return this;
    }

    @Override
    public int readyOps() {
      return ops;
    }
  }
}
