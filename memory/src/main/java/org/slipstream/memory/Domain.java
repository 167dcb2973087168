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
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.ControlThread;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Transport;

/**
 * A process among those that share memory: the control path. A program needs one. Every method may
 * block for milliseconds, and fails with a reason; safe for any thread.
 *
 * <p>Names live in the memory of their owner: there is no server to start. The processes of one
 * user on one host find each other in the runtime directory, as for streams ({@code
 * slipstream.dir}).
 */
public final class Domain implements AutoCloseable {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  /** An owner that lives and is not stopped answers within milliseconds. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final ControlThread control;
  private final MemoryEndpoint endpoint;
  private final Owner owner = Owner.process(ProcessHandle.current().pid());
  private final Exports exports = new Exports();
  private final Imports imports;
  private final Thread hook = new Thread(this::leave, "slipstream-memory-leave");

  /** Written by the thread that closes it. */
  private volatile boolean closed;

  private Domain(ControlThread control, MemoryEndpoint endpoint) {
    this.control = control;
    this.endpoint = endpoint;
    this.imports = new Imports(endpoint, control);
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
      Domain domain = new Domain(control, open(host));
      host.deliverTo(new PeerFrames(domain.exports, domain.imports));
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

  private static MemoryEndpoint open(DomainHost host) throws IOException {
    String reason = "no transport that shares memory is on the class path or module path";
    for (Transport transport : ServiceLoader.load(Transport.class, Domain.class.getClassLoader())) {
      if (transport.sharesMemory()) {
        if (transport.availability().available()) {
          return (MemoryEndpoint) transport.open(host);
        }
        reason = transport.availability().reason();
      }
    }
    throw new IOException(reason);
  }

  private void appear() throws IOException {
    try {
      Closeable _ = endpoint.announceOwner(owner.key()); // until it leaves
    } catch (IOException e) {
      close(endpoint);
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * How other processes name this one.
   *
   * @return by its process id
   */
  public Owner owner() {
    return owner;
  }

  /**
   * Lets other processes name this one by an address, too: of a server of this program, usually.
   *
   * @param address a bound address, the wildcard included
   * @return closed when the address is not this process's any more
   * @throws IOException if processes can not meet; the message says what to do
   */
  public Closeable announce(InetSocketAddress address) throws IOException {
    return endpoint.announceOwner(Owner.at(address).key());
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
    OwnMemory memory = endpoint.allocateMemory(bytes);
    Region region = new Region(name, owner, memory, Right.bits(rights), exports::remove);
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
            MemoryFrame.VERSION, grant.epoch(), grant.secret(), grant.region()));
  }

  private RemoteRegion map(Owner of, MemoryFrame.Request frame)
      throws IOException, InterruptedException {
    checkOpen();
    MapRequest request = new MapRequest(of, frame);
    control.execute(() -> imports.ask(request));
    return request.await(PATIENCE);
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
   * @return the queue, for regions of this domain
   */
  public Queue queue(int depth) {
    return new DirectQueue(depth);
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
    for (Region region : exports.all()) {
      try {
        region.close();
      } catch (IllegalStateException e) {
        LOG.get().log(Level.DEBUG, "An operation uses " + region.name() + "; it stays mapped", e);
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
    close(endpoint);
  }

  private static void close(Endpoint endpoint) {
    try {
      endpoint.close();
    } catch (IOException e) {
      LOG.get().log(Level.DEBUG, "Leaving", e);
    }
  }

  private static void stop(ControlThread control) {
    try {
      control.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
