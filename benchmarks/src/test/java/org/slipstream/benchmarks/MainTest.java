package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.benchmarks.plot.Drawing;
import picocli.CommandLine;

class MainTest {
  private final StringWriter err = new StringWriter();

  private int execute(String... args) {
    CommandLine commandLine = Main.commandLine();
    commandLine.setErr(new PrintWriter(err, true));
    return commandLine.execute(args);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "pingpong --mode fast | is not a mode",
        "pingpong --sizes 1,x | 'x' is not a size",
        "pingpong --carriers tcp,ib | 'ib' is not a carrier",
        "pingpong --carriers tcp,tcp | --carriers names tcp twice.",
        "pingpong --carriers tcp --port 70000 | --port must be between 0 and 65535.",
        "pingpong --carriers tcp --pairs 2 --port 65535 | leaves no room for 2 servers.",
        "pingpong --carriers tcp --port many | 'many' is not an int",
        "pingpong --carriers tcp --idle 4 | --idle needs --mode selector.",
        "pingpong --carriers tcp,raw --pairs 2 | cannot be measured here",
        "pingpong --carriers tcp,raw --interval-us 1000 | cannot be measured here",
        "connect --carriers raw | cannot be measured here",
        "pingpong --carriers tcp --json /nowhere/at/all | there is no directory /nowhere/at",
        "pingpong --seconds 0 | --seconds must be between 0.02 and 3600.",
        "pingpong --seconds NaN | --seconds must be between 0.02 and 3600.",
        "pingpong --seconds 0.1 | less than 20 ms measure nothing",
        "stream --rounds 0 | --rounds must be between 1 and 1000.",
        "stream --idle 3 | Unknown options: '--idle', '3'",
        "counting --minutes 0 | --minutes must be between 1 and 1440.",
        "memory | Say what to do: memory bench, crowd, sort, pagerank or serve.",
        "memory sort --workers 0 | has numbers that are not from 1 up",
        "memory sort --workers 2..x | '2..x' is no list such as 1,2,4 or 1..4",
        "pingpong --transport rdma --pairs 2 | --transport rdma is for one pair, back to back,",
        "stream --transport ib | --transport is 'ntb' or 'rdma',",
        "pingpong --carriers guest-tcp | 'guest-tcp' is not a carrier",
        "memory sort --records 0 | --rounds and the size need positive numbers",
        "memory pagerank --workers 1,2 --graph x | --graph needs one number of --workers",
        "memory pagerank --workers 65 | --workers numbers up to 64.",
        "memory crowd --seconds 0 | --seconds one up to 60.",
        "memory bench --rounds 0 | --rounds needs a positive number",
        "memory bench --mebibytes 3 | a power of two",
        "memory bench --seconds 0 | --seconds needs a number up to 300.",
        "memory bench --json /nowhere/at/all | there is no directory /nowhere/at",
        "demo --seconds 0 | --seconds must be between 0.5 and 8.",
        "demo --seconds 9 | --seconds must be between 0.5 and 8.",
        "demo --record /nowhere/at/all | --record needs a file",
        "demo | Start it with ./slipstream demo",
        "crowd --mode fast | but was 'fast'",
        "crowd --busy 0 | must be positive numbers.",
        "crowd --json /nowhere/at/all | there is no directory /nowhere/at",
        "start --exchanges 0 | --exchanges must be a positive number.",
        "start --cores 0,1 | needs --exchanges.",
        "start --exchanges 5 --cores all | --cores takes a list such as 0,1",
        "pages --sizes 4k,100 | --sizes must be multiples of 4k.",
        "pages --file-size 1t | --file-size: '1t' is not a size",
        "pages --file-size 16k --sizes 64k | --sizes must not be above --file-size.",
        "pages --serve mmap | 'mmap' is not transferTo or read.",
        "pages --carriers tcp,raw | 'raw' is not tcp or shm.",
        "pages --file warm | 'warm' is not cached or direct.",
        "pages --directory /nowhere | /nowhere is not a directory in which a file can be made.",
        "pages --clients 0 | --clients must be between 1 and 10000.",
        "pages | Start this command with ./slipstream",
        "start --json /nowhere/at/all | there is no directory /nowhere/at",
        "plot -o x.svg | Missing required parameter: 'FILE'",
        "plot x.json | Say where the drawing goes with --output, or print a --table.",
        "plot /nowhere.json -o x.svg | can not be read or written",
        "papers chess | There is no experiment 'chess'",
        "rdma --text nowhere.txt | A file can not be read or written: ",
        "papers pages | Start this command with ./slipstream.",
        "swim | Unmatched argument at index 0: 'swim'",
      })
  void answersBadInputWithOneSentence(String line, String sentence) {
    assertThat(execute(line.strip().split(" ", -1))).isEqualTo(2);
    assertThat(err.toString().strip()).contains(sentence.strip()).hasLineCount(1);
  }

  @Test
  void asksForACommand() {
    assertThat(execute()).isEqualTo(2);
    assertThat(err.toString()).contains("Say what to measure");
  }

  @Test
  void asksForTheAgentWhenTheShmRowIsWanted() {
    assertThat(System.getProperty("slipstream.jar")).as("not set for this test").isNull();
    assertThat(execute("pingpong", "--carriers", "tcp,shm")).isEqualTo(2);
    assertThat(err.toString().strip())
        .startsWith("The shm row needs the agent: give its path as -Dslipstream.jar=FILE")
        .hasLineCount(1);
  }

  @Test
  void saysThatAPortIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThat(execute("pingpong", "--carriers", "tcp", "--port", Integer.toString(port)))
          .isEqualTo(2);
      assertThat(err.toString()).contains("cannot listen on port " + port);
    }
  }

  @Test
  void measuresRoundTripsOfTwoProcesses(@TempDir Path directory) throws Exception {
    Path json = directory.resolve("rows.json");
    assertThat(run("pingpong", "tcp,raw", "64", json)).isZero();
    assertThat(Files.readString(json))
        .contains("\"carrier\":\"tcp\",\"mode\":\"selector\",\"size\":64,\"p50_ns\":")
        .contains("\"carrier\":\"raw\"")
        .contains("\"rounds\":3")
        .startsWith("{\"command\":\"pingpong --mode=selector --carriers=tcp,raw --sizes=64 ");

    Path svg = directory.resolve("rows.svg");
    assertThat(execute("plot", json.toString(), "-o", svg.toString())).isZero();
    Drawing drawing = Drawing.of(svg).isInside();
    assertThat(drawing.names()).containsExactly("tcp", "raw");
    assertThat(drawing.marks()).hasSize(4);

    assertThat(execute("plot", json.toString(), "--table")).isEqualTo(2);
    assertThat(err.toString()).contains("is of 'pingpong', which has no table; pages has one.");
  }

  @Test
  void measuresStreamsOfTwoProcesses(@TempDir Path directory) throws IOException {
    Path json = directory.resolve("rows.json");
    assertThat(run("stream", "tcp,raw", "64,1m", json)).isZero();
    try (Stream<String> lines = Files.lines(json)) {
      assertThat(lines.filter(line -> line.contains("bytes_per_second"))).hasSize(4);
    }
  }

  @Test
  void measuresShortConnections(@TempDir Path directory) throws IOException {
    Path json = directory.resolve("rows.json");
    assertThat(
            execute(
                "connect",
                "--carriers=tcp",
                "--seconds=0.1",
                "--rounds=2",
                "--warmup=0",
                "--json=" + json))
        .isZero();
    assertThat(Files.readString(json)).contains("\"carrier\":\"tcp\"");
  }

  @Test
  void marksAnShmRowThatDidNotRunOverTheRing(@TempDir Path directory) throws IOException {
    Path jar = directory.resolve("agent.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", NoAgent.class.getName());
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      String name = NoAgent.class.getName().replace('.', '/') + ".class";
      out.putNextEntry(new ZipEntry(name));
      try (InputStream in = NoAgent.class.getClassLoader().getResourceAsStream(name)) {
        in.transferTo(out);
      }
    }
    Path json = directory.resolve("rows.json");
    System.setProperty("slipstream.jar", jar.toString());
    try {
      assertThat(run("pingpong", "tcp,shm", "64", json)).isEqualTo(3);
    } finally {
      System.clearProperty("slipstream.jar");
    }
    assertThat(Files.readString(json))
        .contains("\"carrier\":\"shm\"")
        .contains("\"verified\":false");
  }

  private int run(String command, String carriers, String sizes, Path json) {
    return execute(
        command,
        "--mode=selector",
        "--carriers=" + carriers,
        "--sizes=" + sizes,
        "--seconds=0.15",
        "--rounds=3",
        "--warmup=0.1",
        "--json=" + json);
  }
}
