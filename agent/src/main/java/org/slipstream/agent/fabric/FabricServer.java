package org.slipstream.agent.fabric;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.SelectorProviders;

/**
 * The end of a check that waits for the other. It listens at one port, for the client's questions
 * and for each connection that is measured, whatever carries that: as any server of the user's
 * would.
 *
 * <p>A client proves nothing, so it can ask for little: there is one check at a time, which ends
 * after {@link #CHECK_SECONDS}; {@link #MOST_CONNECTIONS} are open at once, and one that does not
 * say in {@link #SILENCE_SECONDS} what it is for is closed; each has two buffers of 64 KiB, however
 * large the sizes are that it asks for; nothing is written to a file, nothing is said of this host
 * but what {@link HostReport} has, and programs of others run only if the operator has allowed it:
 * known ones, with arguments of ours, one at a time.
 */
public final class FabricServer implements Closeable {
  static final int MOST_CONNECTIONS = 16;
  static final long CHECK_SECONDS = 300;
  static final long SILENCE_SECONDS = 10;

  private static final int TOKEN_BYTES = 16;

  /** In which a program of others begins to wait for its client. */
  private static final long TOOL_STARTS_MS = 1_000;

  private final ServerSocketChannel listener;
  private final HostReport report;
  private final Consumer<String> log;
  private final @Nullable VendorTools tools;
  private final Watchdog watchdog = new Watchdog();
  private final SecureRandom random = new SecureRandom();
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

  /** The one that is under way; guarded by this. */
  private @Nullable Check check;

  /** How many checks have ended; guarded by this. */
  private int ended;

  /** What one client asked for. Its map is guarded by the server. */
  private record Check(String token, Map<String, SocketChannel> joined) {}

  /**
   * Listens.
   *
   * @param installation whose transports are checked
   * @param address where
   * @param report what the clients are told of this host
   * @param log a line for each check
   * @param tools that clients may have started; null = none
   * @throws IOException the address can not be bound, for example
   */
  FabricServer(
      Installation installation,
      InetSocketAddress address,
      HostReport report,
      Consumer<String> log,
      @Nullable VendorTools tools)
      throws IOException {
    this.report = report;
    this.log = log;
    this.tools = tools;
    this.listener = SelectorProviders.of(installation).openServerSocketChannel();
    try {
      listener.bind(address);
    } catch (IOException e) {
      listener.close();
      throw new IOException("can not listen at " + address + ": " + e.getMessage(), e);
    }
  }

  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) listener.getLocalAddress();
  }

  /**
   * Serves one check after the other until it is closed.
   *
   * @param once whether it ends with the first
   */
  void serve(boolean once) throws IOException {
    while (!(once && hasEnded())) {
      SocketChannel channel;
      try {
        channel = listener.accept();
      } catch (ClosedChannelException e) {
        return;
      }
      if (open.size() >= MOST_CONNECTIONS) {
        Watchdog.closeQuietly(channel);
        continue;
      }
      open.add(channel);
      Thread.ofPlatform()
          .daemon()
          .name("slipstream-fabric")
          .start(() -> {
            try {
              talk(channel, once);
            } catch (IOException | RuntimeException e) {
              say(channel, "is closed: " + e.getMessage());
            } finally {
              open.remove(channel);
              Watchdog.closeQuietly(channel);
            }
          });
    }
  }

  private synchronized boolean hasEnded() {
    return ended > 0;
  }

  private void say(SocketChannel channel, String what) {
    String from = "a client";
    try {
      SocketAddress remote = channel.getRemoteAddress();
      from = remote == null ? from : remote.toString().substring(1);
    } catch (IOException e) {
      from = "a client that is gone";
    }
    log.accept("fabric: " + from + " " + what);
  }

  private void talk(SocketChannel channel, boolean once) throws IOException {
    Future<?> silence = watchdog.closeAfter(SILENCE_SECONDS, channel);
    Message first;
    try {
      first = Message.read(channel);
    } catch (Message.VersionException e) {
      Message.of("version").send(channel);
      throw e;
    } finally {
      silence.cancel(false);
    }
    switch (first.verb()) {
      case "hello" -> control(channel, once);
      case "join" -> join(channel, first.argument());
      default -> Message.of("refused", "there is no '" + first.verb() + "'").send(channel);
    }
  }

  // -- the connection of the questions ---------------------------------------------------------

  private void control(SocketChannel channel, boolean once) throws IOException {
    Check begun = begin();
    if (begun == null) {
      Message.of("busy").send(channel);
      return;
    }
    Future<?> limit = watchdog.closeAfter(CHECK_SECONDS, channel);
    say(channel, "checks");
    ToolRun tool = null;
    try {
      new Message("welcome", begun.token, report.lines()).send(channel);
      while (true) {
        Message question = Message.read(channel);
        if (question.verb().equals("why")) {
          Message.of("because", why(begun, question.argument())).send(channel);
        } else if (question.verb().equals("tool")) {
          end(tool);
          tool = null;
          List<String> command = command(question.argument());
          if (command.isEmpty()) {
            Message.of("refused", "it is not installed, or may not be run").send(channel);
            continue;
          }
          say(channel, "has '" + String.join(" ", command) + "' run");
          tool = ToolRun.start(command);
          started(tool).send(channel);
        } else {
          return;
        }
      }
    } catch (IOException e) {
      // The client has what it wanted, or has gone.
    } finally {
      end(tool);
      limit.cancel(false);
      end(begun);
      say(channel, "has ended its check");
      if (once) {
        listener.close();
      }
    }
  }

  /** A client's {@code NAME NODE} as a command; empty if it is not run. */
  private List<String> command(String argument) {
    String[] words = argument.split(" ", 2);
    VendorTools allowed = tools;
    return allowed == null
        ? List.of()
        : allowed.waiting(words[0], words.length > 1 ? words[1] : "").orElse(List.of());
  }

  private static Message started(ToolRun tool) throws IOException {
    try {
      return tool.endsWithin(TOOL_STARTS_MS)
          ? Message.of("refused", "it ended at once: " + String.join("; ", tool.lines()))
          : Message.of("started");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void end(@Nullable ToolRun tool) {
    if (tool != null) {
      tool.close();
    }
  }

  private synchronized @Nullable Check begin() {
    if (check != null) {
      return null;
    }
    byte[] token = new byte[TOKEN_BYTES];
    random.nextBytes(token);
    Check begun = new Check(HexFormat.of().formatHex(token), new LinkedHashMap<>());
    check = begun;
    return begun;
  }

  private synchronized void end(Check over) {
    check = null;
    ended++;
    over.joined.values().forEach(Watchdog::closeQuietly);
  }

  /** Why a stream is plain at this end. */
  private synchronized String why(Check current, String transport) {
    SocketChannel channel = current.joined.get(transport);
    StreamStatus status = channel == null ? null : Installation.status(channel);
    return status == null || status.reason() == Reason.NOT_YET_ELIGIBLE // it was not asked
        ? ""
        : status.reason() + ": " + status.reason().advice();
  }

  // -- a connection that is measured -----------------------------------------------------------

  private void join(SocketChannel channel, String argument) throws IOException {
    String[] words = argument.split(" ", 2);
    boolean joined = words.length == 2 && isJoined(words[0], words[1], channel);
    if (!joined) {
      Message.of("refused", "this connection belongs to no check that is under way").send(channel);
      return;
    }
    Message.of("ok").send(channel);
    new Traffic(channel).serve();
  }

  private synchronized boolean isJoined(String token, String transport, SocketChannel channel) {
    Check current = check;
    return current != null
        && current.token.equals(token)
        && (transport.equals(FabricOutcome.TCP)
            || report.transports().stream().anyMatch(t -> t.name().equals(transport)))
        && current.joined.putIfAbsent(transport, channel) == null;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    open.forEach(Watchdog::closeQuietly);
    watchdog.close();
  }
}
