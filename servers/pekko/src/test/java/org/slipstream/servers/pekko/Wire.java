package org.slipstream.servers.pekko;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.pekko.serialization.JSerializer;
import org.slipstream.servers.pekko.Message.Answer;
import org.slipstream.servers.pekko.Message.Done;
import org.slipstream.servers.pekko.Message.Question;
import org.slipstream.servers.pekko.Message.Share;
import org.slipstream.servers.pekko.Message.Start;

/** Messages as a byte for their kind, and their members. */
public final class Wire extends JSerializer {
  private static final int KIND = 4711;
  private static final int LONGEST = 256;

  @Override
  public int identifier() {
    return KIND;
  }

  @Override
  public boolean includeManifest() {
    return false;
  }

  @Override
  public byte[] toBinary(Object message) {
    ByteBuffer to = ByteBuffer.allocate(LONGEST);
    switch ((Message) message) {
      case Start start -> to.put((byte) 0).putInt(start.vertex()).putInt(start.run());
      case Share share ->
          to.put((byte) 1)
              .putInt(share.vertex())
              .putInt(share.run())
              .putInt(share.step())
              .putDouble(share.share());
      case Done done ->
          to.put((byte) 2).putInt(done.vertex()).putInt(done.run()).putDouble(done.rank());
      case Question question ->
          to.put((byte) 3).putInt(question.vertex()).put(bytes(question.text()));
      case Answer answer -> to.put((byte) 4).putInt(answer.vertex()).put(bytes(answer.text()));
    }
    byte[] bytes = new byte[to.flip().remaining()];
    to.get(bytes);
    return bytes;
  }

  @Override
  public Object fromBinaryJava(byte[] bytes, Class<?> manifest) {
    ByteBuffer from = ByteBuffer.wrap(bytes);
    byte kind = from.get();
    int vertex = from.getInt();
    return switch (kind) {
      case 0 -> new Start(vertex, from.getInt());
      case 1 -> new Share(vertex, from.getInt(), from.getInt(), from.getDouble());
      case 2 -> new Done(vertex, from.getInt(), from.getDouble());
      case 3 -> new Question(vertex, rest(from));
      case 4 -> new Answer(vertex, rest(from));
      default -> throw new IllegalArgumentException("kind " + kind);
    };
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String rest(ByteBuffer from) {
    return StandardCharsets.ISO_8859_1.decode(from).toString();
  }
}
