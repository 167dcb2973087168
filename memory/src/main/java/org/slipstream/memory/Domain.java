package org.slipstream.memory;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.ControlThread;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Withdrawal;

/**
 * A process among those that share memory: the control path. A program needs one. Every method may
 * block for milliseconds, and fails with a reason; safe for any thread.
 *
 * <p>Names live in the memory of their owner: there is no server to start. The processes of one
 * user on one host find each other in the runtime directory, as for streams ({@code
 * slipstream.dir}); processes of several hosts that have the same {@code slipstream.key} find each
 * other over RDMA or NTB, at the addresses that they {@link #announce}.
 */
public final class Domain implements AutoCloseable {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  /** An owner that lives and is not stopped answers within milliseconds. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final ControlThread control;
  private final Media media;
  private final Owner process = Owner.process(ProcessHandle.current().pid());

  /** What it has announced, the latest last: each names it, as long as it is not closed. */
  private final Deque<Owner> announced = new ConcurrentLinkedDeque<>();

  private final Exports exports = new Exports();
  private final Imports imports;
  private final Questions questions;
  private final Thread hook = new Thread(this::leave, "slipstream-memory-leave");

  /** Written by the thread that closes it. */
  private volatile boolean closed;

  private Domain(ControlThread control, Media media) {
    this.control = control;
    this.media = media;
    this.imports = new Imports(media, control);
    this.questions = new Questions(media, control);
  }

  /**
   * Opens the domain of this process, in the directory that {@code slipstream.dir} names, or the
   * default one.
   *
   * @return to be closed
   * @throws IOException if processes can not share memory here; the message says what to do
   */
  public static Domain open() throws IOException {
    return open(System.getProperty("slipstream.dir"));
  }

  /**
   * As {@link #open()}, in a directory of choice: only processes with the same one find each other.
   *
   * @param directory its parent has to exist
   * @return to be closed
   * @throws IOException if processes can not share memory there; the message says what to do
   */
  public static Domain open(Path directory) throws IOException {
    return open(directory.toString());
  }

  private static Domain open(@Nullable String directory) throws IOException {
    SelectorProvider jdk = jdk();
    ControlThread control = new ControlThread(jdk.openSelector(), "slipstream-memory");
    control.start();
    try {
      DomainHost host = new DomainHost(jdk, control, directory);
      Domain domain = new Domain(control, Media.open(host));
      host.deliverTo(new PeerFrames(domain.exports, domain.imports, domain.questions));
      domain.appear();
      return domain;
    } catch (IOException | RuntimeException e) {
      stop(control);
      throw e;
    }
  }

  /** Channels and selectors of the JDK itself, whichever provider the program has. */
  private static SelectorProvider jdk() throws IOException {
    try (SocketChannel any = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return any.provider();
    }
  }

  private void appear() throws IOException {
    try {
      Closeable _ = media.announce(process); // until it leaves
    } catch (IOException e) {
      media.close();
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * How other processes name this one; its {@link Region#grant grants} name it so, too.
   *
   * @return by the address that it has {@link #announce announced} last, if that is not the
   *     wildcard; before that by its process id, which means something on this host only
   */
  public Owner owner() {
    Owner last = announced.peekLast();
    return last == null ? process : last;
  }

  /**
   * Lets other processes name this one by an address, too: of a server of this program, usually.
   * Processes on other hosts find it only so. Over RDMA, rdma_cm listens there, too: a port that a
   * server of this program has, whose streams are accelerated over RDMA, is taken.
   *
   * @param address a bound address, the wildcard included
   * @return closed when the address is not this process's any more
   * @throws IOException if processes can not meet; the message says what to do
   */
  public Closeable announce(InetSocketAddress address) throws IOException {
    Owner at = Owner.at(address);
    Closeable made = media.announce(at);
    if (address.getAddress().isAnyLocalAddress()) {
      return made;
    }
    announced.add(at);
    return new Withdrawal(() -> {
      announced.remove(at);
      made.close();
    });
  }

  /**
   * Allocates memory and lets others map it.
   *
   * @param name by which they ask for it; unique in this process
   * @param bytes its size; all of it has storage when this returns
   * @param rights what a process may do that knows the name and no more; none: only those with a
   *     {@link Region#grant grant} map it
   * @return the region, all zero
   * @throws IOException there is no memory, or a region of that name
   */
  public Region export(String name, long bytes, Set<Right> rights) throws IOException {
    if (!MemoryFrame.isName(name)) {
      throw new IllegalArgumentException("A name has 1 to 255 bytes, not '" + name + "'");
    }
    if (bytes <= 0) {
      throw new IllegalArgumentException("A region has a positive size, not " + bytes);
    }
    checkOpen();
    if (exports.has(name)) {
      throw nameIsTaken(name);
    }
    OwnMemory memory = media.allocate(bytes);
    Region region = new Region(name, this::owner, memory, Right.bits(rights), exports::remove);
    if (!exports.add(region)) {
      memory.close();
      throw nameIsTaken(name);
    }
    return region;
  }

  private static IOException nameIsTaken(String name) {
    return new IOException("This process exports '" + name + "' already; close that first");
  }

  /**
   * Maps a region of another process, or of this one, by its name.
   *
   * @param of whose
   * @param name which
   * @return the region, with the rights that it has for all
   * @throws MappingException if that can not be; its reason says why
   * @throws IOException if this process can not ask
   * @throws InterruptedException while waiting for the owner
   */
  public RemoteRegion map(Owner of, String name) throws IOException, InterruptedException {
    if (!MemoryFrame.isName(name)) {
      throw new IllegalArgumentException("A name has 1 to 255 bytes, not '" + name + "'");
    }
    return map(of, new MemoryFrame.Request(MemoryFrame.VERSION, 0, MemoryFrame.NO_SECRET, name));
  }

  /**
   * Maps a region with a grant of its owner's.
   *
   * @param grant the grant
   * @return the region, with the rights of the grant
   * @throws MappingException if that can not be; its reason says why
   * @throws IOException if this process can not ask
   * @throws InterruptedException while waiting for the owner
   */
  public RemoteRegion map(Grant grant) throws IOException, InterruptedException {
    return map(
        grant.owner(),
        new MemoryFrame.Request(
            MemoryFrame.VERSION, grant.number(), grant.secret(), grant.region()));
  }

  private RemoteRegion map(Owner of, MemoryFrame.Request frame)
      throws IOException, InterruptedException {
    checkOpen();
    MapRequest request = new MapRequest(of, frame);
    control.execute(() -> imports.ask(request));
    return request.await(PATIENCE);
  }

  /** For memory servers and their clients. */
  Questions questions() {
    return questions;
  }

  /** As {@link #announce}, by a name that several processes may have. */
  Closeable announceRole(String role) throws IOException {
    checkOpen();
    return media.announceRole(role);
  }

  /** For an owner that exports many regions, and wants all or none. */
  long memoryLeft() throws IOException {
    return media.memoryLeft();
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException("The domain is closed");
    }
  }

  /**
   * Makes a queue for one thread.
   *
   * @param depth how many operations may be posted and not polled
   * @return the queue, for regions of this domain; between hosts it connects to an owner when it
   *     begins its first operation there, and operations wait meanwhile
   */
  public Queue queue(int depth) {
    return media.areDirect() ? new DirectQueue(depth) : new RoutedQueue(depth);
  }

  /**
   * Ends it, with its regions and its mappings: the first are lost to others, the second to this
   * process. Idempotent.
   */
  @Override
  public void close() {
    closed = true;
    leave();
    stop(control);
    imports.close();
    for (Region region : exports.all()) {
      try {
        region.closeWithDomain();
      } catch (IllegalStateException e) {
        LOG.log(Level.DEBUG, "An operation uses " + region.name() + "; it stays mapped", e);
      }
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the JVM ends, and the hook runs already
    }
  }

  /** Removes what others see of this process; the kernel does the rest. */
  private void leave() {
    control.leave();
    media.close();
  }

  private static void stop(ControlThread control) {
    try {
      control.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
