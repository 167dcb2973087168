package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import org.slipstream.rdma.verbs.QueuePair;

/** What only tests do with descriptors and queue pairs. */
@SuppressWarnings("restricted") // calling C is what it is for
final class Natives {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final int READ_ONLY = 0;
  private static final int WRITE_ONLY = 1;

  // struct ibv_qp_attr and struct ibv_qp_init_attr of x86-64 and AArch64
  private static final int ATTRIBUTES_BYTES = 144;
  private static final int INIT_BYTES = 64;
  private static final int TRAFFIC_CLASS = 78;
  private static final int MASK_ADDRESS = 128;

  private Natives() {}

  /** As if a program had closed it: each read of it fails with EBADF. */
  static void breakReads(int descriptor) throws Throwable {
    exchange(descriptor, WRITE_ONLY);
  }

  /** As {@link #breakReads}, for writes. */
  static void breakWrites(int descriptor) throws Throwable {
    exchange(descriptor, READ_ONLY);
  }

  /** The number stays taken, so that no other file is closed when its owner closes it. */
  private static void exchange(int descriptor, int flags) throws Throwable {
    SymbolLookup c = LINKER.defaultLookup();
    var open =
        LINKER.downcallHandle(
            c.findOrThrow("open"),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(2));
    var duplicate =
        LINKER.downcallHandle(
            c.findOrThrow("dup2"), FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      int other = (int) open.invokeExact(arena.allocateFrom("/dev/null"), flags);
      assertThat(other).isNotNegative();
      assertThat((int) duplicate.invokeExact(other, descriptor)).isEqualTo(descriptor);
    }
  }

  /** What the device sends in every packet of the queue pair: DSCP and ECN. */
  static int trafficClass(QueuePair queuePair) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      var query =
          LINKER.downcallHandle(
              SymbolLookup.libraryLookup("libibverbs.so.1", Arena.global())
                  .findOrThrow("ibv_query_qp"),
              FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, ADDRESS));
      MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, 8);
      MemorySegment init = arena.allocate(INIT_BYTES, 8);
      int error = (int) query.invokeExact(queuePair.pointer(), attributes, MASK_ADDRESS, init);
      assertThat(error).isZero();
      return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, TRAFFIC_CLASS));
    }
  }
}
