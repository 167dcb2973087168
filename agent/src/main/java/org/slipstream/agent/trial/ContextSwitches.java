package org.slipstream.agent.trial;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.slipstream.transport.CLibrary;

/**
 * How often a thread gave up its core to wait, of the children that have ended and were waited for,
 * with theirs. {@code getrusage} adds that up for all their threads; {@code /proc/PID/task} has
 * only those that have not ended, and nothing of a process that has.
 *
 * @param voluntary so far
 */
public record ContextSwitches(long voluntary) {
  private static final ContextSwitches UNKNOWN = new ContextSwitches(-1);
  private static final int RUSAGE_CHILDREN = -1;

  /** {@code ru_nvcsw} of {@code struct rusage}, on 64 bits; {@code MuslIT} compares it with C. */
  private static final long OFFSET = 128;

  /** The struct has 144 bytes, and 272 in musl, which leaves the rest alone. */
  private static final long STRUCT_BYTES = 272;

  /**
   * Those of all children so far.
   *
   * @return not {@linkplain #areKnown known} where native access is not allowed
   * @throws IOException the kernel does not say
   */
  public static ContextSwitches ofChildren() throws IOException {
    return CLibrary.isAllowed() ? read() : UNKNOWN;
  }

  static ContextSwitches read() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MethodHandle call =
          CLibrary.link(
              "getrusage",
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
      MemorySegment usage = arena.allocate(STRUCT_BYTES, Long.BYTES);
      if ((int) call.invokeExact(RUSAGE_CHILDREN, usage) != 0) {
        throw new IOException("getrusage failed");
      }
      return new ContextSwitches(usage.get(ValueLayout.JAVA_LONG, OFFSET));
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  /**
   * Whether they were counted.
   *
   * @return false without native access
   */
  public boolean areKnown() {
    return voluntary >= 0;
  }

  /**
   * Those since.
   *
   * @param before an earlier one, which is known if this is
   * @return the difference
   */
  public ContextSwitches since(ContextSwitches before) {
    return areKnown() ? new ContextSwitches(voluntary - before.voluntary) : UNKNOWN;
  }
}
