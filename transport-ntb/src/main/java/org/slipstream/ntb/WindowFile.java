package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The file behind a window: its size, and its memory. A character device, such as a device-DAX
 * ({@code /dev/dax0.0}), says of itself that it has 0 bytes, and Java would try to make it longer
 * before it maps it: its size is what sysfs says, and the kernel is asked directly.
 *
 * @param path where it is
 * @param bytes how large
 * @param isDevice whether it is a character device
 */
record WindowFile(Path path, long bytes, boolean isDevice) {
  private static final Path DEVICES = Path.of("/sys/dev/char");
  private static final int TYPE_MASK = 0xF000;
  private static final int CHARACTER_DEVICE = 0x2000;
  private static final int READ_WRITE = 2;
  private static final int PROTECTION = 3;
  private static final int SHARED = 1;
  private static final long FAILED = -1;

  /** What this process has opened: to close another descriptor would give its locks back. */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  /** Looks at a file, without opening it. */
  static WindowFile of(Path path) throws IOException {
    return of(path, DEVICES);
  }

  /** As {@link #of(Path)}, with a directory that is like {@code /sys/dev/char}. */
  static WindowFile of(Path path, Path devices) throws IOException {
    Map<String, Object> attributes;
    try {
      attributes = Files.readAttributes(path, "unix:mode,rdev,size");
    } catch (IOException e) {
      throw new IOException(path + " can not be opened; is it there, and may we write it?", e);
    }
    boolean device = (number(attributes, "mode") & TYPE_MASK) == CHARACTER_DEVICE;
    long bytes =
        device ? size(path, devices, number(attributes, "rdev")) : number(attributes, "size");
    if (bytes < FileLayout.MIN_FILE_BYTES) {
      throw new IOException(
          path + " has " + bytes + " bytes, and a window needs " + FileLayout.MIN_FILE_BYTES);
    }
    return new WindowFile(path, bytes, device);
  }

  private static long number(Map<String, Object> attributes, String name) {
    return attributes.get(name) instanceof Number n ? n.longValue() : 0;
  }

  private static long size(Path path, Path devices, long number) throws IOException {
    long major = (number >>> 8 & 0xFFF) | (number >>> 32 & ~0xFFFL);
    long minor = (number & 0xFF) | (number >>> 12 & 0xFFFFFF00L);
    Path size = devices.resolve(major + ":" + minor).resolve("size");
    try {
      return Long.decode(Files.readString(size).strip());
    } catch (IOException | NumberFormatException e) {
      throw new IOException(
          path + " is a device, and " + size + " does not say how large; is it a device-DAX?", e);
    }
  }

  /**
   * Whether this process could open it, or has. Not a promise: another process of this node may
   * have taken it.
   */
  void check() throws IOException {
    if (OPEN.contains(path.toRealPath())) {
      return;
    }
    channel().close();
  }

  /** Opens it for good. */
  FileChannel open() throws IOException {
    FileChannel channel = channel();
    OPEN.add(path.toRealPath());
    return channel;
  }

  private FileChannel channel() throws IOException {
    try {
      return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException(path + " can not be opened; is it there, and may we write it?", e);
    }
  }

  /** Its memory, until the process ends. */
  MemorySegment map(FileChannel channel) throws IOException {
    return isDevice
        ? mapDevice()
        : channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, Arena.global());
  }

  @SuppressWarnings("restricted") // the size is the device's
  private MemorySegment mapDevice() throws IOException {
    long address;
    try (Arena arena = Arena.ofConfined()) {
      int descriptor = (int) C.OPEN.invokeExact(arena.allocateFrom(path.toString()), READ_WRITE);
      if (descriptor < 0) {
        throw new IOException(path + " can not be opened; may we write it?");
      }
      address =
          (long) C.MAP.invokeExact(MemorySegment.NULL, bytes, PROTECTION, SHARED, descriptor, 0L);
      // The mapping stays, and the locks are of the channel's descriptor: this one is not closed,
      // as its close would give them back.
    } catch (IOException e) {
      throw e;
    } catch (Throwable t) {
      throw new IOException(path + " can not be mapped: " + t.getMessage(), t);
    }
    if (address == FAILED) {
      throw new IOException(
          path + " can not be mapped: the kernel refuses " + bytes + " bytes of it");
    }
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** Linked when a device is mapped, and not before. */
  @SuppressWarnings("restricted")
  private static final class C {
    static final MethodHandle OPEN =
        link("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    static final MethodHandle MAP =
        link(
            "mmap",
            FunctionDescriptor.of(
                JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));

    private static MethodHandle link(String name, FunctionDescriptor type) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), type);
    }
  }
}
