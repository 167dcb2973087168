package org.slipstream.testkit.transport.mapped;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;

/**
 * This process in the runtime directory: the file {@code PORT.ID.x} says that process ID listens
 * there, and {@code ID.ID.x.session} is a session that the second process has made with the first.
 */
final class MappedFileEndpoint implements Endpoint {
  private static final long POLL_NS = 1_000_000;

  private final TransportHost host;
  private final Path directory;

  /** Sessions that this process made, by the peer's id. Reactor only, as is the list of all. */
  private final Map<String, MappedFileSession> made = new HashMap<>();

  private final List<MappedFileSession> all = new ArrayList<>();
  private volatile boolean closed;

  MappedFileEndpoint(TransportHost host) throws IOException {
    this.host = host;
    String path = Objects.requireNonNull(host.settings().runtimeDirectory());
    directory = Files.createDirectories(Path.of(path));
    host.reactor().execute(this::poll);
  }

  @Override
  public Closeable announce(InetSocketAddress address) throws IOException {
    String name = "%d.%s.".formatted(address.getPort(), host.processId());
    Path file = Files.createTempFile(directory, name, "");
    return () -> Files.deleteIfExists(file);
  }

  @Override
  public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
    return remote.getAddress().isLoopbackAddress();
  }

  @Override
  public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
    List<Session> found = new ArrayList<>();
    try {
      Set<String> peers = new TreeSet<>();
      list(remote.getPort() + ".*").forEach(file -> peers.add(secondId(file)));
      for (String peer : peers) {
        if (!made.containsKey(peer)) {
          String name = "%s.%s.".formatted(peer, host.processId());
          made.put(peer, open(Files.createTempFile(directory, name, ".session"), peer, 0));
        }
        found.add(made.get(peer));
      }
    } catch (IOException e) {
      host.warn("connected streams stay on TCP: " + e.getMessage());
    }
    found.forEach(answer);
    return found.size();
  }

  private void poll() {
    if (closed) {
      return;
    }
    try {
      for (Path file : list(host.processId() + ".*.session")) {
        if (Files.size(file) > 0) { // else the peer is about to make it
          host.sessionOpened(open(file, secondId(file), 1));
        }
      }
    } catch (IOException e) {
      host.warn("accepted streams stay on TCP: " + e.getMessage());
    }
    List.copyOf(all).forEach(MappedFileSession::poll);
    host.reactor().schedule(POLL_NS, this::poll);
  }

  private MappedFileSession open(Path file, String peer, int side) throws IOException {
    MappedFileSession session = new MappedFileSession(host, file, peer, side, this::ended);
    all.add(session);
    return session;
  }

  private void ended(MappedFileSession session) {
    all.remove(session);
    made.values().remove(session);
  }

  private List<Path> list(String glob) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, glob)) {
      files.forEach(found::add);
    }
    return found;
  }

  private static String secondId(Path file) {
    return String.valueOf(file.getFileName()).split("\\.", -1)[1];
  }

  @Override
  public void close() {
    closed = true;
    host.reactor()
        .execute(() -> List.copyOf(all).forEach(session -> session.abort("the process leaves")));
  }
}
