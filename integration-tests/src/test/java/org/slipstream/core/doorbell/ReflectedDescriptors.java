package org.slipstream.core.doorbell;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;

/** The JDK's descriptors, by reflection. */
final class ReflectedDescriptors implements Descriptors {
  private static Object call(String type, String name, Class<?>[] types, Object on, Object... args)
      throws IOException {
    try {
      Method m = Class.forName("sun.nio.ch." + type).getDeclaredMethod(name, types);
      m.setAccessible(true);
      return m.invoke(on, args);
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  @Override
  public int number(SelectableChannel channel) throws IOException {
    return (int) call("SelChImpl", "getFDVal", new Class<?>[0], channel);
  }

  @Override
  public int number(FileDescriptor file) throws IOException {
    return (int) call("IOUtil", "fdVal", new Class<?>[] {FileDescriptor.class}, null, file);
  }

  @Override
  public void neverBlock(FileDescriptor file) throws IOException {
    Class<?>[] types = {FileDescriptor.class, boolean.class};
    call("IOUtil", "configureBlocking", types, null, file, false);
  }

  @Override
  public void keepFirstSegments(SelectableChannel listener) throws IOException {
    FileDescriptor fd = (FileDescriptor) call("SelChImpl", "getFD", new Class<?>[0], listener);
    Class<?>[] types = {
      FileDescriptor.class, boolean.class, int.class, int.class, int.class, boolean.class
    };
    call("Net", "setIntOption0", types, null, fd, false, 6, 27, 1, false);
  }

  @Override
  public boolean isReadable(SocketChannel connection) throws IOException {
    FileDescriptor fd = (FileDescriptor) call("SelChImpl", "getFD", new Class<?>[0], connection);
    Class<?>[] types = {FileDescriptor.class, int.class, long.class};
    return ((int) call("Net", "poll", types, null, fd, 1, 0L) & ~8) != 0;
  }

  @Override
  public long thread() {
    try {
      return (long) call("NativeThread", "current", new Class<?>[0], null);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void signal(long thread) {
    try {
      call("NativeThread", "signal", new Class<?>[] {long.class}, null, thread);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
