package org.slipstream.ntb;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.TransportHost;

/**
 * How a session begins. The client makes its segment and says HELLO; the server maps it, makes its
 * own and says WELCOME with a challenge; the client maps that and says CONFIRM, which only a
 * process with the cluster key can. Messages that find no room are sent again until a deadline.
 *
 * <p>One object for each end of a session. Its fields belong to the reactor; segments are made and
 * mapped on the set-up thread.
 */
final class Handshake {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.ntb");
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final long GRACE_NS = 3_000_000_000L;
  private static final long RETRY_NS = 2_000_000L;

  private final TransportHost host;
  private final SetupThread setup;
  private final NtbSession session;
  private final boolean client;

  /** What the peer calls the session, in HELLO; 0 at the client. */
  private final long helloSender;

  private final MessageMac mac;
  private final long deadline = System.nanoTime() + GRACE_NS;
  private long challenge;
  private @Nullable Exported own;
  private boolean done;

  private Handshake(
      TransportHost host,
      SetupThread setup,
      MessageMac mac,
      NtbSession session,
      boolean client,
      long helloSender) {
    this.host = host;
    this.setup = setup;
    this.mac = mac;
    this.helloSender = helloSender;
    this.session = session;
    this.client = client;
    host.reactor()
        .schedule(
            GRACE_NS,
            () -> {
              if (!done) {
                fail("the peer does not answer");
              }
            });
  }

  NtbSession session() {
    return session;
  }

  /**
   * Whether the message is the HELLO that began this: sent again, or replayed by an unproven peer.
   */
  boolean isAnswerTo(Fabric fabric, Message hello) {
    return !client
        && helloSender == hello.sender()
        && session.fabric().equals(fabric)
        && session.peerNode() == hello.node();
  }

  /**
   * The client's first step. Reactor.
   *
   * @param mac of the cluster key, for this handshake alone
   */
  static Handshake begin(
      TransportHost host, SetupThread setup, MessageMac mac, NtbSession session) {
    Handshake h = new Handshake(host, setup, mac, session, true, 0);
    h.inBackground(() -> {
      Exported segment = session.fabric().export(SessionLayout.BYTES);
      h.onReactor(
          List.of(segment),
          () -> {
            h.own = segment;
            session.owns(segment);
            h.send(
                Message.hello(
                    session.fabric(), segment.id(), session.name(), host.processId(), h.mac));
          });
    });
    return h;
  }

  /**
   * HELLO has arrived: the server's step. Reactor.
   *
   * @param mac of the cluster key, for this handshake alone
   */
  static Handshake answer(
      TransportHost host, SetupThread setup, MessageMac mac, NtbSession session, Message hello)
      throws IOException {
    Handshake h = new Handshake(host, setup, mac, session, false, hello.sender());
    if (!hello.isProven(h.mac, 0)) {
      throw new IOException("HELLO of node " + hello.node() + " does not prove the cluster key");
    }
    h.challenge = RANDOM.nextLong();
    h.connected(
        hello.node(),
        hello.segment(),
        theirs -> {
          Exported segment;
          try {
            segment = session.fabric().export(SessionLayout.BYTES);
          } catch (IOException e) {
            theirs.close();
            throw e;
          }
          h.onReactor(
              List.of(theirs, segment),
              () -> {
                h.own = segment;
                session.owns(segment);
                h.join(hello.sender(), theirs);
                h.send(
                    Message.welcome(
                        hello.sender(), segment.id(), session.name(), h.challenge, h.mac));
              });
        });
    return h;
  }

  /** WELCOME or CONFIRM has arrived. Reactor. */
  void received(Message message) throws IOException {
    if (done) {
      return;
    }
    if (client && message.kind() == Message.WELCOME && own != null) {
      if (!message.isProven(mac, 0)) {
        throw new IOException("WELCOME does not prove the cluster key");
      }
      challenge = message.challenge();
      connected(
          session.peerNode(),
          message.segment(),
          theirs -> {
            onReactor(
                List.of(theirs),
                () -> {
                  join(message.sender(), theirs);
                  send(Message.confirm(message.sender(), challenge, mac));
                  done = true;
                  session.open();
                });
          });
    } else if (!client && message.kind() == Message.CONFIRM) {
      if (!message.isProven(mac, challenge)) {
        throw new IOException("CONFIRM does not prove the cluster key");
      }
      done = true;
      session.open();
    }
  }

  private void join(long peersName, Imported theirs) {
    long clientName = client ? session.name() : peersName;
    long serverName = client ? peersName : session.name();
    MessageMac toServer = mac(clientName, serverName, true);
    MessageMac toClient = mac(clientName, serverName, false);
    Exported segment = Objects.requireNonNull(own);
    session.join(
        peersName,
        theirs,
        new MessageRing(
            segment.memory(), theirs, client ? toServer : toClient, client ? toClient : toServer));
  }

  private MessageMac mac(long clientName, long serverName, boolean fromClient) {
    ByteBuffer about = ByteBuffer.allocate(3 * Long.BYTES + 1);
    about.putLong(clientName).putLong(serverName).putLong(challenge);
    return MessageMac.of(mac.derive(about.put((byte) (fromClient ? 1 : 2)).flip()));
  }

  private void send(byte[] message) {
    if (session.isOpen()
        && !session.fabric().send(session.peerNode(), session.peerInbox(), message)
        && System.nanoTime() - deadline < 0) {
      host.reactor().schedule(RETRY_NS, () -> send(message));
    }
  }

  /** What may take long. */
  private interface Step {
    void run() throws IOException;
  }

  private void inBackground(Step step) {
    setup.execute(() -> {
      try {
        step.run();
      } catch (IOException e) {
        failed(e);
      }
    });
  }

  /** With the peer's segment, when it is there. */
  private void connected(int node, int segment, SetupThread.Connected then) {
    setup.connect(session.fabric(), node, segment, false, then, this::failed);
  }

  private void failed(IOException e) {
    host.reactor().execute(() -> fail(String.valueOf(e.getMessage())));
  }

  /** Goes on, unless the session has ended meanwhile: then what was made for it is given back. */
  private void onReactor(List<Closeable> made, Runnable task) {
    host.reactor()
        .execute(() -> {
          if (session.isOpen()) {
            task.run();
          } else {
            made.forEach(Quietly::close);
          }
        });
  }

  private void fail(String cause) {
    LOG.log(Level.DEBUG, () -> "No session over " + session.fabricName() + ": " + cause);
    done = true;
    session.fail(cause);
  }
}
