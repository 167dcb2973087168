package org.slipstream.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.TestDirectory;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Link;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportSettings;
import org.slipstream.transport.Window;

/** Two processes that are open on one transport, and the session between them once it is made. */
public final class TransportPair implements Closeable {

  /** One of the two processes. */
  public static final class Side {
    private final Transport transport;
    private final TestHost host;
    private final Endpoint endpoint;
    private @Nullable Session session;

    private Side(Transport transport, TransportSettings settings, long budgetBytes)
        throws IOException {
      this.transport = transport;
      this.host = new TestHost(settings, budgetBytes);
      this.endpoint = transport.open(host);
    }

    /** What was opened. */
    public Transport transport() {
      return transport;
    }

    /** The process. */
    public TestHost host() {
      return host;
    }

    /** Its presence. */
    public Endpoint endpoint() {
      return endpoint;
    }

    /** Its end of the session. */
    public Session session() {
      return Objects.requireNonNull(session, "not connected");
    }

    /** A window of its own, allocated where the core does it. */
    public Window window() throws Exception {
      return host.call(() -> session().allocateWindow());
    }

    private Link join(Window own, ByteBuffer descriptor) throws Exception {
      return host.call(() -> session().join(own, descriptor));
    }
  }

  private final TestDirectory runtime;
  private final ServerSocket listener;
  private final InetSocketAddress local;
  private final Side server;
  private final Side client;

  /**
   * Opens both.
   *
   * @param backend what is tested
   * @param budgetBytes what the windows of each process may take
   */
  public TransportPair(Backend backend, long budgetBytes) throws IOException {
    runtime = TestDirectory.create();
    listener = new ServerSocket(0, 1, backend.serverAddress());
    local = new InetSocketAddress(backend.clientAddress(), 1);
    TransportSettings settings =
        new TransportSettings(runtime.path().resolve("r").toString(), backend.ringBytes());
    server = new Side(backend.server(), settings, budgetBytes);
    client = new Side(backend.client(), settings, budgetBytes);
  }

  /** The process that accepts. */
  public Side server() {
    return server;
  }

  /** The process that connects. */
  public Side client() {
    return client;
  }

  /** Where the server listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /** Where the client connects from. */
  public InetSocketAddress local() {
    return local;
  }

  /** The server announces its address. */
  public Closeable announce() throws IOException {
    return server.endpoint.announce(address());
  }

  /**
   * The client looks for processes at the address.
   *
   * @return the first session that it gets; null if there is none
   */
  public @Nullable Session find() throws Exception {
    CompletableFuture<@Nullable Session> answer = new CompletableFuture<>();
    int found =
        client.host.call(() ->
            client.endpoint.findPeers(
                local,
                address(),
                session -> {
                  if (!client.host.inReactor()) {
                    answer.completeExceptionally(
                        new AssertionError("findPeers answers on another thread: " + session));
                  }
                  answer.complete(session);
                },
                () -> answer.complete(null)));
    return found == 0 ? null : answer.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Why the client's last search ended without a session. */
  public @Nullable Refusal refusal() throws Exception {
    return client.host.call(() -> client.endpoint.refusal(local, address()));
  }

  /** Makes the session. */
  public TransportPair connect() throws Exception {
    announce();
    client.session = find();
    assertThat(client.session).as("a process that announces an address is found there").isNotNull();
    server.session = server.host.nextOpened();
    assertThat(server.session).as("the process that accepts hears sessionOpened").isNotNull();
    return this;
  }

  /** A new link of the session. */
  public LinkPair link() throws Exception {
    Window there = server.window();
    Window here = client.window();
    ByteBuffer fromServer = tell(server, there, client);
    ByteBuffer fromClient = tell(client, here, server);
    return new LinkPair(
        new LinkPair.End(client.join(here, fromServer), here),
        new LinkPair.End(server.join(there, fromClient), there));
  }

  /** In a frame, as the core does: a window is known to the peer from then on. */
  private static ByteBuffer tell(Side from, Window window, Side to) throws Exception {
    from.session().send(descriptor(window));
    return Objects.requireNonNull(to.host.nextFrame(to.session()), "the frame has arrived");
  }

  /** What a window says to the peer. */
  public static ByteBuffer descriptor(Window window) {
    ByteBuffer out = ByteBuffer.allocate(32);
    window.descriptor(out);
    return out.flip();
  }

  @Override
  public void close() throws IOException {
    client.endpoint.close();
    server.endpoint.close();
    client.host.close();
    server.host.close();
    listener.close();
    runtime.close();
    assertThat(client.host.failures()).as("what escaped on the client's reactor").isEmpty();
    assertThat(server.host.failures()).as("what escaped on the server's reactor").isEmpty();
  }
}
