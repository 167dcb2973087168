package org.slipstream.provider.nio;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.FileTransfer;
import org.slipstream.core.stream.WaitingConnection;

/**
 * The JDK's own provider, although ours is the configured one. The only class that touches {@code
 * sun.nio.ch}.
 *
 * <p>Three ways in, tried in this order: the package was exported and opened to us (the agent does
 * that with {@code Instrumentation.redefineModule}, an operator may with {@code --add-exports});
 * {@code Unsafe.allocateInstance} makes a second instance of the provider class, which is sound
 * because the class has no instance fields; {@link NativeRoute} exports the package. The second and
 * third way can not ask the kernel about a descriptor.
 */
final class DefaultProvider {
  /** Where the JDK keeps its sockets. */
  static final String PACKAGE = "sun.nio.ch";

  private static final String INTERNALS = "org.slipstream.provider.jdk.JdkChannelInternals";
  private static final String UNREACHABLE =
      "the JDK's own socket provider can not be reached; start with -javaagent:slipstream.jar"
          + " or add --add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

  /** Several threads may make one each; they are all alike. */
  private static volatile @Nullable ChannelInternals internals;

  private DefaultProvider() {}

  /**
   * Finds it.
   *
   * @throws IllegalStateException with one sentence on what to do
   */
  static SelectorProvider find() {
    return find(ChannelInternals::selectors, SelectorProvider.class, selectors(system()));
  }

  /**
   * Finds the JDK's own provider of asynchronous channels.
   *
   * @throws IllegalStateException with one sentence on what to do
   */
  static AsynchronousChannelProvider findAsynchronous() {
    return find(
        ChannelInternals::asynchronous, AsynchronousChannelProvider.class, asynchronous(system()));
  }

  private static String system() {
    return System.getProperty("os.name", "");
  }

  /**
   * The JDK's provider class on a system: also where Slipstream does nothing, the property may name
   * us, and then the program gets the JDK's channels from us.
   */
  static String selectors(String system) {
    return PACKAGE
        + (system.startsWith("Windows")
            ? ".WEPollSelectorProvider"
            : system.startsWith("Mac") ? ".KQueueSelectorProvider" : ".EPollSelectorProvider");
  }

  /** As {@link #selectors}, of asynchronous channels. */
  static String asynchronous(String system) {
    return PACKAGE
        + (system.startsWith("Windows")
            ? ".WindowsAsynchronousChannelProvider"
            : system.startsWith("Mac")
                ? ".BsdAsynchronousChannelProvider"
                : ".LinuxAsynchronousChannelProvider");
  }

  private static <P> P find(Function<ChannelInternals, P> factory, Class<P> type, String provider) {
    try {
      return factory.apply(internals());
    } catch (IllegalStateException | LinkageError notExported) {
      try {
        return type.cast(withUnsafe(provider));
      } catch (ReflectiveOperationException noUnsafe) {
        try {
          NativeRoute.export(PACKAGE);
          return factory.apply(internals());
        } catch (ReflectiveOperationException | IllegalStateException | LinkageError e) {
          e.addSuppressed(noUnsafe);
          e.addSuppressed(notExported);
          throw new IllegalStateException(UNREACHABLE, e);
        }
      }
    }
  }

  /**
   * What is public in the JDK's package.
   *
   * @throws IllegalStateException if the package is not exported to us, or is another JDK's
   */
  static ChannelInternals internals() {
    ChannelInternals known = internals;
    if (known == null) {
      try {
        known = (ChannelInternals) JdkAccess.make(INTERNALS, Set.of(PACKAGE));
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        Throwable why = e instanceof InvocationTargetException ? e.getCause() : e;
        throw new IllegalStateException(
            "the JDK's own channels can not be reached (" + why + "); start with the agent", why);
      }
      internals = known;
    }
    return known;
  }

  private static Object withUnsafe(String type) throws ReflectiveOperationException {
    Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
    Field theUnsafe = unsafeClass.getDeclaredField("theUnsafe");
    theUnsafe.setAccessible(true);
    Object unsafe = theUnsafe.get(null);
    Method allocate = unsafeClass.getMethod("allocateInstance", Class.class);
    Object provider = allocate.invoke(unsafe, Class.forName(type));
    if (provider == null) {
      throw new ReflectiveOperationException("no instance of " + type);
    }
    return provider;
  }

  /**
   * Whether the kernel still has a peer for a connected socket: an accept queue may hold a
   * connection that was reset long ago, and a new one of the same addresses behind it.
   *
   * @param channel of the JDK's own provider
   * @return false only if it is certain that the connection is dead
   */
  static boolean isAlive(SocketChannel channel) {
    ChannelInternals channels = Peer.CHANNELS;
    MethodHandle remoteAddress = Peer.REMOTE_ADDRESS;
    if (channels == null || remoteAddress == null) {
      return channel.isOpen();
    }
    try {
      FileDescriptor fd = channels.descriptor(WaitingConnection.kernelOf(channel));
      return remoteAddress.invoke(fd) != null;
    } catch (IOException e) {
      return false; // getpeername: ENOTCONN
    } catch (Throwable e) {
      return channel.isOpen();
    }
  }

  /**
   * Looks up what {@link KernelWait} calls.
   *
   * @throws IllegalStateException if the package is not open to us
   */
  static MethodHandle internal(String type, String name, Class<?>... parameters) {
    try {
      Class<?> owner = Class.forName(PACKAGE + "." + type, false, null); // starts nothing
      return JdkAccess.to(owner.getDeclaredMethod(name, parameters));
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw unreachable(type, name, e);
    }
  }

  private static IllegalStateException unreachable(String type, String name, Exception cause) {
    return new IllegalStateException(
        "the JDK's own " + type + "." + name + " can not be reached; start with the agent", cause);
  }

  /**
   * The private methods of the JDK that the agent teaches to ask {@link
   * org.slipstream.core.stream.FileEnd}. Nothing is initialized; needs no opened package.
   *
   * @throws NoSuchMethodException this JDK has other ones
   */
  static List<FileSeam> fileSeams() throws ReflectiveOperationException {
    String files = PACKAGE + ".FileChannelImpl";
    return List.of(
        seam(
            FileSeam.Kind.TRANSFER_TO,
            files,
            "transferToDirect",
            long.class,
            int.class,
            WritableByteChannel.class),
        seam(
            FileSeam.Kind.TRANSFER_FROM,
            files,
            "transferFromArbitraryChannel",
            ReadableByteChannel.class,
            long.class,
            long.class),
        seam(
            FileSeam.Kind.STREAM_TO_STREAM,
            PACKAGE + ".ChannelInputStream",
            "transferTo",
            OutputStream.class));
  }

  private static FileSeam seam(FileSeam.Kind kind, String type, String name, Class<?>... parameters)
      throws ReflectiveOperationException {
    Class<?> owner = Class.forName(type, false, null);
    Method m = owner.getDeclaredMethod(name, parameters);
    if (m.getReturnType() != long.class || Modifier.isStatic(m.getModifiers())) {
      throw new NoSuchMethodException("long " + type + "." + name);
    }
    return new FileSeam(kind, owner, name, MethodType.methodType(long.class, parameters));
  }

  /** The JDK's way of sending a file that has been examined; a second look costs a system call. */
  static FileTransfer.Kernel fileSender() {
    try {
      MethodHandle direct =
          internal(
                  "FileChannelImpl",
                  "transferToDirect",
                  long.class,
                  int.class,
                  WritableByteChannel.class)
              .asType(
                  MethodType.methodType(
                      long.class, FileChannel.class, long.class, int.class, SocketChannel.class));
      return new DirectSender(direct);
    } catch (IllegalStateException e) {
      return FileChannel::transferTo;
    }
  }

  /** Only files of the JDK's own class come here: their class calls us. */
  private record DirectSender(MethodHandle direct) implements FileTransfer.Kernel {
    @Override
    public long send(FileChannel file, long position, long count, SocketChannel connection)
        throws IOException {
      long n;
      try {
        n =
            (long)
                direct.invokeExact(
                    file, position, (int) Math.min(count, Integer.MAX_VALUE), connection);
      } catch (IOException | RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IOException(e);
      }
      return n >= 0 ? n : file.transferTo(position, count, connection); // its other ways
    }
  }

  /** Initialises a class of the package; for its side effects. */
  static void initialize(String type) {
    try {
      Class.forName(PACKAGE + "." + type);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Lazily, because most ways of starting do not open the package. */
  private static final class Peer {
    static final @Nullable ChannelInternals CHANNELS = channels();
    static final @Nullable MethodHandle REMOTE_ADDRESS =
        find("Net", "remoteAddress", FileDescriptor.class);

    /** Once: what can not be made once is not tried for each connection. */
    private static @Nullable ChannelInternals channels() {
      try {
        return internals();
      } catch (IllegalStateException e) {
        return null;
      }
    }

    private static @Nullable MethodHandle find(String type, String name, Class<?>... parameters) {
      try {
        return internal(type, name, parameters);
      } catch (IllegalStateException e) {
        return null;
      }
    }
  }
}
