package org.slipstream.it.contracts;

import java.io.Closeable;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/** Every option of every class, set to good and bad values, and read back. */
public final class OptionProgram {
  private static final List<SocketOption<?>> OPTIONS =
      List.of(
          StandardSocketOptions.IP_TOS,
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_SNDBUF,
          StandardSocketOptions.SO_LINGER,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT,
          StandardSocketOptions.SO_BROADCAST,
          StandardSocketOptions.TCP_NODELAY,
          StandardSocketOptions.SO_KEEPALIVE,
          StandardSocketOptions.IP_MULTICAST_TTL,
          ExtendedSocketOptions.TCP_KEEPIDLE,
          ExtendedSocketOptions.TCP_KEEPCOUNT,
          ExtendedSocketOptions.TCP_QUICKACK,
          ExtendedSocketOptions.SO_INCOMING_NAPI_ID,
          ExtendedSocketOptions.SO_PEERCRED,
          ExtendedSocketOptions.IP_DONTFRAGMENT);

  private static final List<@Nullable Object> VALUES =
      Arrays.asList(null, -1, 0, 1, 252, 255, 256, 65536, Integer.MAX_VALUE, true, false, "x");

  private OptionProgram() {}

  /** The methods that the classes have in common, but no type. */
  private record Subject(String name, Closeable object) {
    <T> @Nullable T get(@Nullable SocketOption<T> option) throws IOException {
      return switch (object) {
        case Socket s -> s.getOption(option);
        case ServerSocket s -> s.getOption(option);
        default -> ((NetworkChannel) object).getOption(option);
      };
    }

    @SuppressWarnings("unchecked") // as programs without generics do
    void set(@Nullable SocketOption<?> option, @Nullable Object value) throws IOException {
      SocketOption<Object> any = (SocketOption<Object>) option;
      switch (object) {
        case Socket s -> Objects.requireNonNull(s.setOption(any, value));
        case ServerSocket s -> Objects.requireNonNull(s.setOption(any, value));
        default -> Objects.requireNonNull(((NetworkChannel) object).setOption(any, value));
      }
    }

    Set<String> supported() {
      Set<SocketOption<?>> options =
          switch (object) {
            case Socket s -> s.supportedOptions();
            case ServerSocket s -> s.supportedOptions();
            default -> ((NetworkChannel) object).supportedOptions();
          };
      return new TreeSet<>(options.stream().map(SocketOption::name).toList());
    }
  }

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    List<Subject> subjects =
        List.of(
            new Subject("Socket", new Socket()),
            new Subject("ServerSocket", new ServerSocket()),
            new Subject("SocketChannel", SocketChannel.open()),
            new Subject("ServerSocketChannel", ServerSocketChannel.open()),
            new Subject("adaptor", SocketChannel.open().socket()),
            new Subject("server adaptor", ServerSocketChannel.open().socket()),
            new Subject("AsynchronousSocketChannel", AsynchronousSocketChannel.open()),
            new Subject("AsynchronousServerSocketChannel", AsynchronousServerSocketChannel.open()));
    for (Subject subject : subjects) {
      all(subject);
      subject.object().close();
      all(new Subject("closed " + subject.name(), subject.object()));
    }
    System.exit(0); // whatever is left open
  }

  private static void all(Subject subject) {
    String name = subject.name();
    Probe.see(name + " supports", subject::supported);
    Probe.see(name + " null", () -> subject.get(null));
    Probe.deed(name + " null=1", () -> subject.set(null, 1));
    for (SocketOption<?> option : OPTIONS) {
      Probe.see(name + " " + option, () -> subject.get(option));
      for (Object value : VALUES) {
        Probe.see(
            name + " " + option + "=" + value,
            () -> {
              subject.set(option, value);
              return "done, " + subject.get(option);
            });
      }
    }
  }
}
