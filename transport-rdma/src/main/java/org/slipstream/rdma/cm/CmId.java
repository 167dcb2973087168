package org.slipstream.rdma.cm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.verbs.Capacity;
import org.slipstream.rdma.verbs.CompletionQueue;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.rdma.verbs.ProtectionDomain;
import org.slipstream.rdma.verbs.QueuePair;
import org.slipstream.transport.LazyLogger;

/** The socket of rdma_cm: listens, connects, and makes a queue pair. Event thread only. */
@SuppressWarnings("restricted") // an identifier has the size that its header says
public final class CmId implements ConnectedId {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** What a request and a rejection may carry. */
  public static final int MAX_PRIVATE_DATA = 56;

  /** What an acceptance may carry. */
  public static final int MAX_ACCEPTANCE_DATA = 196;

  /** Reads under way at once, in each direction; the next one waits in the send queue. */
  private static final int READS = 4;

  private int reads = READS;

  /**
   * How often the device sends again what found no receive posted; 7 would mean for ever. Credit
   * keeps this from happening at all: a peer that breaks it loses its session. rdma_cm leaves the
   * pause between two tries at the longest, 655 ms.
   */
  static final int NOT_READY_RETRIES = 6;

  /** RoCE has no other, and kernels say 0 there, which is no key. */
  private static final int DEFAULT_PARTITION = 0xFFFF;

  private final MemorySegment pointer;
  private boolean hasQueuePair;
  private int maxPathMtu;

  /** The queue pair, as long as rdma_cm shall leave it alone. */
  private @Nullable QueuePair kept;

  private boolean closed;

  /**
   * Makes an identifier in the port space of TCP.
   *
   * @param channel where its events go
   * @throws IOException if rdma_cm has no more
   */
  public CmId(EventChannel channel) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      ConnectionManager.load()
          .createId
          .check(channel.pointer(), out, MemorySegment.NULL, CmIdLayout.PORT_SPACE_TCP);
      pointer = out.get(ADDRESS, 0).reinterpret(CmIdLayout.BYTES);
    }
  }

  /**
   * Takes over the identifier that came with a connection request.
   *
   * @param address from {@link CmEvent#id}
   */
  public CmId(long address) {
    pointer = MemorySegment.ofAddress(address).reinterpret(CmIdLayout.BYTES);
  }

  @Override
  public long address() {
    return pointer.address();
  }

  @Override
  public DeviceContext device() throws IOException {
    MemorySegment verbs = pointer.get(ADDRESS, CmIdLayout.VERBS);
    if (verbs.address() == 0) {
      throw new IOException("rdma_cm found no device");
    }
    return new DeviceContext(verbs);
  }

  @Override
  public int port() {
    return pointer.get(JAVA_BYTE, CmIdLayout.PORT_NUMBER);
  }

  /**
   * The IP address of the peer; once it is resolved, or it came with a request. The kernel of the
   * peer wrote it: programs there can not choose one that is not their host's, except on InfiniBand
   * with native addresses.
   *
   * @return null if rdma_cm knows no IP address of the peer
   */
  public @Nullable InetAddress remoteAddress() {
    return SocketAddress.read(pointer.asSlice(CmIdLayout.DESTINATION_ADDRESS, SocketAddress.BYTES));
  }

  /**
   * Its own address on the fabric; once the route is resolved, or it came with a request. Not on
   * iWARP.
   *
   * @return 16 bytes
   */
  public byte[] sourceGid() {
    return pointer.asSlice(CmIdLayout.SOURCE_GID, 16).toArray(JAVA_BYTE);
  }

  /**
   * The partition; once the route is resolved, or it came with a request. Not on iWARP.
   *
   * @return the key, with the bit that says "full member"
   */
  public int partitionKey() {
    short key = pointer.get(JAVA_SHORT, CmIdLayout.PARTITION_KEY);
    return key == 0 ? DEFAULT_PARTITION : Short.toUnsignedInt(Short.reverseBytes(key));
  }

  @Override
  public boolean isOn(long device) {
    return pointer.get(ADDRESS, CmIdLayout.VERBS).address() == device;
  }

  /**
   * Binds, to the device that has the address too; to none if it is no particular one.
   *
   * @param address in rdma_cm's own port space on InfiniBand and RoCE
   * @throws IOException if another identifier is bound there, or no device has the address
   */
  public void bind(InetSocketAddress address) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      ConnectionManager.load().bind.check(pointer, SocketAddress.of(arena, address));
    }
  }

  /**
   * Listens where it is bound.
   *
   * @param backlog requests that are waiting
   * @throws IOException on iWARP if the kernel's TCP has a listener there
   */
  public void listen(int backlog) throws IOException {
    ConnectionManager.load().listen.check(pointer, backlog);
  }

  /**
   * Binds to the device of another identifier: from then on there is an event when the device goes.
   *
   * @param other is bound
   * @param port where no peer will be expected; 0 = one of the system's choice
   * @throws IOException if the device is gone already, or the port is taken
   */
  public void bindBeside(CmId other, int port) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(SocketAddress.BYTES, 8);
      MemorySegment.copy(other.pointer, CmIdLayout.SOURCE_ADDRESS, address, 0, SocketAddress.BYTES);
      address.set(JAVA_SHORT, SocketAddress.PORT, Short.reverseBytes((short) port));
      ConnectionManager.load().bind.check(pointer, address);
    }
  }

  /**
   * Finds the device that reaches an address; ADDRESS_RESOLVED or ADDRESS_ERROR follows.
   *
   * @param local where from; null = any address and port
   * @param remote where to
   * @param timeoutMillis when to give up
   * @throws IOException if it is known at once that there is none
   */
  public void resolveAddress(
      @Nullable InetSocketAddress local, InetSocketAddress remote, int timeoutMillis)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = local == null ? MemorySegment.NULL : SocketAddress.of(arena, local);
      ConnectionManager.load()
          .resolveAddress
          .check(pointer, source, SocketAddress.of(arena, remote), timeoutMillis);
    }
  }

  /**
   * Finds the path to the address; ROUTE_RESOLVED or ROUTE_ERROR follows.
   *
   * @param timeoutMillis when to give up
   * @throws IOException if it is known at once that there is none
   */
  public void resolveRoute(int timeoutMillis) throws IOException {
    ConnectionManager.load().resolveRoute.check(pointer, timeoutMillis);
  }

  /**
   * How long the device waits for the peer's device before it sends again. Without it rdma_cm takes
   * seconds.
   *
   * @param exponent 4.096 microseconds times two to the power of this
   */
  public void ackTimeout(int exponent) {
    try {
      option(CmIdLayout.OPTION_ACK_TIMEOUT, exponent);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The device keeps its own timeout", e); // iWARP has none
    }
  }

  /**
   * Sets the traffic class of what both ends will send; before the route is resolved.
   *
   * @param value 0 to 255; on RoCE v2 the DSCP and ECN bits of IP
   * @throws IOException if rdma_cm can not
   */
  public void trafficClass(int value) throws IOException {
    option(CmIdLayout.OPTION_TRAFFIC_CLASS, value);
  }

  private void option(int name, int octet) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_BYTE);
      value.set(JAVA_BYTE, 0, (byte) octet);
      ConnectionManager.load()
          .setOption
          .check(pointer, CmIdLayout.OPTION_LEVEL_ID, name, value, 1L);
    }
  }

  /**
   * Limits the path MTU of the queue pair that will be made. rdma_cm can not do that: it is not
   * told of the queue pair until it is connected, and {@code CONNECT_RESPONSE} comes instead of
   * {@code ESTABLISHED}, to be answered by {@link #establish}. Not on iWARP.
   *
   * @param bytes 256, 512, 1024, 2048 or 4096
   */
  public void limitPathMtu(int bytes) {
    maxPathMtu = bytes;
  }

  /**
   * Says how many reads and atomic operations may be under way at once, in each direction; before
   * {@link #connect} or {@link #accept}. The two ends agree on the smaller number.
   *
   * @param most 1 or more, and what the device can
   */
  public void reads(int most) {
    reads = most;
  }

  /**
   * Makes the queue pair.
   *
   * @param domain what it may use
   * @param sends completions of sends and writes
   * @param receives completions of receives
   * @param wanted its sizes
   * @param arena lives as long as the queue pair is used
   * @return the queue pair
   * @throws IOException if the device can not
   */
  public QueuePair createQueuePair(
      ProtectionDomain domain,
      CompletionQueue sends,
      CompletionQueue receives,
      Capacity wanted,
      Arena arena)
      throws IOException {
    try (Arena local = Arena.ofConfined()) {
      MemorySegment attributes = QueuePair.attributes(local, sends, receives, wanted);
      ConnectionManager.load().createQueuePair.check(pointer, domain.pointer(), attributes);
      hasQueuePair = true;
      QueuePair made =
          new QueuePair(
              pointer.get(ADDRESS, CmIdLayout.QUEUE_PAIR),
              device(),
              QueuePair.granted(attributes),
              arena);
      if (maxPathMtu > 0) {
        kept = made;
        pointer.set(ADDRESS, CmIdLayout.QUEUE_PAIR, MemorySegment.NULL);
      }
      return made;
    }
  }

  private void connectKept(QueuePair queuePair) throws IOException {
    queuePair.connect(
        (attributes, mask) ->
            ConnectionManager.load().initAttributes.check(pointer, attributes, mask),
        maxPathMtu);
  }

  /** From now on rdma_cm knows the queue pair, as ever. */
  private void tell() {
    QueuePair queuePair = kept;
    if (queuePair != null) {
      kept = null;
      pointer.set(ADDRESS, CmIdLayout.QUEUE_PAIR, queuePair.pointer());
    }
  }

  /**
   * Answers CONNECT_RESPONSE: the peer has accepted, and the queue pair may be used afterwards.
   *
   * @throws IOException if it can not
   */
  public void establish() throws IOException {
    QueuePair queuePair = kept;
    if (queuePair != null) {
      connectKept(queuePair);
      try {
        ConnectionManager.load().establish.check(pointer);
      } finally {
        tell();
      }
    }
  }

  /**
   * Connects; ESTABLISHED, REJECTED, UNREACHABLE or CONNECT_ERROR follows.
   *
   * @param privateData for the peer, at most {@link #MAX_PRIVATE_DATA}
   * @param retries how often the device of either end tries again, 0 to 6; 7 would mean for ever in
   *     some devices
   * @throws IOException if it is known at once that it can not
   */
  public void connect(byte[] privateData, int retries) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      ConnectionManager.load().connect.check(pointer, parameters(arena, privateData, retries));
    }
  }

  /**
   * Accepts the request that this came with; ESTABLISHED follows.
   *
   * @param privateData for the peer, at most {@link #MAX_ACCEPTANCE_DATA}
   * @param retries as for {@link #connect}, where rdma_cm of this end does not take it from there
   * @throws IOException if it is known at once that it can not
   */
  public void accept(byte[] privateData, int retries) throws IOException {
    QueuePair queuePair = kept;
    if (queuePair != null) {
      connectKept(queuePair);
    }
    try (Arena arena = Arena.ofConfined()) {
      ConnectionManager.load().accept.check(pointer, parameters(arena, privateData, retries));
    } finally {
      tell();
    }
  }

  /**
   * Rejects the request that this came with.
   *
   * @param privateData for the peer, at most {@link #MAX_PRIVATE_DATA}
   * @throws IOException if the peer is gone
   */
  public void reject(byte[] privateData) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocateFrom(JAVA_BYTE, privateData);
      ConnectionManager.load().reject.check(pointer, data, (byte) privateData.length);
    }
  }

  private MemorySegment parameters(Arena arena, byte[] privateData, int retries) {
    MemorySegment p = arena.allocate(CmEventLayout.PARAMETER_BYTES, 8);
    p.set(ADDRESS, CmEventLayout.PARAMETER_DATA, arena.allocateFrom(JAVA_BYTE, privateData));
    p.set(JAVA_BYTE, CmEventLayout.PARAMETER_DATA_LENGTH, (byte) privateData.length);
    p.set(JAVA_BYTE, CmEventLayout.PARAMETER_RESPONDER_RESOURCES, (byte) reads);
    p.set(JAVA_BYTE, CmEventLayout.PARAMETER_INITIATOR_DEPTH, (byte) reads);
    p.set(JAVA_BYTE, CmEventLayout.PARAMETER_RETRIES, (byte) retries);
    p.set(JAVA_BYTE, CmEventLayout.PARAMETER_RNR_RETRIES, (byte) NOT_READY_RETRIES);
    if (kept != null) {
      p.set(JAVA_INT, CmEventLayout.PARAMETER_QUEUE_PAIR, kept.number());
    }
    return p;
  }

  @Override
  public void disconnect() {
    try {
      ConnectionManager.load().disconnect.release(pointer);
    } catch (IOException e) {
      LOG.log(Level.TRACE, "Disconnecting", e);
    }
  }

  @Override
  public void destroyQueuePair() {
    if (hasQueuePair) {
      hasQueuePair = false;
      tell();
      try {
        ConnectionManager.load().destroyQueuePair.run(pointer);
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "Destroying a queue pair", e);
      }
    }
  }

  /** Destroys the queue pair and the identifier. Idempotent. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      destroyQueuePair();
      try {
        ConnectionManager.load().destroyId.release(pointer);
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "Destroying an identifier", e);
      }
    }
  }
}
