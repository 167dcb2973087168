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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Asks the Slipstream processes of this user what they do; for tools and tests. Blocks. */
public final class ProcessInspector {
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(2);

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
   * What processes said.
   *
   * @param said one answer for each process that answered within two seconds
   * @param silent those that live and did not: stopped ones, for example
   */
  public record Answers(List<String> said, List<Silent> silent) {}

  /**
   * A process that did not answer.
   *
   * @param pid of the process; 0 if it is not known
   * @param directory its own in the runtime directory
   */
  public record Silent(long pid, Path directory) {}

  /**
   * Asks all processes in all network namespaces that share the directory.
   *
   * @param configured the value of {@code slipstream.dir}, or null
   * @param question e.g. {@code streams}
   * @return one answer for each process that answered within two seconds
   * @throws IOException if there is no place for the directory
   */
  public static List<String> ask(@Nullable String configured, String question) throws IOException {
    return askAll(configured, question).said();
  }

  /**
   * As {@link #ask}, and names those that did not answer.
   *
   * @param configured the value of {@code slipstream.dir}, or null
   * @param question e.g. {@code streams}
   * @return the answers, and who is silent
   * @throws IOException if there is no place for the directory
   */
  public static Answers askAll(@Nullable String configured, String question) throws IOException {
    Map<Path, CompletableFuture<String>> asked = new LinkedHashMap<>();
    for (Path scope : RuntimeDirectory.children(RuntimeDirectory.locate(configured))) {
      for (Path process : RuntimeDirectory.children(scope)) {
        if (Files.exists(process.resolve("ctl"))) {
          asked.put(process, askOne(process.resolve("ctl"), question));
        }
      }
    }
    Answers answers = new Answers(new ArrayList<>(), new ArrayList<>());
    long deadline = System.nanoTime() + PATIENCE_NS;
    asked.forEach((process, answer) -> {
      try {
        long left = Math.max(0, deadline - System.nanoTime());
        answers.said().add(answer.get(left, TimeUnit.NANOSECONDS));
      } catch (ExecutionException e) {
        // It refused, or went while it was asked: it is dead.
      } catch (TimeoutException e) {
        answers.silent().add(new Silent(SocketOwner.of(process.resolve("ctl")), process));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    return answers;
  }

  /** In a thread of its own: even the connect to a stopped process may block. */
  private static CompletableFuture<String> askOne(Path socket, String question) {
    CompletableFuture<String> answer = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            answer.complete(exchange(channel, question));
          } catch (IOException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
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
