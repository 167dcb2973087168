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
 * What the tests of the last build took and cost, and what it skipped, from the modules' reports.
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

  /** What a stack trace has before the message. */
  private static final String EXCEPTION = "^([\\w$]+\\.)+[\\w$]+(: |$)";

  private BuildReport() {}

  /** A test class, as its report tells it. */
  private record Report(
      String module,
      String phase,
      String name,
      int tests,
      double seconds,
      double cpuSeconds,
      List<Skipped> skipped) {}

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
        Map<String, Double> cpu = cpuSeconds(module, since);
        for (String phase : List.of("surefire", "failsafe")) {
          for (Path file : files(module.resolve("target/" + phase + "-reports"), since)) {
            if (file.getFileName().toString().matches("TEST-.*\\.xml")) {
              reports.add(report(file, module.getFileName().toString(), phase, cpu));
            }
          }
        }
      }
    }
    return reports;
  }

  private static List<Path> files(Path folder, Instant since) throws IOException {
    List<Path> recent = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          if (!Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
            recent.add(file);
          }
        }
      }
    }
    return recent;
  }

  /** What {@code CpuSeconds} of test-base has counted, by class. */
  private static Map<String, Double> cpuSeconds(Path module, Instant since) throws IOException {
    Map<String, Double> seconds = new TreeMap<>();
    for (Path file : files(module.resolve("target/cpu-seconds"), since)) {
      double spent = Double.parseDouble(Files.readString(file).strip());
      seconds.put(file.getFileName().toString(), spent);
    }
    return seconds;
  }

  private static Report report(Path file, String module, String phase, Map<String, Double> cpu)
      throws Exception {
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
        String reason = reason((Element) reasons.item(0));
        skipped.add(new Skipped(simple(name) + "." + test.getAttribute("name"), reason));
      }
    }
    // A suite counts what is before and behind its tests, but not always its nested classes.
    return new Report(
        module,
        phase.equals("surefire") ? "test" : "integration-test",
        name,
        cases.getLength(),
        Math.max(seconds, seconds(suite)),
        cpu.getOrDefault(name, 0.0),
        skipped);
  }

  /** One line. Where Surefire writes no message, it writes the stack trace, which begins with it. */
  private static String reason(Element skipped) {
    String message = skipped.getAttribute("message").strip();
    String line =
        message.isEmpty()
            ? first(skipped.getTextContent()).replaceFirst(EXCEPTION, "")
            : first(message);
    return line.replaceFirst("^.*?Assumption failed: ", "").strip();
  }

  private static String first(String lines) {
    return lines.strip().lines().findFirst().orElse("");
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
      double[] sum = sums.computeIfAbsent(row(r.module(), r.phase()), key -> new double[4]);
      sum[0]++;
      sum[1] += r.tests();
      sum[2] += r.seconds();
      sum[3] += r.cpuSeconds();
    }
    System.out.println(
        "| module | phase | classes | tests | minutes of test classes | CPU seconds |");
    System.out.println("|---|---|---:|---:|---:|---:|");
    sums.forEach((row, s) ->
        System.out.printf(
            Locale.ROOT, "%s | %.0f | %.0f | %.1f | %.0f |%n", row, s[0], s[1], s[2] / 60, s[3]));
    printFirst("longest", reports, Comparator.comparingDouble(Report::seconds));
    printFirst("costliest", reports, Comparator.comparingDouble(Report::cpuSeconds));
  }

  private static void printFirst(String what, List<Report> reports, Comparator<Report> order) {
    System.out.println();
    System.out.println("| " + what + " classes | seconds | CPU seconds |");
    System.out.println("|---|---:|---:|");
    reports.stream()
        .sorted(order.reversed())
        .limit(LONGEST)
        .forEach(r ->
            System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %.1f |%n",
                simple(r.name()),
                r.seconds(),
                r.cpuSeconds()));
  }

  private static String row(String module, String phase) {
    return "| " + module + " | " + phase;
  }

  /** What tests have missed of the machine: a class that is skipped as a whole has no test cases. */
  private static TreeSet<String> missing(Instant since) throws IOException {
    TreeSet<String> reasons = new TreeSet<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.toList()) {
        for (Path file : files(module.resolve("target/skipped-tests"), since)) {
          reasons.addAll(Files.readAllLines(file));
        }
      }
    }
    return reasons;
  }

  private static void printSkipped(List<Report> reports, TreeSet<String> missing) {
    Map<String, TreeSet<String>> tests = new TreeMap<>();
    for (Report r : reports) {
      for (Skipped s : r.skipped()) {
        String line = s.reason().isEmpty() ? "(no reason)" : s.reason();
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
