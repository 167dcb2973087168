package org.slipstream.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** What the core gives to a backend, and where the backend reports what its peers do. */
public interface TransportHost {

  /**
   * The id of this process.
   *
   * @return the id
   */
  ProcessId processId();

  /**
   * The daemon thread of all sessions.
   *
   * @return the reactor
   */
  Reactor reactor();

  /**
   * The process-wide limit on window memory.
   *
   * @return the budget
   */
  MemoryBudget budget();

  /**
   * The configuration as the user wrote it.
   *
   * @return the settings
   */
  TransportSettings settings();

  /**
   * Opens a socket of the JDK's own provider, never of ours.
   *
   * @param family the protocol family
   * @return an open, unconnected channel
   * @throws IOException if the process has no descriptors left, for example
   */
  SocketChannel openSocketChannel(StandardProtocolFamily family) throws IOException;

  /**
   * Opens a server socket of the JDK's own provider, never of ours.
   *
   * @param family the protocol family
   * @return an open, unbound channel
   * @throws IOException if the process has no descriptors left, for example
   */
  ServerSocketChannel openServerSocketChannel(StandardProtocolFamily family) throws IOException;

  /**
   * Whether the program has a TCP connection open that it accepted from an address and that may
   * leave TCP: then a session from there is expected. Any thread; cheap.
   *
   * @param client the remote address, without its port
   * @return false if a session from there is an unproven peer's, or comes early
   */
  default boolean hasAcceptedFrom(InetAddress client) {
    return false;
  }

  /**
   * A peer made a session with us. Called on the reactor.
   *
   * @param session the session
   */
  void sessionOpened(Session session);

  /**
   * A frame arrived. Called on the reactor. A frame is what one {@link Session#send} sent.
   *
   * @param session where it arrived
   * @param frame hostile input: the peer may have written anything
   * @throws IOException the frame is nonsense; the backend ends the session with that reason
   */
  void frameReceived(Session session, ByteBuffer frame) throws IOException;

  /**
   * The session is over: the peer process ended, or the session was ended for a fault. Called once,
   * on the reactor.
   *
   * @param session the session
   * @param cause one sentence
   */
  void sessionLost(Session session, String cause);

  /**
   * A session that a stream asked for was refused: by the peer, or by this process. Tools show it
   * at the end that asked. Called on the reactor.
   *
   * @param transport its name
   * @param remote where the peer listens
   * @param why half a sentence
   */
  default void sessionRefused(String transport, InetSocketAddress remote, String why) {}

  /**
   * Answers a question that a tool of the same user asked this process ({@code slipstream ps}).
   * Called on the reactor.
   *
   * @param question what is asked for, e.g. {@code streams}
   * @return the answer, as JSON
   */
  String inspect(String question);

  /**
   * Tells the user, on standard error, what keeps this process from a transport. Only the first
   * sentence of a process is shown. Any thread.
   *
   * @param sentence what happens, why, and what to do
   */
  default void warn(String sentence) {}
}
