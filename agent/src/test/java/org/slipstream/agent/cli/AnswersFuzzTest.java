package org.slipstream.agent.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.core.status.StreamRow;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;
import org.slipstream.shm.ProcessInspector;
import picocli.CommandLine;

/**
 * A process in a directory that containers share answers anything when {@code ps} asks it. The
 * table has a line for each stream that it speaks of, no line is absurdly long, nothing in it would
 * move the cursor of a terminal, and the command does not wait.
 */
class AnswersFuzzTest {
  private static final int HEADER = 5;
  private static final byte ANSWER = 5;

  /** A table as wide as the longest values, and the reason with its advice behind it. */
  private static final int WIDEST = 4_000;

  // Short: the path of a Unix-domain socket has at most 107 bytes.
  @TempDir Path temp;

  private ServerSocketChannel socket;

  /** Of the process that is asked; written before the question. */
  private volatile ByteBuffer answer = ByteBuffer.allocate(0);

  private List<StreamRow> before = List.of();

  @BeforeEach
  void listen() throws IOException {
    Path process =
        Files.createDirectories(
            temp.resolve("r").resolve("scope").resolve("process"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    socket =
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of(process.resolve("ctl")));
    Thread.ofPlatform().daemon().name("asked").start(this::serve);
  }

  @AfterEach
  void close() throws IOException {
    socket.close();
  }

  private void serve() {
    ByteBuffer question = ByteBuffer.allocate(HEADER + "streams".length());
    while (socket.isOpen()) {
      try (SocketChannel channel = socket.accept()) {
        question.clear();
        while (question.hasRemaining() && channel.read(question) >= 0) {}
        ByteBuffer said = answer.duplicate();
        while (said.hasRemaining()) {
          channel.write(said);
        }
      } catch (IOException over) {
        // The test is over, or had heard enough.
      }
    }
  }

  private List<String> ask(byte[] text) throws IOException {
    answer =
        ByteBuffer.allocate(HEADER + text.length).putInt(text.length).put(ANSWER).put(text).flip();
    return ProcessInspector.ask(temp.resolve("r").toString(), "streams");
  }

  @FuzzTest
  void whateverAProcessAnswersTheTableIsATable() {
    Fuzzer.text("answers").reaching("rows", "two rows", "plain", "rates").run(this::take);
  }

  /** As {@code ps} reads it; what {@code ps --json} prints of it says the same. */
  private static List<StreamRow> rows(String answer) {
    Optional<ProcessStatus> read = ProcessStatus.parse(answer);
    read.ifPresent(process -> assertThat(ProcessStatus.parse(process.json())).contains(process));
    return read.map(ProcessStatus::streams).orElse(List.of());
  }

  private void take(byte[] input, Trace trace) throws IOException {
    List<String> answers = ask(input);
    assertThat(answers).as("it answered").hasSize(1);
    assertThat(answers.getFirst()).doesNotContainPattern("\\p{Cc}");
    List<StreamRow> rows = rows(answers.getFirst());
    if (rows.isEmpty()) {
      trace.refused("no rows");
      return;
    }
    trace.reached(rows.size() > 1 ? "two rows" : "rows");
    if (rows.stream().anyMatch(row -> row.why().startsWith("RULE: "))) {
      trace.reached("plain");
    }
    assertIsTable(StreamTable.lines(rows, List.of(), 0), rows.size());
    List<String> rates = StreamTable.lines(rows, before, 0.5);
    assertIsTable(rates, rows.size());
    if (rates.getFirst().contains("OUT/s")) {
      trace.reached("rates");
    }
    before = rows;
  }

  private static void assertIsTable(List<String> lines, int rows) {
    assertThat(lines).hasSize(1 + rows);
    for (String line : lines) {
      assertThat(line).hasSizeLessThan(WIDEST).doesNotContainPattern("\\p{Cc}");
    }
  }

  // -- too long for a fuzzer -------------------------------------------------------------------

  /** Each of these made a pattern recurse or look again and again. */
  @Test
  void aLongAnswerIsReadOnce() throws IOException {
    for (String piece : List.of("{", "\"", "\\\\", "\\\"", "\"a\":", "a", "{}", "\"a\":\"b\",")) {
      String text = "{\"pid\":1,\"streams\":[{\"local\":\"" + piece.repeat(50_000) + "\"}]}";
      List<StreamRow> rows = rows(ask(text.getBytes(UTF_8)).getFirst());
      assertIsTable(StreamTable.lines(rows, List.of(), 0), rows.size());
    }
  }

  /** It could end the object and begin another one, in the name of another process. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"pid\":1,\"streams\":[]},{\"pid\":2,\"streams\":[]}",
        "{\"pid\":1,\"streams\":[]}],\"silent\":[]}",
        "no JSON"
      })
  void psPrintsNoTextThatIsNotTheAnswerOfOneProcess(String text) throws IOException {
    assertThat(psJson(text)).isEqualTo("{\"processes\":[],\"silent\":[]}");
  }

  @Test
  void psPrintsWhatItHasRead() throws IOException {
    String text = "{\"pid\":1,\"streams\":[{\"new\":\"word\",\"spinsOut\":-5}]}";
    assertThat(psJson(text)).isEqualTo("{\"processes\":[" + text + "],\"silent\":[]}");
  }

  private String psJson(String text) throws IOException {
    assertThat(ask(text.getBytes(UTF_8))).containsExactly(text);
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, UTF_8));
    try {
      String[] arguments = {"--json", "--dir", temp.resolve("r").toString()};
      assertThat(new CommandLine(new PsCommand()).execute(arguments)).isZero();
    } finally {
      System.setOut(before);
    }
    return printed.toString(UTF_8).strip();
  }

  /** Who never comes to an end is not listened to for ever. */
  @Test
  void anAnswerThatIsTooLongIsNone() throws IOException {
    assertThat(ask(new byte[65 << 20])).isEmpty();
  }
}
