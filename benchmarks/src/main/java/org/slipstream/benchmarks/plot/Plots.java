package org.slipstream.benchmarks.plot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.json.JSONObject;

/** Draws files of measured rows: those of one command together. */
public final class Plots {
  private Plots() {}

  /**
   * Reads the files, and writes the drawing.
   *
   * @param files that commands wrote with {@code --json}
   * @param svg the drawing
   * @throws IOException if a file can not be read or written
   * @throws IllegalArgumentException in one sentence, if a file holds something else
   */
  public static void draw(List<Path> files, Path svg) throws IOException {
    Map<String, List<Measured>> commands = new LinkedHashMap<>();
    for (Path file : files) {
      Measured measured = Measured.read(file);
      commands.computeIfAbsent(measured.command(), c -> new ArrayList<>()).add(measured);
    }
    List<Plot> plots = new ArrayList<>();
    commands.forEach((command, measured) -> {
      Plot plot = plot(command, measured);
      if (plot.panels().isEmpty()) {
        throw new IllegalArgumentException(
            measured.getFirst().name() + " has no figures that a plot of " + command + " shows.");
      }
      plots.add(plot);
    });
    Files.writeString(svg, PlotPage.draw(plots));
  }

  /**
   * Writes the rows of files as tables of Markdown, for a document.
   *
   * @param files that {@code pages} wrote with {@code --json}
   * @return lines: of each file what measured it and its table
   * @throws IOException if a file can not be read
   * @throws IllegalArgumentException in one sentence, if a file holds something else
   */
  public static List<String> tables(List<Path> files) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : files) {
      Measured measured = Measured.read(file);
      if (!measured.command().equals("pages")) {
        throw new IllegalArgumentException(
            file + " is of '" + measured.command() + "', which has no table; pages has one.");
      }
      if (!lines.isEmpty()) {
        lines.add("");
      }
      lines.addAll(PageTable.lines(measured));
    }
    return lines;
  }

  /**
   * Reads the rows of a file.
   *
   * @param file that a command wrote with {@code --json}
   * @return the objects
   * @throws IOException if it can not be read
   * @throws IllegalArgumentException in one sentence, if it holds something else
   */
  public static List<JSONObject> rows(Path file) throws IOException {
    return Measured.read(file).rows();
  }

  /**
   * Reads which command measured a file.
   *
   * @param file that it wrote with {@code --json}
   * @return its first word
   * @throws IOException if it can not be read
   * @throws IllegalArgumentException in one sentence, if it holds something else
   */
  public static String command(Path file) throws IOException {
    return Measured.read(file).command();
  }

  private static Plot plot(String command, List<Measured> files) {
    return switch (command) {
      case "pingpong" -> ExchangePlots.trips("Round trips", "Round trips", files);
      case "connect" -> ExchangePlots.trips("Connect, one exchange, close", "Connections", files);
      case "stream" -> ExchangePlots.streams(files);
      case "crowd" -> CrowdPlots.plot(files);
      case "pages" -> PagePlots.plot(files);
      case "memory" -> MemoryPlots.plot(files);
      case "start" -> StartPlots.plot(files);
      case "servers" -> ServerPlots.plot(files);
      case "rdma" -> RdmaPlots.plot(files);
      default ->
          throw new IllegalArgumentException(
              files.getFirst().name() + " is of '" + command + "', which has no plot.");
    };
  }
}
