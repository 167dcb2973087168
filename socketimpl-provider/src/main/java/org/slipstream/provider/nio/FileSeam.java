package org.slipstream.provider.nio;

import java.lang.invoke.MethodType;
import org.slipstream.transport.Stability;

/**
 * A method of the JDK that moves files and looks at the class of the other end.
 *
 * @param kind what it does
 * @param owner its class, perhaps not initialized
 * @param method its name
 * @param type its parameters, without the receiver
 */
@Stability(Stability.Level.INTERNAL)
public record FileSeam(Kind kind, Class<?> owner, String method, MethodType type) {

  /** What a method does, and so what its parameters mean. */
  public enum Kind {
    /** {@code (position, count, target) -> bytes}, or negative: "find another way". */
    TRANSFER_TO,

    /** {@code (source, position, count) -> bytes}. */
    TRANSFER_FROM,

    /** {@code (output stream) -> bytes}. */
    STREAM_TO_STREAM
  }
}
