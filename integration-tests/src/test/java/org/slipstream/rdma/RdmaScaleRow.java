package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.Closeable;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Link;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * What many peers, and many streams of one peer, cost a process: locked memory and threads. Each
 * peer is an endpoint with a process id of its own. Runs inside the guest.
 */
public class RdmaScaleRow {
  /** Peer processes, each with one stream. */
  private static final int PEERS = Integer.getInteger("slipstream.test.peers", 16);

  /** Streams of one peer. */
  private static final int STREAMS = Integer.getInteger("slipstream.test.streams", 1_000);

  /** So many connect at once: an emulated device takes its time. */
  private static final int AT_ONCE = 4;

  private static final int RING = 256 * 1024;
  private static final int SMALL_RING = 16 * 1024;
  private static final long BUDGET = 4L << 30;

  /** What docs/RDMA.md says of a peer with one stream. */
  private static final long IDLE_PEER = 368 * 1024;

  /** Peers with a key are not counted as unproven ones. */
  private static final byte[] KEY = new byte[32];

  private static final String THREAD = "slipstream-rdma";
  private static final int MESSAGE_BYTES = 100;

  /** What a session is told the time is. */
  private long clock = System.nanoTime();

  private final List<TestHost> hosts = new ArrayList<>();
  private final List<RdmaEndpoint> endpoints = new ArrayList<>();

  /** Of other tests: some may still be about to end, and one may hear of the device's removal. */
  private final Set<Thread> others = Set.copyOf(threads());

  @AfterEach
  void end() {
    hosts.forEach(TestHost::close);
    endpoints.forEach(RdmaEndpoint::close);
    hosts.clear();
    endpoints.clear();
  }

  private TestHost host(int ringBytes) {
    TestHost host = new TestHost(ProcessId.random(), ringBytes, BUDGET);
    hosts.add(host);
    return host;
  }

  private RdmaEndpoint endpoint(TestHost host) {
    RdmaEndpoint made = new RdmaEndpoint(host, RdmaEndpoints.DEFAULTS, FabricKey.of(KEY));
    endpoints.add(made);
    return made;
  }

  private static List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().equals(THREAD))
        .toList();
  }

  private long ownThreads() {
    return threads().stream().filter(t -> !others.contains(t)).count();
  }

  /** What the kernel has pinned for this process: both ends. */
  private static long kernelPinned() throws Exception {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmPin:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
        .sum();
  }

  private static long pinned(Session session) {
    return (long) session.describe().get("pinnedBytes");
  }

  @Test
  void manyPeersTakeLittleMemoryAndNoThreads() throws Exception {
    InetSocketAddress address = new InetSocketAddress(RdmaEndpoints.HOST, 7991);
    final long before = kernelPinned();
    TestHost serverHost = host(RING);
    RdmaEndpoint server = endpoint(serverHost);
    try (Closeable announced = server.announce(address)) {
      assertThat(announced).isNotNull();
      long began = System.nanoTime();
      List<Session> sessions = connectAll(address);
      await().until(() -> serverHost.opened.size() == PEERS);
      long took = System.nanoTime() - began;
      for (int i = 0; i < PEERS; i++) {
        TestHost host = hosts.get(i + 1);
        Session there = acceptedOf(serverHost, host);
        Link link = join(serverHost, there, host, sessions.get(i)).link();
        link.publish(0, i + 1L);
        link.flush();
      }
      assertThat(ownThreads()).as("one of the server, and one of each peer").isEqualTo(1 + PEERS);
      assertThat(serverHost.opened).allMatch(s -> pinned(s) == IDLE_PEER);
      long kernel = kernelPinned() - before;
      System.out.printf(
          "%d peers with one stream each: %d KiB pinned for each, %d KiB of both ends by the"
              + " kernel; %.1f ms to connect each%n",
          PEERS, IDLE_PEER >> 10, kernel >> 10, took / 1e6 / PEERS);
      assertThat(kernel).isPositive().isLessThanOrEqualTo(2L * PEERS * IDLE_PEER);
    }
    end();
    await().until(() -> kernelPinned() <= before);
  }

  /** Connects a new process for each session. */
  private List<Session> connectAll(InetSocketAddress address) throws Exception {
    List<Session> sessions = new ArrayList<>();
    while (sessions.size() < PEERS) {
      List<CompletableFuture<Session>> asked = new ArrayList<>();
      for (int i = 0; i < Math.min(AT_ONCE, PEERS - sessions.size()); i++) {
        TestHost host = host(RING);
        asked.add(host.find(endpoint(host), address));
      }
      for (CompletableFuture<Session> each : asked) {
        int peer = sessions.size() + 1; // the first host is the server's
        sessions.add(await().until(() -> foundBy(peer, each, address), Objects::nonNull));
      }
    }
    return sessions;
  }

  /** A loaded machine does not answer each peer in time: it asks again, as its streams would. */
  private @Nullable Session foundBy(
      int peer, CompletableFuture<Session> asked, InetSocketAddress address) throws Exception {
    if (!asked.isCompletedExceptionally()) {
      return asked.getNow(null);
    }
    try {
      return hosts
          .get(peer)
          .find(endpoints.get(peer), address)
          .get(Patience.DEADLINE.toSeconds(), SECONDS);
    } catch (ExecutionException e) {
      return null;
    }
  }

  private static Session acceptedOf(TestHost serverHost, TestHost client) {
    return serverHost.opened.stream()
        .filter(s -> s.peer().equals(client.processId()))
        .findFirst()
        .orElseThrow();
  }

  /** The client's end of a stream, the server's, and the windows of both. */
  private record Joined(Link link, Link back, Window there, Window here) {}

  private static Joined join(TestHost serverHost, Session there, TestHost clientHost, Session here)
      throws Exception {
    return join(serverHost, there, clientHost, here, 1).getFirst();
  }

  /** Both ends make their windows and join those of the other. */
  private static List<Joined> join(
      TestHost serverHost, Session there, TestHost clientHost, Session here, int count)
      throws Exception {
    List<Window> servers = serverHost.onReactor(() -> windows(there, count));
    List<Window> clients = clientHost.onReactor(() -> windows(here, count));
    List<Link> backs = serverHost.onReactor(() -> links(there, servers, clients));
    List<Link> links = clientHost.onReactor(() -> links(here, clients, servers));
    List<Joined> joined = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      joined.add(new Joined(links.get(i), backs.get(i), servers.get(i), clients.get(i)));
    }
    return joined;
  }

  private static List<Window> windows(Session session, int count) throws Exception {
    List<Window> windows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      windows.add(session.allocateWindow());
    }
    return windows;
  }

  private static List<Link> links(Session session, List<Window> own, List<Window> peers)
      throws Exception {
    List<Link> links = new ArrayList<>();
    for (int i = 0; i < own.size(); i++) {
      ByteBuffer descriptor = ByteBuffer.allocate(WindowDescriptor.BYTES);
      peers.get(i).descriptor(descriptor);
      links.add(session.join(own.get(i), descriptor.flip()));
    }
    return links;
  }

  @Test
  void manyStreamsShareASessionAndGiveTheirMemoryBack() throws Exception {
    InetSocketAddress address = new InetSocketAddress(RdmaEndpoints.HOST, 7992);
    TestHost serverHost = host(SMALL_RING);
    TestHost clientHost = host(SMALL_RING);
    RdmaEndpoint server = endpoint(serverHost);
    RdmaEndpoint client = endpoint(clientHost);
    try (Closeable announced = server.announce(address)) {
      assertThat(announced).isNotNull();
      Session here = clientHost.find(client, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      await().until(() -> serverHost.opened.size() == 1);
      Session there = serverHost.opened.getFirst();
      join(serverHost, there, clientHost, here);
      final long idle = pinned(there);

      long began = System.nanoTime();
      List<Joined> joined = join(serverHost, there, clientHost, here, STREAMS);
      System.out.printf(
          "%d streams of one session: %d KiB pinned in each process, made in %d ms%n",
          1 + STREAMS, pinned(there) >> 10, (System.nanoTime() - began) / 1_000_000);
      assertThat(ownThreads()).as("one of each process").isEqualTo(2);
      assertThat(serverHost.opened).as("one queue pair for all").hasSize(1);
      assertEachCarriesItsOwn(joined);

      close(serverHost, there, joined);
      await().until(() -> pinnedAfterAMinute(there), bytes -> bytes == idle);
      List<Joined> again = join(serverHost, there, clientHost, here, 20);
      assertEachCarriesItsOwn(again);
      assertThat(serverHost.lost).isEmpty();
    }
  }

  /** What each writes arrives in its window, and nowhere else. */
  private static void assertEachCarriesItsOwn(List<Joined> joined) {
    for (int i = 0; i < joined.size(); i++) {
      Link link = joined.get(i).link();
      link.sendRing().asSlice(0, MESSAGE_BYTES).fill((byte) i);
      link.push(0, MESSAGE_BYTES);
      link.publish(0, MESSAGE_BYTES + (long) i);
    }
    joined.getLast().link().flush();
    await().until(() -> haveArrived(joined));
    for (int i = 0; i < joined.size(); i++) {
      Window there = joined.get(i).there();
      assertThat(there.ring().get(JAVA_BYTE, MESSAGE_BYTES - 1)).isEqualTo((byte) i);
      assertThat(there.ring().get(JAVA_BYTE, MESSAGE_BYTES)).isZero();
    }
  }

  private static boolean haveArrived(List<Joined> joined) {
    for (int i = 0; i < joined.size(); i++) {
      if (RdmaEndpoints.word(joined.get(i).there(), 0) != MESSAGE_BYTES + (long) i) {
        return false;
      }
    }
    return true;
  }

  /** Both ends of the streams are closed; the memory of the server's is free. */
  private static void close(TestHost host, Session there, List<Joined> joined) throws Exception {
    for (Joined each : joined) {
      each.link().release();
      each.back().release();
    }
    host.onReactor(() -> {
      joined.forEach(each -> each.there().free());
      return there;
    });
  }

  /** The device may not have reported all completions yet: then a minute goes by once more. */
  private long pinnedAfterAMinute(Session session) throws Exception {
    RdmaSession rdma = (RdmaSession) session;
    CompletableFuture<Long> after = new CompletableFuture<>();
    clock += SessionSlabs.UNUSED_NS;
    rdma.events()
        .execute(() -> {
          rdma.trim(clock);
          after.complete(pinned(session));
        });
    return after.get(Patience.DEADLINE.toSeconds(), SECONDS);
  }
}
