package org.slipstream.core.identity;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.CallMemory;
import org.slipstream.core.doorbell.SystemCall;

/**
 * What Linux tells about the segments of a TCP connection to the process that owns it; none of it
 * needs privileges. Any thread; nothing waits. A kernel that refuses tells nothing.
 */
final class KernelSocket {
  /** No descriptor. */
  static final int NONE = -1;

  private static final int SOL_SOCKET = 1;
  private static final int SO_TIMESTAMPING = 37;

  /** Queues a copy of a segment when it leaves. */
  private static final int TX_SCHED = 1 << 8;

  private static final int IPPROTO_TCP = 6;
  private static final int TCP_INFO = 11;
  private static final int TCP_SAVED_SYN = 28;

  private static final int F_DUPFD_CLOEXEC = 1030;

  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_ERRQUEUE = 0x2000;

  /** Of {@code struct msghdr} on 64 bits. */
  private static final int MESSAGE_BYTES = 56;

  private static final int MESSAGE_VECTOR = 16;
  private static final int MESSAGE_VECTORS = 24;

  /** Of {@code struct tcp_info}. */
  private static final int INFO_BYTES = 160;

  private static final int INFO_UNACKED = 24;
  private static final int INFO_ROUND_TRIP = 68;
  private static final int INFO_ACKED = 120;
  private static final int INFO_NOT_SENT = 144;

  /** The heads of all layers. */
  private static final int HEADS_BYTES = 256;

  private KernelSocket() {}

  /** Links what the others call. That takes tens of milliseconds in a young process. */
  static void prepare() {
    isQuiet(NONE);
  }

  /**
   * Another descriptor of the same socket.
   *
   * @return {@link #NONE} if there is none
   */
  static int duplicate(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory error = SystemCall.errorIn(arena);
      return (int) SystemCall.FCNTL.call(error, descriptor, F_DUPFD_CLOEXEC, 0, 0, 0);
    }
  }

  static void close(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      SystemCall.CLOSE.call(SystemCall.errorIn(arena), descriptor, 0, 0, 0, 0);
    }
  }

  /** Whether all that was written has been sent and acknowledged: a small write leaves at once. */
  static boolean isQuiet(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory info = new CallMemory(arena, INFO_BYTES);
      return isTold(arena, descriptor, info) && isQuiet(info);
    }
  }

  private static boolean isQuiet(CallMemory info) {
    return info.buffer().getInt(INFO_UNACKED) == 0 && info.buffer().getInt(INFO_NOT_SENT) == 0;
  }

  /**
   * Whether so many bytes have been acknowledged since the connection was made; false also for the
   * very last of them while others are under way, as the kernel may count a SYN as a byte.
   */
  static boolean isAcknowledged(int descriptor, long total) {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory info = new CallMemory(arena, INFO_BYTES);
      return isTold(arena, descriptor, info)
          && (isQuiet(info) || info.buffer().getLong(INFO_ACKED) > total);
    }
  }

  private static boolean isTold(Arena arena, int descriptor, CallMemory info) {
    return option(arena, descriptor, TCP_INFO, info) >= INFO_NOT_SENT + Integer.BYTES;
  }

  /** The smoothed round trip in microseconds; negative if the kernel does not tell. */
  static long roundTripMicros(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory info = new CallMemory(arena, INFO_BYTES);
      return option(arena, descriptor, TCP_INFO, info) >= INFO_ROUND_TRIP + Integer.BYTES
          ? Integer.toUnsignedLong(info.buffer().getInt(INFO_ROUND_TRIP))
          : -1;
    }
  }

  /** Has segments that leave from now on copied into the queue of errors, or no more. */
  static boolean showSegments(int descriptor, boolean on) {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory value = new CallMemory(arena, Integer.BYTES);
      value.buffer().putInt(0, on ? TX_SCHED : 0);
      return SystemCall.SETSOCKOPT.call(
              SystemCall.errorIn(arena),
              descriptor,
              SOL_SOCKET,
              SO_TIMESTAMPING,
              value.address(),
              Integer.BYTES)
          == 0;
    }
  }

  /**
   * Takes the copy of a segment out of the queue of errors.
   *
   * @return how it begins, with the head of its link; null if none is there
   */
  static @Nullable ByteBuffer takeSegment(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory heads = new CallMemory(arena, HEADS_BYTES);
      CallMemory vector = new CallMemory(arena, 2 * Long.BYTES);
      vector.buffer().putLong(0, heads.address()).putLong(Long.BYTES, HEADS_BYTES);
      CallMemory message = new CallMemory(arena, MESSAGE_BYTES);
      message.buffer().putLong(MESSAGE_VECTOR, vector.address()).putLong(MESSAGE_VECTORS, 1);
      long n =
          SystemCall.RECVMSG.call(
              SystemCall.errorIn(arena),
              descriptor,
              message.address(),
              MSG_ERRQUEUE | MSG_DONTWAIT,
              0,
              0);
      return n < 0 ? null : copy(heads, n);
    }
  }

  /**
   * The first segment of an accepted connection, if its listener was told to keep it. The kernel
   * gives it once.
   *
   * @return how it begins, with its IP header; null if there is none
   */
  static @Nullable ByteBuffer takeFirstSegment(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      CallMemory heads = new CallMemory(arena, HEADS_BYTES);
      int n = option(arena, descriptor, TCP_SAVED_SYN, heads);
      return n <= 0 ? null : copy(heads, n);
    }
  }

  private static int option(Arena arena, int descriptor, int option, CallMemory value) {
    CallMemory length = new CallMemory(arena, Integer.BYTES);
    length.buffer().putInt(0, value.buffer().capacity());
    long result =
        SystemCall.GETSOCKOPT.call(
            SystemCall.errorIn(arena),
            descriptor,
            IPPROTO_TCP,
            option,
            value.address(),
            length.address());
    return result < 0 ? -1 : length.buffer().getInt(0);
  }

  private static ByteBuffer copy(CallMemory heads, long bytes) {
    byte[] copy = new byte[(int) Math.min(bytes, HEADS_BYTES)];
    heads.buffer().get(0, copy);
    return ByteBuffer.wrap(copy);
  }
}
