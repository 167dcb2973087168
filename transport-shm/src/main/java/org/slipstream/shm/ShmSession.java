package org.slipstream.shm;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Link;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.PeerSearch;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.Window;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.SlotName;

/**
 * Two processes that share slabs, and the Unix-domain socket between them. Its end of stream is the
 * death notice of the peer.
 *
 * <p>Reactor only, but for {@link #send} and {@link #isOpen}.
 */
final class ShmSession implements Session, Reactor.Handler {
  /** The medium, as it is named in settings, {@code ps} and logs. */
  static final String NAME = "shm";

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.shm");
  private static final int SLOTS = 64;

  /** A peer that reads so little is stopped: no new streams for it. */
  private static final long CONGESTED_BYTES = 256 * 1024;

  /** Slabs that one peer may make us map. */
  private static final int MAX_PEER_SLABS = 4096;

  /**
   * Warm storage is worth more than thrift while streams come and go, but not for ever. What was
   * freed goes after once to twice this time.
   */
  static final long QUIET_NS = 2_000_000_000;

  /** A program on the module path may run without the module {@code jdk.net}. */
  private static final boolean HAS_CREDENTIALS =
      ModuleLayer.boot().findModule("jdk.net").isPresent();

  /** What a session needs of the process that it belongs to. Reactor only. */
  interface Home {
    TransportHost host();

    /** What we say of ourselves to a peer. */
    Wire.Hello hello() throws IOException;

    /** The runtime directory, where this process can be found from now on. */
    RuntimeDirectory directory() throws IOException;

    /** Slab names are unique in our directory. */
    int nextSlabIndex();

    Holes holes();

    /** Of the windows of all sessions. */
    RingSizes ringSizes();

    /** A session is over. */
    void ended(ShmSession session);
  }

  private final Home home;
  private final FrameSocket socket;

  /** In the order of their making, in which they are filled; the last ones empty first. */
  private final Map<Integer, OwnSlab> ownSlabs = new LinkedHashMap<>();

  private final Map<Integer, PeerSlab> peerSlabs = new HashMap<>();
  private final List<PeerSearch> waiting = new ArrayList<>();

  /** The process of the peer, once it was asked for and found; 0 = not yet. */
  private long peerPid;

  private @Nullable String peerName;
  private @Nullable ProcessId peer;
  private boolean sameNetwork;
  private boolean tool;
  private boolean trimming;
  private volatile boolean ended;

  /** All that follows the end is done. Reactor. */
  private boolean finished;

  /** Set by any thread: the session ends with the next task of the reactor. */
  private volatile boolean aborted;

  ShmSession(Home home, SocketChannel channel, @Nullable String peerName) {
    this.home = home;
    this.socket = new FrameSocket(channel);
    this.peerName = peerName;
  }

  /** Begins on an accepted or connected socket. */
  void start(boolean accepted) throws IOException {
    SelectionKey key = home.host().reactor().register(socket.channel(), SelectionKey.OP_READ, this);
    socket.registered(key);
    checkUser();
    socket.connected();
    if (!accepted) {
      socket.send(Wire.hello(home.hello()));
    }
  }

  void connect(SocketAddress address) throws IOException {
    SocketChannel channel = socket.channel();
    channel.configureBlocking(false);
    if (channel.connect(address)) {
      start(false);
    } else {
      home.host().reactor().register(channel, SelectionKey.OP_CONNECT, this);
    }
  }

  /** Same user only: the kernel says which user is at the other end. */
  private void checkUser() throws IOException {
    if (!HAS_CREDENTIALS) {
      return; // the mode of the directory alone keeps others out
    }
    var credentials = socket.channel().getOption(ExtendedSocketOptions.SO_PEERCRED);
    if (!credentials.user().equals(Files.getOwner(Path.of("/proc/self")))) {
      throw new IOException("The peer is user " + credentials.user().getName());
    }
  }

  @Override
  public void ready(SelectionKey key) throws IOException {
    if (key.isConnectable() && socket.channel().finishConnect()) {
      start(false);
      return;
    }
    if (key.isWritable()) {
      socket.flush();
      if (tool && socket.isIdle()) {
        throw new IOException("answered");
      }
    }
    if (key.isReadable() && !socket.receive(this::message)) {
      throw new IOException("the peer process ended");
    }
  }

  /** Runs again from its beginning if there was no memory for all of it. */
  @Override
  public void failed(Throwable cause) {
    if (finished) {
      return;
    }
    ended = true;
    home.ended(this);
    if (peer != null) {
      home.host().sessionLost(this, String.valueOf(cause.getMessage()));
    }
    ownSlabs.values().forEach(OwnSlab::sessionEnded);
    peerSlabs.values().forEach(PeerSlab::sessionEnded);
    while (!waiting.isEmpty()) {
      waiting.getFirst().lost();
      waiting.removeFirst();
    }
    finished = true;
  }

  // -- messages --------------------------------------------------------------------------------

  private void message(byte kind, ByteBuffer body) throws IOException {
    if (peer == null) {
      handshake(kind, body);
      return;
    }
    switch (kind) {
      case Wire.SLAB -> mapPeerSlab(body);
      case Wire.MAPPED -> peerMapped(body);
      case Wire.FRAME -> home.host().frameReceived(this, body);
      default -> throw new IOException("Unexpected message of kind " + kind);
    }
  }

  private void handshake(byte kind, ByteBuffer body) throws IOException {
    if (kind == Wire.ASK && peerName == null) {
      String question = StandardCharsets.UTF_8.decode(body).toString();
      byte[] answer = home.host().inspect(question).getBytes(StandardCharsets.UTF_8);
      tool = true;
      socket.send(Wire.message(Wire.ANSWER, ByteBuffer.wrap(answer)));
      if (socket.isIdle()) {
        throw new IOException("answered");
      }
      return;
    }
    if (kind != Wire.HELLO || tool) {
      throw new IOException("The peer does not begin with HELLO");
    }
    Wire.Hello hello = Wire.readHello(body);
    String name = hello.id().toString().substring(0, RuntimeDirectory.NAME_DIGITS);
    if (peerName == null) {
      peerName = name;
      socket.send(Wire.hello(home.hello()));
    } else if (!peerName.equals(name)) {
      throw new IOException("Process " + name + " answers at the place of " + peerName);
    }
    sameNetwork = hello.network() == home.hello().network();
    peer = hello.id();
    home.host().sessionOpened(this);
    while (!waiting.isEmpty()) {
      waiting.getFirst().opened(this);
      waiting.removeFirst(); // not before: without memory the session ends, and the search hears so
    }
  }

  private void mapPeerSlab(ByteBuffer body) throws IOException {
    if (body.remaining() != 12 || peerSlabs.size() >= MAX_PEER_SLABS || peerName == null) {
      throw new IOException("A slab was announced wrongly");
    }
    int index = body.getInt();
    SlabLayout layout = new SlabLayout(body.getInt(), body.getInt());
    if (index < 0 || peerSlabs.containsKey(index)) {
      throw new IOException("Slab " + index + " was announced twice");
    }
    boolean ok;
    try {
      addPeerSlab(index, new PeerSlab(home.directory().slabOf(peerName, index), layout));
      ok = true;
    } catch (IOException | LinkageError e) {
      LOG.log(
          Level.WARNING,
          MessageCode.PEER_MEMORY.text(
              "Streams of process " + peerName + " stay on TCP: " + e.getMessage()));
      ok = false;
    }
    socket.send(Wire.mapped(index, ok));
  }

  private void addPeerSlab(int index, PeerSlab slab) {
    try {
      peerSlabs.put(index, slab);
    } catch (OutOfMemoryError e) {
      slab.sessionEnded(); // as it will: the error ends it
      throw e;
    }
  }

  private void peerMapped(ByteBuffer body) throws IOException {
    OwnSlab slab = body.remaining() == 5 ? ownSlabs.get(body.getInt()) : null;
    if (slab == null) {
      throw new IOException("A slab was confirmed that does not exist");
    }
    slab.confirmed(body.get() != 0);
    windowFreed(); // if it can not be used
  }

  private void givenBack(int ringBytes, boolean reusable) {
    home.ringSizes().givenBack(ringBytes);
    if (reusable) {
      windowFreed();
    }
  }

  /** A window may have storage for no purpose; if that stays so, the storage goes. */
  private void windowFreed() {
    if (!trimming && !ended) {
      home.host().reactor().schedule(QUIET_NS, this::trim);
      trimming = true;
    }
  }

  private void trim() {
    trimming = false;
    if (ended) {
      return;
    }
    boolean more = false;
    try {
      for (OwnSlab slab : List.copyOf(ownSlabs.values())) {
        if (slab.isUseless()) {
          ownSlabs.remove(slab.index());
          slab.sessionEnded();
        } else {
          more |= slab.trim();
        }
      }
    } catch (IOException e) {
      abort(String.valueOf(e.getMessage()));
      return;
    }
    if (more) {
      windowFreed();
    }
  }

  // -- Session ---------------------------------------------------------------------------------

  void whenReady(PeerSearch search) {
    if (peer != null) {
      search.opened(this);
    } else {
      waiting.add(search);
    }
  }

  @Nullable String peerName() {
    return peerName;
  }

  @Override
  public ProcessId peer() {
    return Objects.requireNonNull(peer);
  }

  @Override
  public boolean isSameNetwork() {
    return sameNetwork;
  }

  @Override
  public boolean mayUsePipes() {
    return true;
  }

  /** Our slabs of this session have lost their names; only the peer can have mapped them. */
  @Override
  public boolean isProcess(long pid) {
    if (pid == peerPid) {
      return true;
    }
    Set<String> slabs = new HashSet<>();
    try {
      RuntimeDirectory dir = home.directory();
      for (OwnSlab slab : ownSlabs.values()) {
        slabs.add(SharedMappings.name(dir.slabOf(dir.name(), slab.index()).toString()));
      }
      if (SharedMappings.isShared(pid, path -> slabs.contains(SharedMappings.name(path)))) {
        peerPid = pid;
        return true;
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Process " + pid + " can not be asked", e);
    }
    return false;
  }

  @Override
  public String transportName() {
    return NAME;
  }

  @Override
  public boolean isOpen() {
    return !ended && !aborted;
  }

  @Override
  public void send(ByteBuffer frame) {
    if (ended) {
      return; // sessionLost reports it
    }
    try {
      socket.send(Wire.message(Wire.FRAME, frame));
    } catch (IOException e) {
      abort(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public Window allocateWindow() throws IOException {
    if (ended) {
      throw new IOException("the session is over");
    }
    if (socket.queuedBytes() > CONGESTED_BYTES) {
      throw new IOException("the peer process does not read its session");
    }
    RingSizes sizes = home.ringSizes();
    int ringBytes = sizes.next();
    ShmWindow window = takeFree(ringBytes);
    if (window == null) {
      window = addSlab(new SlabLayout(sizes.slots(ringBytes, SLOTS), ringBytes)).take();
    }
    if (window == null) {
      throw new IOException("a new slab has no slots");
    }
    sizes.taken(ringBytes);
    return window;
  }

  private @Nullable ShmWindow takeFree(int ringBytes) throws IOException {
    try {
      for (OwnSlab slab : ownSlabs.values()) {
        ShmWindow window = slab.ringBytes() == ringBytes ? slab.take() : null;
        if (window != null) {
          MemoryFaults.settle();
          return window;
        }
      }
      return null;
    } catch (InternalError e) {
      abort("the peer took away memory of a slab");
      throw new IOException("a slab was truncated", e);
    }
  }

  private OwnSlab addSlab(SlabLayout layout) throws IOException {
    int index = home.nextSlabIndex();
    RuntimeDirectory dir = home.directory();
    OwnSlab slab =
        new OwnSlab(
            index,
            layout,
            dir.slabOf(dir.name(), index),
            home.host().budget(),
            home.holes(),
            this::isOpen,
            this::givenBack);
    try {
      ownSlabs.put(index, slab);
      socket.send(Wire.slab(index, layout));
    } catch (IOException | OutOfMemoryError e) {
      giveUp(slab);
      throw e;
    }
    return slab;
  }

  /** The peer can join none of its windows, and it may be in no table. */
  private void giveUp(OwnSlab slab) {
    for (int attempt = 1; ; attempt++) {
      try {
        abort("a slab could not be announced");
        slab.sessionEnded();
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  @Override
  public Link join(Window own, ByteBuffer peerDescriptor) throws IOException {
    SlotName name = SlotName.read(peerDescriptor);
    PeerSlab slab = peerSlabs.get(name.slab());
    if (slab == null) {
      throw new IOException("The peer names a slab that is not mapped");
    }
    return slab.join(own, name.slot());
  }

  @Override
  public void abort(String cause) {
    aborted = true;
    for (int attempt = 1; ; attempt++) {
      try {
        home.host().reactor().execute(() -> end(cause));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private void end(String cause) {
    try {
      socket.channel().close();
    } catch (IOException e) {
      // Closing a broken socket: the session ends all the same.
      failed(e);
    }
    failed(new IOException(cause));
  }
}
