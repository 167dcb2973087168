package org.slipstream.testkit.shape;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/** Connections of one API, as contracts use them that hold for all. */
public interface Shape {

  /** One end of a connection. Each call waits for its result. */
  interface End {

    /** Reads some bytes; -1 is the end. */
    int read(ByteBuffer target) throws Exception;

    /** Writes everything. */
    void write(ByteBuffer source) throws Exception;

    /** Reads no more. */
    void shutdownInput() throws Exception;

    /** Writes no more. */
    void shutdownOutput() throws Exception;

    /** Closes it. */
    void close() throws Exception;

    /** Closes it without lingering, if this API can. */
    void reset() throws Exception;

    /** Whether it was not closed. */
    boolean isOpen();
  }

  /**
   * The two ends of one connection.
   *
   * @param client the end that connected
   * @param server the end that was accepted
   */
  record Connection(End client, End server) {}

  /** A connection on which no byte was sent. Its server can be reset. */
  Connection freshConnection() throws Exception;

  /** A connection that the carrier carries by now. */
  Connection settledConnection() throws Exception;

  /** Whether every end can be reset, and not only the server of a fresh connection. */
  default boolean everyEndResets() {
    return true;
  }

  /** Fails unless this is how a read is told of a reset. */
  default void assertReset(@Nullable Throwable failure) {
    assertThat(failure)
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(ClosedChannelException.class)
        .hasMessage("Connection reset");
  }

  /** Fails unless this is how a write is told that the peer is gone. */
  default void assertBroken(@Nullable Throwable failure) {
    assertThat(failure)
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(ClosedChannelException.class);
  }
}
