package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.zookeeper.ZooKeeperDirectory;
import org.slipstream.metrics.SlipstreamMetrics;
import org.slipstream.transport.Stability.Level;

/**
 * What programs compile against is what {@code api.txt} lists. A change is accepted by writing the
 * list anew, which makes it part of the review: {@code -Dslipstream.test.api=accept}.
 */
class ApiTest {
  private static final Path LIST = Path.of("src/test/resources/api.txt");
  private static final String HOW =
      "if the change is meant, say it in CHANGELOG.md and write the list anew: ./mvnw -pl"
          + " integration-tests -am test -Dtest=ApiTest -Dslipstream.test.api=accept";

  private static Set<String> packages() {
    Set<String> packages = new TreeSet<>(Exports.toEveryModule());
    packages.add(SlipstreamMetrics.class.getPackageName()); // of automatic modules
    packages.add(ZooKeeperDirectory.class.getPackageName());
    return packages;
  }

  private static List<String> now() throws Exception {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(packages());
    return ApiListing.lines(classes, packages());
  }

  @Test
  void everyExportedPackageSaysHowLongItStays() throws Exception {
    List<String> silent = new ArrayList<>();
    for (String name : packages()) {
      Class<?> info = Class.forName(name + ".package-info");
      if (ApiListing.level(info) == null) {
        silent.add(name);
      }
    }
    assertThat(silent).as("packages without @Stability").isEmpty();
  }

  @Test
  void theApiIsWhatTheListSays() throws Exception {
    List<String> now = now();
    assertThat(now).hasSizeGreaterThan(100);
    if ("accept".equals(System.getProperty("slipstream.test.api"))) {
      Files.write(LIST, now);
    }
    List<String> listed = Files.readAllLines(LIST);
    assertThat(differences(listed, now)).as(HOW).isEmpty();
  }

  /** What japicmp compares with the last release: each type of the list that is to stay. */
  @Test
  void theStableTypesAreComparedWithTheLastRelease() throws Exception {
    List<String> included =
        Pattern.compile("<include>(org\\.slipstream\\.[^<]+)</include>")
            .matcher(Files.readString(Path.of("../pom.xml")))
            .results()
            .map(found -> found.group(1))
            .toList();
    Set<String> used = new TreeSet<>();
    List<String> missing = new ArrayList<>();
    String group = "";
    for (String line : Files.readAllLines(LIST)) {
      if (line.startsWith("package ")) {
        group = line.split(" ", -1)[1];
        if (line.endsWith(" STABLE") && included.contains(group)) {
          used.add(group);
        }
      } else if (line.matches("  \\S.*") && !used.contains(group)) {
        Matcher type = Pattern.compile(Pattern.quote(group) + "\\.\\w+").matcher(line);
        assertThat(type.find()).as(line).isTrue();
        if (included.contains(type.group())) {
          used.add(type.group());
        } else if (isStable(group)) {
          missing.add(type.group());
        }
      }
    }
    assertThat(missing).as("STABLE, and not in the pom's profile 'compatibility'").isEmpty();
    assertThat(included).as("there, and not STABLE").containsExactlyInAnyOrderElementsOf(used);
  }

  private static boolean isStable(String name) throws ClassNotFoundException {
    return ApiListing.level(Class.forName(name + ".package-info")) == Level.STABLE;
  }

  @Test
  void aDifferenceIsNamedWithItsPackageAndType() {
    List<String> before = List.of("package p STABLE", "  public class p.A", "    public void a()");
    List<String> after = List.of("package p STABLE", "  public class p.A", "    public int a()");
    assertThat(differences(before, after))
        .containsExactly(
            "- package p STABLE | public class p.A | public void a()",
            "+ package p STABLE | public class p.A | public int a()");
    assertThat(differences(before, before)).isEmpty();
    assertThat(differences(before, List.of("package p EVOLVING", before.get(1), before.get(2))))
        .as("a promise that was weakened")
        .hasSize(6);
  }

  /** What is gone, and what is new, each with what it stands below. */
  private static List<String> differences(List<String> before, List<String> after) {
    List<String> old = withParents(before);
    List<String> young = withParents(after);
    List<String> all = new ArrayList<>();
    old.stream().filter(line -> !young.contains(line)).forEach(line -> all.add("- " + line));
    young.stream().filter(line -> !old.contains(line)).forEach(line -> all.add("+ " + line));
    return all;
  }

  private static List<String> withParents(List<String> lines) {
    List<String> whole = new ArrayList<>();
    String group = "";
    String type = "";
    for (String line : lines) {
      if (line.startsWith("    ")) {
        whole.add(group + " | " + type + " | " + line.strip());
      } else if (line.startsWith("  ")) {
        type = line.strip();
        whole.add(group + " | " + type);
      } else {
        group = line;
        whole.add(group);
      }
    }
    return whole;
  }
}
