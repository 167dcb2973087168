package org.slipstream.core.stream;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.Channel;
import java.nio.channels.FileChannel;
import java.util.function.Supplier;

/**
 * A channel that moves files by itself if it is asked to. The JDK asks only classes of its own;
 * where the agent is on, its {@link FileChannel} asks this one too.
 *
 * <p>The JDK's classes can not name ours. So a channel of this kind is a {@link Supplier}, which
 * they can name, of a method handle {@code (Object, FileChannel, long, long, boolean) -> long} that
 * calls {@link #move} of its first argument.
 */
public interface FileEnd extends Channel, Supplier<MethodHandle> {

  /**
   * Moves bytes between a file and this channel, as {@link FileChannel#transferTo} and {@link
   * FileChannel#transferFrom}; the JDK has examined the arguments.
   *
   * @param file the other end
   * @param position in the file
   * @param count how many bytes
   * @param fromFile whether the file is read, and not written
   * @return how many were moved; negative if the JDK has to do it
   * @throws IOException as the JDK's own channel
   */
  long move(FileChannel file, long position, long count, boolean fromFile) throws IOException;

  @Override
  default MethodHandle get() {
    return Handle.MOVE;
  }

  /** Not a field of the interface, which every class that implements it would initialize. */
  final class Handle {
    private static final MethodHandle MOVE = find();

    private Handle() {}

    private static MethodHandle find() {
      MethodType move =
          MethodType.methodType(
              long.class, FileChannel.class, long.class, long.class, boolean.class);
      try {
        return MethodHandles.lookup()
            .findVirtual(FileEnd.class, "move", move)
            .asType(move.insertParameterTypes(0, Object.class));
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }
  }
}
