package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.benchmarks.plot.Drawing;
import org.slipstream.benchmarks.plot.Plots;
import org.slipstream.benchmarks.programs.Mode;

/** What each command writes with {@code --json} becomes a drawing with all of its figures. */
class PlottedRowsTest {
  private static final List<Integer> SIZES = List.of(1, 64, 1024, 65536);
  private static final List<Carrier> CARRIERS = List.of(Carrier.TCP, Carrier.SHM, Carrier.RAW);

  @TempDir Path directory;

  private static Row row(Carrier carrier, Mode mode, int size, double nanos) {
    double rate = 1e9 / nanos;
    return new Row(
        carrier,
        mode,
        size,
        nanos,
        2 * nanos,
        3 * nanos,
        rate,
        rate * size,
        10,
        new Row.Spread(0.9 * nanos, 1.5 * nanos),
        new Row.Spread(0.7 * rate, 1.1 * rate),
        nanos,
        1,
        1,
        null);
  }

  private Path exchanges(String command, Mode mode) throws IOException {
    List<String> rows = new ArrayList<>();
    for (int size : SIZES) {
      for (Carrier carrier : CARRIERS) {
        double nanos = (carrier == Carrier.TCP ? 57_300 : 250) + size / 4.0;
        rows.add(JsonReport.object(row(carrier, mode, size, nanos)));
      }
    }
    return write(command, mode.label() + ".json", rows.stream());
  }

  private Path write(String command, String name, Stream<String> rows) throws IOException {
    Path file = directory.resolve(name);
    new RowsFile(file, command).write(rows);
    return file;
  }

  private Drawing draw(Path... files) throws Exception {
    Path svg = directory.resolve("drawing.svg");
    Plots.draw(List.of(files), svg);
    Drawing drawing = Drawing.of(svg).isInside();
    assertThat(drawing.style()).contains("prefers-color-scheme:dark");
    assertThat(drawing.texts("faint"))
        .as("each axis of figures says what kind it is")
        .anyMatch(text -> text.endsWith("(logarithmic)") || text.endsWith("(from zero)"));
    return drawing;
  }

  @ParameterizedTest
  @ValueSource(strings = {"pingpong", "connect", "stream"})
  void exchangesHaveTimeAndRateOverSize(String command) throws Exception {
    Drawing drawing = draw(exchanges(command + " --warmup 5", Mode.BLOCKING));
    assertThat(drawing.names()).containsExactly("tcp", "shm", "raw");
    assertThat(drawing.marks())
        .hasSize(2 * CARRIERS.size() * SIZES.size())
        .anyMatch(mark -> mark.startsWith("tcp, 64 B: "))
        .allMatch(mark -> mark.contains(" to "), "has a spread");
    assertThat(drawing.texts("faint"))
        .anyMatch(text -> text.startsWith("./slipstream " + command + " --warmup 5 · "))
        .contains("64 KiB");
  }

  @Test
  void aRoundTripsMarkSaysItsMedianAndItsEnds() throws Exception {
    assertThat(draw(exchanges("pingpong", Mode.BLOCKING)).marks())
        .contains("tcp, 1 B: 57.3 (51.6 to 86) µs")
        .contains("tcp, 1 B: 17,452 (12,216 to 19,197) per second");
  }

  @Test
  void filesOfOneCommandShareTheirPanels() throws Exception {
    Path one = exchanges("pingpong --mode blocking", Mode.BLOCKING);
    Path other = exchanges("pingpong --mode selector", Mode.SELECTOR);
    Drawing drawing = draw(one, other);
    assertThat(drawing.names())
        .contains("tcp blocking", "tcp selector", "raw selector")
        .hasSize(2 * CARRIERS.size());
    assertThat(drawing.texts("head")).hasSize(3);

    Path again = Files.copy(one, directory.resolve("again.json"));
    assertThat(draw(one, again).names())
        .as("the same rows twice")
        .contains("tcp (blocking)", "tcp (again)");
  }

  @Test
  void filesOfDifferentCommandsAreBelowEachOther() throws Exception {
    Path trips = exchanges("pingpong", Mode.BLOCKING);
    Path streams = exchanges("stream", Mode.SELECTOR);
    assertThat(draw(trips, streams).texts("head"))
        .contains("Round trips", "Streams in one direction")
        .hasSize(6);
  }

  @Test
  void crowdsHaveRatesTimesAndProcessorTime() throws Exception {
    CrowdTurns turns = new CrowdTurns();
    for (int connections : List.of(10, 100, 1000, 10_000)) {
      for (int turn = 1; turn < 4; turn++) {
        turns.add(Carrier.TCP, connections, turn(connections, turn * 1e5));
        turns.add(Carrier.SHM, connections, turn(connections, turn * 4e6));
      }
    }
    Drawing drawing = draw(write("crowd", "crowd.json", turns.json("selector", 10)));
    assertThat(drawing.names()).containsExactly("tcp", "shm");
    assertThat(drawing.marks())
        .hasSize(3 * 2 * 4)
        .contains("tcp, 10 k: 200,000 (100,000 to 300,000) per second");
  }

  private static CrowdTurns.Turn turn(int connections, double trips) {
    return new CrowdTurns.Turn(connections, 1e4, 1, 1, 1e9 / trips, 2e9 / trips, trips, 300, 400);
  }

  @Test
  void pagesHaveAPanelForEachFileAndSize() throws Exception {
    List<String> rows = new ArrayList<>();
    for (PageSetup.Way way : PageSetup.Way.values()) {
      for (PageSetup.Server server : PageSetup.Server.values()) {
        for (int size : List.of(4096, 1 << 20)) {
          for (int clients : List.of(1, 8, 128)) {
            rows.add(PageReport.object(page(way, server, size, clients)));
          }
        }
      }
    }
    Drawing drawing = draw(write("pages", "pages.json", rows.stream()));
    assertThat(drawing.names())
        .containsExactly("tcp transferTo", "tcp read", "shm transferTo", "shm read");
    assertThat(drawing.texts("head"))
        .hasSize(1 + 2 * 4)
        .contains("Request to last byte, median, 1 MiB, direct");
    assertThat(drawing.marks()).hasSize(2 * rows.size());
    assertThat(drawing.texts("faint")).contains("IOPS per core (from zero)", "µs (logarithmic)");
  }

  private static PageRow page(PageSetup.Way way, PageSetup.Server server, int size, int clients) {
    return new PageRow(
        way,
        server,
        size,
        clients,
        size * 10.0,
        new Row.Spread(size * 9.0, size * 12.0),
        size * 30.0,
        1e9 / size,
        new Row.Spread(0.9e9 / size, 1.1e9 / size),
        size,
        size,
        new Row.Spread(0.9e9 / size, 1.2e9 / size),
        1,
        1,
        null);
  }

  @Test
  void startsAreBarsFromZero() throws Exception {
    List<String> rows = new ArrayList<>();
    for (String kind : List.of("channel", "socket")) {
      for (String row : List.of("stock", "Slipstream", "stock, AOT", "Slipstream, AOT")) {
        rows.add(
            Starts.object(
                new Starts.Key(kind, row),
                List.of(new Starts.Start(40e6, 20e6, 95e6), new Starts.Start(50e6, 30e6, 99e6))));
      }
    }
    Drawing drawing = draw(write("start --rounds 2", "start.json", rows.stream()));
    assertThat(drawing.names())
        .containsExactly("stock", "Slipstream", "stock, AOT", "Slipstream, AOT");
    assertThat(drawing.marks())
        .hasSize(2 * 4 * 3)
        .contains("Slipstream, AOT, first connect: 25 (20 to 30) ms");
    assertThat(drawing.texts("faint")).contains("ms (from zero)").doesNotContain("first exchanges");
  }

  @Test
  void firstExchangesAreBarsToo() throws Exception {
    Map<Carrier, List<Double>> millis = new EnumMap<>(Carrier.class);
    millis.put(Carrier.TCP, List.of(513.0, 424.0, 609.0));
    millis.put(Carrier.SHM, List.of(536.0, 444.0, 804.0));
    Map<Mode, Map<Carrier, List<Double>>> modes = new EnumMap<>(Mode.class);
    modes.put(Mode.SOCKET, millis);
    modes.put(Mode.BLOCKING, millis);
    Drawing drawing = draw(write("start", "first.json", FirstMoments.objects(modes)));
    assertThat(drawing.texts("head"))
        .containsExactlyInAnyOrder("A new process", "socket", "channel");
    assertThat(drawing.marks())
        .hasSize(4)
        .contains("Slipstream, first exchanges: 536 (444 to 804) ms");
  }

  @Test
  void serversHaveRatesAndWhatOneOperationTakes() throws Exception {
    List<String> rows = new ArrayList<>();
    for (String load : List.of("Jetty, HTTP/1.1, 1 kB", "gRPC, unary, 1 kB")) {
      for (String carrier : List.of("tcp", "shm")) {
        rows.add(
            ("{\"load\":\"%s\",\"carrier\":\"%s\",\"cores\":4,\"unit\":\"%s\",\"per_second\":6687.1,"
                    + "\"per_second_least\":6000,\"per_second_most\":7000,\"p50_us\":144,"
                    + "\"server_cpu_us\":54,\"client_cpu_us\":124}")
                .formatted(load, carrier, load.startsWith("g") ? "calls/s" : "requests/s"));
      }
    }
    Drawing drawing = draw(write("servers --rounds 3 services", "servers.json", rows.stream()));
    assertThat(drawing.names()).containsExactly("tcp", "shm");
    assertThat(drawing.texts("head"))
        .contains("Servers", "Requests, calls, 1 kB", "Processor time for one, servers")
        .hasSize(5);
    assertThat(drawing.marks())
        .hasSize(4 * 4)
        .contains("shm, Jetty, HTTP/1.1: 6,687 (6,000 to 7,000) per second")
        .contains("tcp, gRPC, unary: 144 µs");
  }

  @Test
  void accessPatternsOfOneKindAreBesideEachOther() throws Exception {
    List<String> rows = new ArrayList<>();
    String kind = "HDFS: 1,000 times 64 KiB written in a row";
    for (String who :
        List.of("1 client", "4 clients", "8 clients", "1 client, 1 copy, no transferTo")) {
      for (String carrier : List.of("tcp", "shm", "ntb")) {
        rows.add(time(kind + ", " + who, carrier));
      }
    }
    rows.add(time("HDFS: 2,000 times small files, 1 client", "tcp"));
    Drawing drawing =
        draw(write("servers --ntb --only HDFS: hadoop", "hdfs.json", rows.stream()))
            .barsAreAroundTheirLabels();
    assertThat(drawing.names()).containsExactly("tcp", "shm", "ntb");
    assertThat(drawing.texts("head"))
        .containsExactlyInAnyOrder("Time of one load", kind, kind, "HDFS: 2,000 times small files");
    assertThat(drawing.marks())
        .hasSize(rows.size())
        .contains("ntb, 1 client, 1 copy, no transferTo: 0.5 (0.4 to 0.7) s");
  }

  @Test
  void jobsWithAnAotCacheAreBesideThoseWithout() throws Exception {
    List<String> carriers = List.of("tcp", "shm", "tcp-aot", "shm-aot");
    Drawing drawing =
        draw(write(
                "servers --only TeraSort hadoop",
                "sort.json",
                carriers.stream().map(carrier -> time("TeraSort over HDFS", carrier))))
            .barsAreAroundTheirLabels();
    assertThat(drawing.names()).isEqualTo(carriers);
    assertThat(drawing.marks())
        .hasSize(2 * carriers.size())
        .contains("shm-aot, real: 0.5 (0.4 to 0.7) s", "tcp-aot, start: 1 s");
  }

  private static String time(String load, String carrier) {
    return ("{\"load\":\"%s\",\"carrier\":\"%s\",\"cores\":2,\"real_s\":0.5,"
            + "\"real_least_s\":0.4,\"real_most_s\":0.7%s}")
        .formatted(load, carrier, load.startsWith("TeraSort") ? ",\"start_s\":1" : "");
  }

  @Test
  void aFigureThatIsNotThereHasNoMark() throws Exception {
    Path file = directory.resolve("rows.json");
    Files.writeString(
        file,
        "{\"command\":\"pingpong\",\"rows\":[{\"carrier\":\"tcp\",\"mode\":\"blocking\",\"size\":64,"
            + "\"p50_ns\":null,\"per_second\":1000}]}");
    assertThat(draw(file).marks()).containsExactly("tcp, 64 B: 1,000 per second");
  }

  @Test
  void aRowThatWasNotOnTheRingIsOpen() throws Exception {
    Path file = directory.resolve("rows.json");
    Files.writeString(
        file,
        "{\"command\":\"pingpong\",\"rows\":[{\"carrier\":\"shm\",\"mode\":\"blocking\",\"size\":64,"
            + "\"p50_ns\":1000,\"verified\":false}]}");
    Drawing drawing = draw(file);
    assertThat(drawing.marks()).containsExactly("shm, 64 B: 1 µs, not wholly on the ring");
    assertThat(drawing.texts("faint")).anyMatch(text -> text.startsWith("Open marks: "));
    assertThat(Files.readString(directory.resolve("drawing.svg")))
        .contains("class=\"mark open s0\"");
  }

  @Test
  void longNamesAndStrangeOnesStayInside() throws Exception {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      rows.add(
          "{\"carrier\":\"a carrier with <a> name & more %d\",\"mode\":\"%s\",\"size\":%d,\"p50_ns\":%d}"
              .formatted(i, "m".repeat(20 * i), 1 << i, 1 + i));
    }
    Path file = write("pingpong " + "--jvm-arg=-Dx=y ".repeat(40), "long.json", rows.stream());
    assertThat(draw(file).names()).hasSize(12).first().asString().startsWith("a carrier with <a>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[1]",
        "{\"rows\":[]}",
        "{\"rows\":[{\"size\":1}]}",
        "{\"command\":\"pingpong\",\"rows\":[1]}",
        "{\"command\":\"pingpong\",\"rows\":[{}]}",
        "{\"command\":\"pingpong\",\"rows\":[{\"size\":64}]}",
        "{\"command\":\"swim\",\"rows\":[{\"size\":64}]}"
      })
  void anotherFileIsRefusedInOneSentence(String content) throws IOException {
    Path file = directory.resolve("rows.json");
    Files.writeString(file, content);
    assertThatThrownBy(() -> Plots.draw(List.of(file), directory.resolve("x.svg")))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .contains("rows")
        .hasLineCount(1);
  }
}
