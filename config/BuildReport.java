import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * What the tests of the last build took, and what it skipped, read from the modules' reports.
 *
 * <pre>
 * java config/BuildReport.java                    the table of times
 * java config/BuildReport.java skipped [SINCE]    a line for each reason why tests were skipped
 * </pre>
 *
 * <p>SINCE is an instant: older reports are of an earlier build.
 */
class BuildReport {
  private static final Path ROOT = Path.of("");
  private static final int LONGEST = 12;

  private BuildReport() {}

  /** A test class, as its report tells it. */
  private record Report(
      String module, String phase, String name, int tests, double seconds, List<Skipped> skipped) {}

  private record Skipped(String test, String reason) {}

  /** Prints what is asked for; from the folder of the project. */
  public static void main(String[] args) throws Exception {
    boolean skipped = args.length > 0 && args[0].equals("skipped");
    Instant since = args.length > 1 ? Instant.parse(args[1]) : Instant.EPOCH;
    List<Report> reports = read(since);
    if (skipped) {
      printSkipped(reports, missing(since));
    } else {
      printTimes(reports);
    }
  }

  private static List<Report> read(Instant since) throws Exception {
    List<Report> reports = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.sorted().toList()) {
        for (String phase : List.of("surefire", "failsafe")) {
          Path folder = module.resolve("target").resolve(phase + "-reports");
          if (Files.isDirectory(folder)) {
            read(folder, module.getFileName().toString(), phase, since, reports);
          }
        }
      }
    }
    return reports;
  }

  private static void read(
      Path folder, String module, String phase, Instant since, List<Report> reports)
      throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(BuildReport::isReport).toList()) {
        if (!Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
          reports.add(report(file, module, phase.equals("surefire") ? "test" : "integration-test"));
        }
      }
    }
  }

  private static boolean isReport(Path file) {
    return file.getFileName().toString().matches("TEST-.*\\.xml");
  }

  private static Report report(Path file, String module, String phase) throws Exception {
    Element suite =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(file.toFile())
            .getDocumentElement();
    String name = suite.getAttribute("name");
    NodeList cases = suite.getElementsByTagName("testcase");
    double seconds = 0;
    List<Skipped> skipped = new ArrayList<>();
    for (int i = 0; i < cases.getLength(); i++) {
      Element test = (Element) cases.item(i);
      seconds += seconds(test);
      NodeList reasons = test.getElementsByTagName("skipped");
      if (reasons.getLength() > 0) {
        String reason = ((Element) reasons.item(0)).getAttribute("message");
        skipped.add(new Skipped(simple(name) + "." + test.getAttribute("name"), reason));
      }
    }
    // A suite counts what is before and behind its tests, but not always its nested classes.
    return new Report(
        module, phase, name, cases.getLength(), Math.max(seconds, seconds(suite)), skipped);
  }

  private static double seconds(Element element) {
    String time = element.getAttribute("time").replace(",", "");
    return time.isEmpty() ? 0 : Double.parseDouble(time);
  }

  private static String simple(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static void printTimes(List<Report> reports) {
    Map<String, double[]> sums = new TreeMap<>();
    for (Report r : reports) {
      double[] sum = sums.computeIfAbsent(row(r.module(), r.phase()), key -> new double[3]);
      sum[0]++;
      sum[1] += r.tests();
      sum[2] += r.seconds();
    }
    System.out.println("| module | phase | classes | tests | minutes of test classes |");
    System.out.println("|---|---|---:|---:|---:|");
    sums.forEach((row, s) ->
        System.out.printf(Locale.ROOT, "%s | %.0f | %.0f | %.1f |%n", row, s[0], s[1], s[2] / 60));
    System.out.println();
    System.out.println("| longest classes | seconds |");
    System.out.println("|---|---:|");
    reports.stream()
        .sorted(Comparator.comparingDouble(Report::seconds).reversed())
        .limit(LONGEST)
        .forEach(r ->
            System.out.printf(Locale.ROOT, "| %s | %.0f |%n", simple(r.name()), r.seconds()));
  }

  private static String row(String module, String phase) {
    return "| " + module + " | " + phase;
  }

  /** What tests have missed of the machine: a class that is skipped as a whole has no test cases. */
  private static TreeSet<String> missing(Instant since) throws IOException {
    TreeSet<String> reasons = new TreeSet<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.toList()) {
        Path folder = module.resolve("target/skipped-tests");
        if (Files.isDirectory(folder)) {
          try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
              if (!Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
                reasons.addAll(Files.readAllLines(file));
              }
            }
          }
        }
      }
    }
    return reasons;
  }

  private static void printSkipped(List<Report> reports, TreeSet<String> missing) {
    Map<String, TreeSet<String>> tests = new TreeMap<>();
    for (Report r : reports) {
      for (Skipped s : r.skipped()) {
        String reason = s.reason().replaceFirst("(?s)^.*?Assumption failed: ", "").strip();
        String line = reason.isEmpty() ? "(no reason)" : reason.lines().findFirst().orElseThrow();
        tests.computeIfAbsent(line, key -> new TreeSet<>()).add(s.test());
      }
    }
    missing.stream().filter(reason -> !tests.containsKey(reason)).forEach(reason ->
        System.out.println("Skipped: all of a class: " + reason));
    tests.forEach((reason, names) -> {
      String more = names.size() == 1 ? "" : " and " + (names.size() - 1) + " more";
      System.out.println("Skipped: " + names.first() + more + ": " + reason);
    });
    if (tests.isEmpty() && missing.isEmpty() && !reports.isEmpty()) {
      System.out.println("Skipped: nothing");
    }
  }
}
