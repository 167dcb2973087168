package org.slipstream.transport;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** This process's presence on one transport. */
public interface Endpoint extends Closeable {

  /**
   * Says to other processes that this one accepts connections on an address. Blocks for a few file
   * system calls at most.
   *
   * @param address the bound address of a listening socket, wildcard included
   * @return closed when the listener closes
   * @throws IOException if it never can be announced; streams accepted there stay plain. A
   *     transport that tries again later does not throw, but {@link TransportHost#warn warns}
   */
  Closeable announce(InetSocketAddress address) throws IOException;

  /**
   * Lets tools of the same user find this process ({@code slipstream ps}), if that is this
   * transport's job; and makes again what others need to find it and what was removed. Cheap from
   * the second call on. Any thread; blocks for a few file system calls at most.
   */
  default void beVisible() {}

  /**
   * Whether this transport could join the two ends of a connected TCP socket at all. A cheap test
   * of the addresses; says nothing about the peer.
   *
   * @param local the local address of the socket
   * @param remote the remote address of the socket
   * @return false if it is certain that it can not
   */
  boolean reaches(InetSocketAddress local, InetSocketAddress remote);

  /**
   * Finds the processes that announce an address and hands out a session with each. Called on the
   * reactor; answers on the reactor.
   *
   * @param remote the remote address of a connected TCP socket
   * @param answer called once for each session that there is or that could be made
   * @param none called once instead, and only after this has returned more than 0, if the search
   *     went on in the network and found no process
   * @return how many processes were found, or may be; 0 means that no process announces the address
   */
  int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none);

  /**
   * As {@link #findPeers(InetSocketAddress, Consumer, Runnable)}, for transports whose sessions
   * speak only for the address that they come from.
   *
   * @param local the local address of the socket
   * @param remote the remote address of the socket
   * @param answer called once for each session
   * @param none called once instead if the search found no process in the network
   * @return how many processes were found, or may be
   */
  default int findPeers(
      InetSocketAddress local, InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
    return findPeers(remote, answer, none);
  }

  /**
   * Hands out a session with each process that listens anywhere and may be asked for a connection
   * by its first segment ({@link Session#isOneKernel}), itself excepted; so many at most. Called on
   * the reactor; answers on the reactor.
   *
   * @param most how many are asked for
   * @param answer called once for each session
   * @return how many there may be
   */
  default int findListeners(int most, Consumer<Session> answer) {
    return 0;
  }

  /**
   * Why the last search from one address to another ended without a session, if a peer said so or
   * did not answer, or this process lacks something. Called on the reactor, after {@link
   * #findPeers} found no process.
   *
   * @param local the local address of the socket
   * @param remote the remote address of the socket
   * @return null if no process was found, or that can not be told
   */
  default @Nullable Refusal refusal(InetSocketAddress local, InetSocketAddress remote) {
    return null;
  }

  /**
   * Whether the last search for an address found no process for a reason that may pass: no answer
   * in time, or a peer that does not listen yet. A busy stream asks again after some seconds, and
   * then less and less often. Called on the reactor, after {@link #findPeers} found no process.
   *
   * @param remote the address that was searched for last
   * @return false if no process will be there later either, or if that can not be told
   */
  default boolean mayFindLater(InetSocketAddress remote) {
    return false;
  }
}
