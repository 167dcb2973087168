package org.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A reliable connection, on which requests are executed in order. It belongs to the identifier of
 * rdma_cm that made it, which destroys it.
 *
 * <p>Sending and receiving are two independent halves, each for one thread at a time.
 */
@SuppressWarnings("restricted") // a queue pair has the size that its header says
public final class QueuePair implements OneSidedQueue {
  private final MemorySegment pointer;
  private final DeviceContext context;
  private final Capacity capacity;
  private final RequestChain chain;
  private final MemorySegment receive;
  private final MemorySegment bad;

  /** Requests posted by one call, at most: the words and bytes of a message, and some more. */
  private static final int CHAIN = 8;

  /**
   * Wraps a queue pair.
   *
   * @param pointer {@code struct ibv_qp *}
   * @param context its device
   * @param capacity what the device gave
   * @param arena lives as long as the queue pair is used
   */
  public QueuePair(MemorySegment pointer, DeviceContext context, Capacity capacity, Arena arena) {
    this.capacity = capacity;
    this.pointer = pointer.reinterpret(QueuePairLayout.BYTES);
    this.context = context;
    this.chain = new RequestChain(CHAIN, arena);
    this.receive = arena.allocate(ReceiveWorkRequestLayout.BYTES_WITH_SCATTER, 16);
    this.bad = arena.allocate(ValueLayout.ADDRESS);
    receive.set(
        ValueLayout.ADDRESS,
        ReceiveWorkRequestLayout.SCATTER_LIST,
        receive.asSlice(ReceiveWorkRequestLayout.SCATTER, GatherLayout.BYTES));
    receive.set(ValueLayout.JAVA_INT, ReceiveWorkRequestLayout.SCATTER_COUNT, 1);
  }

  /**
   * Fills in what {@code rdma_create_qp} wants.
   *
   * @param arena where
   * @param sends completions of sends and writes
   * @param receives completions of receives
   * @param wanted the device may give more
   * @return {@code struct ibv_qp_init_attr}, to be read by {@link #granted} afterwards
   */
  public static MemorySegment attributes(
      Arena arena, CompletionQueue sends, CompletionQueue receives, Capacity wanted) {
    MemorySegment a = arena.allocate(QueuePairLayout.INIT_BYTES, 8);
    a.set(ValueLayout.ADDRESS, QueuePairLayout.INIT_SEND_QUEUE, sends.pointer);
    a.set(ValueLayout.ADDRESS, QueuePairLayout.INIT_RECEIVE_QUEUE, receives.pointer);
    a.set(ValueLayout.JAVA_INT, QueuePairLayout.INIT_MAX_SEND, wanted.sends());
    a.set(ValueLayout.JAVA_INT, QueuePairLayout.INIT_MAX_RECEIVE, wanted.receives());
    a.set(ValueLayout.JAVA_INT, QueuePairLayout.INIT_MAX_SEND_GATHER, 1);
    a.set(ValueLayout.JAVA_INT, QueuePairLayout.INIT_MAX_RECEIVE_SCATTER, 1);
    a.set(ValueLayout.JAVA_INT, QueuePairLayout.INIT_MAX_INLINE, wanted.inlineBytes());
    a.set(ValueLayout.JAVA_INT, QueuePairLayout.INIT_TYPE, QueuePairLayout.TYPE_RELIABLE_CONNECTED);
    return a;
  }

  /**
   * What the device gave.
   *
   * @param attributes after the call
   * @return the sizes
   */
  public static Capacity granted(MemorySegment attributes) {
    return new Capacity(
        attributes.get(ValueLayout.JAVA_INT, QueuePairLayout.INIT_MAX_SEND),
        attributes.get(ValueLayout.JAVA_INT, QueuePairLayout.INIT_MAX_RECEIVE),
        attributes.get(ValueLayout.JAVA_INT, QueuePairLayout.INIT_MAX_INLINE));
  }

  @Override
  public Capacity capacity() {
    return capacity;
  }

  /**
   * What names it in C.
   *
   * @return {@code struct ibv_qp *}
   */
  public MemorySegment pointer() {
    return pointer;
  }

  /**
   * Its number on the wire.
   *
   * @return qp_num
   */
  public int number() {
    return pointer.get(ValueLayout.JAVA_INT, QueuePairLayout.NUMBER);
  }

  @Override
  public int write(
      long id,
      long local,
      int length,
      int localKey,
      long remote,
      int remoteKey,
      boolean inline,
      boolean signaled) {
    return append(
        SendWorkRequestLayout.OPCODE_RDMA_WRITE,
        (inline ? SendWorkRequestLayout.FLAG_INLINE : 0) | flags(signaled),
        id,
        local,
        length,
        localKey,
        remote,
        remoteKey);
  }

  @Override
  public int read(long id, long local, int length, int localKey, long remote, int remoteKey) {
    return append(
        SendWorkRequestLayout.OPCODE_RDMA_READ,
        flags(true),
        id,
        local,
        length,
        localKey,
        remote,
        remoteKey);
  }

  @Override
  public int send(long id, long local, int length, int localKey, boolean signaled) {
    return append(
        SendWorkRequestLayout.OPCODE_SEND, flags(signaled), id, local, length, localKey, 0, 0);
  }

  @Override
  public int writeBehindReads(
      long id, long local, int length, int localKey, long remote, int remoteKey) {
    return append(
        SendWorkRequestLayout.OPCODE_RDMA_WRITE,
        SendWorkRequestLayout.FLAG_FENCE | flags(true),
        id,
        local,
        length,
        localKey,
        remote,
        remoteKey);
  }

  @Override
  public int fetchAdd(
      long id, long local, int localKey, long remote, int remoteKey, long delta, boolean fenced) {
    int error = chain.isFull() ? submit() : 0;
    int flags = (fenced ? SendWorkRequestLayout.FLAG_FENCE : 0) | flags(true);
    int opcode = SendWorkRequestLayout.OPCODE_FETCH_AND_ADD;
    chain.addAtomic(opcode, flags, id, local, localKey, remote, remoteKey, delta, 0);
    return error;
  }

  @Override
  public int compareAndSwap(
      long id,
      long local,
      int localKey,
      long remote,
      int remoteKey,
      long expected,
      long value,
      boolean fenced) {
    int error = chain.isFull() ? submit() : 0;
    int flags = (fenced ? SendWorkRequestLayout.FLAG_FENCE : 0) | flags(true);
    int opcode = SendWorkRequestLayout.OPCODE_COMPARE_AND_SWAP;
    chain.addAtomic(opcode, flags, id, local, localKey, remote, remoteKey, expected, value);
    return error;
  }

  private static int flags(boolean signaled) {
    return signaled ? SendWorkRequestLayout.FLAG_SIGNALED : 0;
  }

  private int append(
      int opcode,
      int flags,
      long id,
      long local,
      int length,
      int localKey,
      long remote,
      int remoteKey) {
    int error = chain.isFull() ? submit() : 0;
    chain.add(opcode, flags, id, local, length, localKey, remote, remoteKey);
    return error;
  }

  @Override
  public int submit() {
    if (chain.isEmpty()) {
      return 0;
    }
    chain.clear();
    return FastPath.post(context.postSend, pointer, chain.first(), bad);
  }

  /**
   * Offers memory for one message.
   *
   * @param id comes back in the completion
   * @param local where the message goes
   * @param length its room
   * @param localKey of the region
   * @return 0 or an errno value
   */
  public int receive(long id, long local, int length, int localKey) {
    receive.set(ValueLayout.JAVA_LONG, ReceiveWorkRequestLayout.ID, id);
    long at = ReceiveWorkRequestLayout.SCATTER;
    receive.set(ValueLayout.JAVA_LONG, at + GatherLayout.ADDRESS, local);
    receive.set(ValueLayout.JAVA_INT, at + GatherLayout.LENGTH, length);
    receive.set(ValueLayout.JAVA_INT, at + GatherLayout.LOCAL_KEY, localKey);
    return FastPath.post(context.postReceive, pointer, receive, bad);
  }

  /** Fills in attributes for a state. */
  @FunctionalInterface
  public interface Attributes {
    /**
     * Fills them in.
     *
     * @param attributes {@code struct ibv_qp_attr}, with the state that is wanted
     * @param mask {@code int}, what of it is valid
     * @throws IOException if they are not known
     */
    void fill(MemorySegment attributes, MemorySegment mask) throws IOException;
  }

  /**
   * Makes it ready to receive and to send, as rdma_cm would do, with a limit of the path MTU. Event
   * thread only.
   *
   * @param source rdma_cm
   * @param maxPathMtu bytes: 256, 512, 1024, 2048 or 4096
   * @throws IOException if the device can not
   */
  public void connect(Attributes source, int maxPathMtu) throws IOException {
    int limit = QueuePairLayout.MTU_4096 - Integer.numberOfTrailingZeros(4096 / maxPathMtu);
    int[] states = {
      QueuePairLayout.STATE_INITIALISED,
      QueuePairLayout.STATE_READY_TO_RECEIVE,
      QueuePairLayout.STATE_READY_TO_SEND
    };
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment a = arena.allocate(QueuePairLayout.ATTRIBUTES_BYTES, 8);
      MemorySegment mask = arena.allocate(ValueLayout.JAVA_INT);
      for (int state : states) {
        a.set(ValueLayout.JAVA_INT, QueuePairLayout.ATTRIBUTES_STATE, state);
        source.fill(a, mask);
        int mtu = a.get(ValueLayout.JAVA_INT, QueuePairLayout.ATTRIBUTES_PATH_MTU);
        a.set(ValueLayout.JAVA_INT, QueuePairLayout.ATTRIBUTES_PATH_MTU, Math.min(mtu, limit));
        int valid = mask.get(ValueLayout.JAVA_INT, 0) & ~QueuePairLayout.MASK_OF_KERNEL;
        Verbs.load().modifyQueuePair.check(pointer, a, valid);
      }
    }
  }
}
