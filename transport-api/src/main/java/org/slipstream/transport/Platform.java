package org.slipstream.transport;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The operating system and the processor of a process, and what differs between them of all that
 * the code calls or lays out by itself. A platform that is not in the table is refused as a whole.
 *
 * <p>Not in the table, because it is the same on all of these: {@code O_CLOEXEC}, {@code
 * O_NONBLOCK}, {@code MADV_REMOVE}, {@code POLLIN}, values of {@code errno}, {@code struct pollfd},
 * {@code timespec} and {@code sockaddr}, and the functions of glibc and of musl that are called.
 * The size of a page is asked of the kernel where it matters.
 */
public final class Platform {
  private static final String SYSTEM = "Linux";
  private static final String X86 = "x86-64";
  private static final String AARCH64 = "AArch64";
  private static final String POWER = "PowerPC 64 LE";

  private final String system;
  private final String architecture;

  /** The architecture as people write it; null if it is not known. */
  private final @Nullable String processor;

  /**
   * A platform by the names that Java gives it.
   *
   * @param system as in {@code os.name}
   * @param architecture as in {@code os.arch}
   */
  public Platform(String system, String architecture) {
    this.system = system;
    this.architecture = architecture;
    this.processor =
        switch (architecture.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64" -> X86;
          case "aarch64" -> AARCH64;
          case "riscv64" -> "RISC-V 64";
          case "loongarch64" -> "LoongArch64";
          case "ppc64le" -> POWER;
          default -> null; // of 32 bits, with its bytes the other way round, or unknown
        };
  }

  /**
   * That of this process.
   *
   * @return as Java names it
   */
  public static Platform here() {
    return new Platform(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
  }

  /**
   * Why streams stay on TCP here.
   *
   * @return a sentence without its end; null if they need not
   */
  public @Nullable String objection() {
    if (!system.equals(SYSTEM)) {
      return "Slipstream needs Linux; this is " + system;
    }
    return processor == null
        ? "Slipstream needs x86-64, AArch64, RISC-V 64, LoongArch64 or PowerPC 64 LE; this is "
            + architecture
        : null;
  }

  /**
   * The number of a system call.
   *
   * @param x86 on x86-64
   * @param generic on the architectures that came later, which share one table
   * @param power on PowerPC
   * @return one of them
   * @throws UnsupportedOperationException the processor is not known
   */
  public long systemCall(int x86, int generic, int power) {
    requireKnown();
    return X86.equals(processor) ? x86 : POWER.equals(processor) ? power : generic;
  }

  /**
   * Whether this is x86-64.
   *
   * @return false also if the processor is not known
   */
  public boolean isX86() {
    return X86.equals(processor);
  }

  /**
   * Whether this is AArch64.
   *
   * @return false also if the processor is not known
   */
  public boolean isAArch64() {
    return AARCH64.equals(processor);
  }

  /**
   * Whether {@code struct epoll_event} has no gap before its data.
   *
   * @return true on x86-64 alone
   * @throws UnsupportedOperationException the processor is not known
   */
  public boolean packsEpollEvents() {
    requireKnown();
    return X86.equals(processor);
  }

  /**
   * Whether Java's fences order stores into the memory of a device, too.
   *
   * @return true on x86-64 alone
   */
  public boolean ordersDeviceStores() {
    return X86.equals(processor);
  }

  /** As people write it. */
  @Override
  public String toString() {
    return system + " on " + (processor == null ? architecture : processor);
  }

  private void requireKnown() {
    if (processor == null) {
      throw new UnsupportedOperationException(objection());
    }
  }
}
