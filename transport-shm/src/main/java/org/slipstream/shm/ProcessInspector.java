package org.slipstream.shm;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Asks the Slipstream processes of this user what they do; for tools and tests. Blocks. */
public final class ProcessInspector {
  private static final long PATIENCE_MS = 2_000;

  private ProcessInspector() {}

  /**
   * Where processes find each other.
   *
   * @param configured the value of {@code slipstream.dir}, or null
   * @return the directory, which need not exist
   * @throws IOException if there is no place for it
   */
  public static Path runtimeDirectory(@Nullable String configured) throws IOException {
    return RuntimeDirectory.locate(configured);
  }

  /**
   * Asks all processes in all network namespaces that share the directory.
   *
   * @param configured the value of {@code slipstream.dir}, or null
   * @param question e.g. {@code streams}
   * @return one answer for each process that answered within two seconds
   * @throws IOException if there is no place for the directory
   */
  public static List<String> ask(@Nullable String configured, String question) throws IOException {
    List<String> answers = new ArrayList<>();
    for (Path scope : RuntimeDirectory.children(RuntimeDirectory.locate(configured))) {
      for (Path process : RuntimeDirectory.children(scope)) {
        Path socket = process.resolve("ctl");
        if (Files.exists(socket)) {
          String answer = askOne(socket, question);
          if (answer != null) {
            answers.add(answer);
          }
        }
      }
    }
    return answers;
  }

  private static @Nullable String askOne(Path socket, String question) {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      CompletableFuture<String> answer = new CompletableFuture<>();
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            try {
              answer.complete(exchange(channel, question));
            } catch (IOException e) {
              answer.completeExceptionally(e);
            }
          });
      return answer.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
    } catch (IOException | ExecutionException | TimeoutException e) {
      return null; // dead, or stopped: it has no answer for us
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  private static String exchange(SocketChannel channel, String question) throws IOException {
    ByteBuffer ask =
        Wire.message(Wire.ASK, ByteBuffer.wrap(question.getBytes(StandardCharsets.UTF_8)));
    while (ask.hasRemaining()) {
      channel.write(ask);
    }
    byte[] all = Channels.newInputStream(channel).readAllBytes();
    if (all.length < Wire.HEADER_BYTES || all[4] != Wire.ANSWER) {
      throw new IOException("No answer");
    }
    return new String(
        all, Wire.HEADER_BYTES, all.length - Wire.HEADER_BYTES, StandardCharsets.UTF_8);
  }
}
