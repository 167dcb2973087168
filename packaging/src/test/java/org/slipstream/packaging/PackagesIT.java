package org.slipstream.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.Patience;

/** The two packages, unpacked into a folder and used from there. */
class PackagesIT {
  private static final String VERSION = System.getProperty("slipstream.version", "");
  private static final Path TARGET = Path.of("target").toAbsolutePath();

  /** Says which provider makes its channels. */
  private static final String PROGRAM =
      """
      public class Program {
        public static void main(String[] arguments) {
          System.out.println(java.nio.channels.spi.SelectorProvider.provider().getClass().getName());
        }
      }
      """;

  @TempDir Path temp;

  private record Said(int code, String text) {}

  private static Said run(List<String> command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.redirectInput(Path.of("/dev/null").toFile()).start();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(Patience.DEADLINE)).as(text).isTrue();
    return new Said(process.exitValue(), text);
  }

  private static String runWell(String... command) throws Exception {
    Said said = run(List.of(command));
    assertThat(said.code()).as(said.text()).isZero();
    return said.text();
  }

  /** The data of the .deb, by the archiver of the C compiler: dpkg is on few machines. */
  private Path unpackDeb() throws Exception {
    Path deb = only(TARGET, "slipstream_.*_all\\.deb");
    Path to = Files.createDirectory(temp.resolve("deb"));
    runWell("sh", "-c", "cd '" + to + "' && ar x '" + deb + "' && tar xzf data.tar.gz");
    return to;
  }

  private Path unpackTar() throws Exception {
    Path to = Files.createDirectory(temp.resolve("tar"));
    Path tar = TARGET.resolve("slipstream-" + VERSION + ".tar.gz");
    runWell("tar", "xzf", tar.toString(), "-C", to.toString());
    return to.resolve("slipstream-" + VERSION);
  }

  private static Path only(Path folder, String name) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> found = files.filter(file -> file.getFileName().toString().matches(name)).toList();
      assertThat(found).as(name).hasSize(1);
      return found.getFirst();
    }
  }

  private static Set<String> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file) + " " + mode(file))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static String mode(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void bothPackagesHaveTheSameFiles() throws Exception {
    Set<String> tar = files(unpackTar());
    assertThat(files(unpackDeb().resolve("usr"))).isEqualTo(tar);
    assertThat(tar)
        .contains(
            "bin/slipstream rwxr-xr-x",
            "share/slipstream/slipstream.jar rw-r--r--",
            "share/slipstream/slipstream.cdx.json rw-r--r--",
            "share/slipstream/Dockerfile rw-r--r--",
            "share/doc/slipstream/copyright rw-r--r--",
            "share/bash-completion/completions/slipstream rw-r--r--",
            "share/man/man1/slipstream.1 rw-r--r--",
            "share/man/man1/slipstream-ps.1 rw-r--r--",
            "share/man/man1/slipstream-doctor.1 rw-r--r--");
  }

  @Test
  void theDebSaysWhatItIs() throws Exception {
    Path deb = unpackDeb();
    runWell("tar", "xzf", deb.resolve("control.tar.gz").toString(), "-C", deb.toString());
    assertThat(Files.readString(deb.resolve("control")))
        .contains("Package: slipstream\n", "Architecture: all\n")
        .contains("Version: " + VERSION.replace("-SNAPSHOT", "~SNAPSHOT") + "\n")
        .doesNotContain("[[");
  }

  @Test
  void theCommandWorksWhereItWasUnpacked() throws Exception {
    List<Path> places = List.of(unpackDeb().resolve("usr"), unpackTar());
    Path source = Files.writeString(temp.resolve("Program.java"), PROGRAM);
    for (Path place : places) {
      String command = place.resolve("bin/slipstream").toString();
      assertThat(runWell(command, "--version"))
          .containsPattern(
              "^slipstream "
                  + Pattern.quote(VERSION)
                  + " \\(commit ([0-9a-f]{40}(-changed)?|unknown)\\)\n");
      String run = temp.resolve("run").toString();
      assertThat(runWell(command, "doctor", "--dir", run)).containsPattern("(?m)^shm +works: ");
      assertThat(runWell(command, "ps", "--dir", run)).contains("no process runs");
      assertThat(runWell(command, "java", "-version")).contains("version \"");
      assertThat(runWell(command, "java", source.toString()))
          .startsWith("org.slipstream.provider.");
      for (String tool : List.of("fabric", "try", "attach", "report")) {
        assertThat(runWell(command, tool, "--help")).startsWith("Usage: slipstream " + tool);
      }
      assertThat(run(List.of(command, "nonsense")).code()).isEqualTo(2);
    }
  }

  /** Through a link, as packagers of other systems install it. */
  @Test
  void theCommandIsFoundThroughALink() throws Exception {
    Path link =
        Files.createSymbolicLink(temp.resolve("a link"), unpackTar().resolve("bin/slipstream"));
    assertThat(runWell(link.toString(), "--version")).startsWith("slipstream ");
  }

  @Test
  void eachCommandHasAManualPageWithItsOptions() throws Exception {
    Path place = unpackTar();
    String command = place.resolve("bin/slipstream").toString();
    String help = runWell(command, "--help");
    List<String> commands = new ArrayList<>();
    help.substring(help.indexOf("Commands:"))
        .lines()
        .skip(1)
        .filter(line -> line.matches("  [a-z].*"))
        .forEach(line -> commands.add(line.strip().split("[, ]", 2)[0]));
    assertThat(commands).contains("ps", "doctor", "fabric", "attach", "try", "report");
    for (String name : commands) {
      Path page = place.resolve("share/man/man1/slipstream-" + name + ".1");
      assertThat(page).exists();
      String text = Files.readString(page).replace("\\-", "-");
      assertThat(text).contains(".TH ", "NAME", "SYNOPSIS");
      Pattern.compile("--[a-z][a-z-]+")
          .matcher(runWell(command, "help", name))
          .results()
          .forEach(option -> assertThat(text).as(name).contains(option.group()));
    }
    assertThat(runWell("bash", "-n", place + "/share/bash-completion/completions/slipstream"))
        .isEmpty();
  }

  /** The software in slipstream.jar, and nothing that only builds or tests it. */
  @Test
  void theBillOfMaterialsHasWhatIsInTheJar() throws Exception {
    JSONObject bom =
        new JSONObject(
            Files.readString(unpackTar().resolve("share/slipstream/slipstream.cdx.json")));
    assertThat(bom.getString("bomFormat")).isEqualTo("CycloneDX");
    JSONArray components = bom.getJSONArray("components");
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < components.length(); i++) {
      names.add(components.getJSONObject(i).getString("name"));
    }
    assertThat(names)
        .containsExactly(
            "agent",
            "memory",
            "picocli",
            "socketimpl-provider",
            "transport-api",
            "transport-core",
            "transport-ntb",
            "transport-rdma",
            "transport-shm");
  }
}
