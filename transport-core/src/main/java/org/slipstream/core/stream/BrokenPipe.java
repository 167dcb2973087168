package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.HashSet;
import java.util.Set;

/**
 * What the JDK's exceptions say where the kernel says EPIPE: the C library's words, in the language
 * of the process. Loaded when a first connection breaks.
 */
final class BrokenPipe {
  static final Set<String> MESSAGES = messages();

  private BrokenPipe() {}

  private static Set<String> messages() {
    Set<String> all = new HashSet<>();
    all.add("Broken pipe");
    try {
      Pipe pipe = Pipe.open();
      try (Pipe.SinkChannel sink = pipe.sink()) {
        pipe.source().close();
        sink.write(ByteBuffer.allocate(1));
      }
    } catch (IOException e) {
      all.add(String.valueOf(e.getMessage())); // or that there are no descriptors left: harmless
    }
    return Set.copyOf(all);
  }
}
