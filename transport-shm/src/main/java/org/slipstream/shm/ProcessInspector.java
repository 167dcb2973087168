package org.slipstream.shm;

import java.io.IOException;
import java.net.StandardProtocolFamily;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Asks the Slipstream processes of this user what they do; for tools and tests. Blocks. */
public final class ProcessInspector {
  private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(2);

  /** Room for the words about some 100,000 streams, in bytes. */
  private static final int LONGEST = 64 << 20;

  /** What no honest answer has in it, and what a terminal would obey. */
  private static final Pattern CONTROL = Pattern.compile("\\p{Cc}");

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
   * Why the processes of this user can not meet in the directory: another user made it, for
   * example. Reads nothing in it.
   *
   * @param configured the value of {@code slipstream.dir}, or null
   * @return one sentence; null if they can, or could if it existed
   * @throws IOException if there is no place for it
   */
  public static @Nullable String objection(@Nullable String configured) throws IOException {
    return RuntimeDirectory.objection(RuntimeDirectory.locate(configured));
  }

  /**
   * What processes said.
   *
   * @param said one answer for each process that answered within two seconds; no control characters
   *     are in it, and nothing else about its form is sure
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
   * @return the answers, and the silent processes
   * @throws IOException if there is no place for the directory
   */
  public static Answers askAll(@Nullable String configured, String question) throws IOException {
    Map<Path, CompletableFuture<String>> asked = new LinkedHashMap<>();
    for (Path scope : scopes(configured)) {
      for (Path process : RuntimeDirectory.children(scope)) {
        if (Files.exists(process.resolve("ctl"))) {
          asked.put(process, askOne(process.resolve("ctl"), question));
        }
      }
    }
    Answers answers = new Answers(new ArrayList<>(), new ArrayList<>());
    long deadline = System.nanoTime() + GRACE_NS;
    asked.forEach((process, answer) -> {
      try {
        long left = Math.max(0, deadline - System.nanoTime());
        answers.said().add(answer.get(left, TimeUnit.NANOSECONDS));
      } catch (ExecutionException e) {
        // It refused, or went while it was asked: it is dead.
      } catch (TimeoutException e) {
        answer.cancel(true);
        answers.silent().add(new Silent(SocketOwner.of(process.resolve("ctl")), process));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    return answers;
  }

  /** None where processes can not meet: such a directory may have any number of entries. */
  private static List<Path> scopes(@Nullable String configured) throws IOException {
    return objection(configured) == null
        ? RuntimeDirectory.children(RuntimeDirectory.locate(configured))
        : List.of();
  }

  /** In a thread of its own: even the connect to a stopped process may block. */
  private static CompletableFuture<String> askOne(Path socket, String question) {
    CompletableFuture<String> answer = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            closeWith(answer, channel);
            channel.connect(UnixDomainSocketAddress.of(socket));
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
    byte[] all = Channels.newInputStream(channel).readNBytes(LONGEST + 1);
    if (all.length < Wire.HEADER_BYTES || all.length > LONGEST || all[4] != Wire.ANSWER) {
      throw new IOException("No answer");
    }
    String said =
        new String(all, Wire.HEADER_BYTES, all.length - Wire.HEADER_BYTES, StandardCharsets.UTF_8);
    return CONTROL.matcher(said).replaceAll("?");
  }

  /** The tool that asked may give up, and then nothing is read any more. */
  private static void closeWith(CompletableFuture<String> answer, SocketChannel channel) {
    CompletableFuture<String> _ =
        answer.whenComplete((_, _) -> {
          try {
            channel.close();
          } catch (IOException closed) {
            return; // it is closed all the same
          }
        });
  }
}
