package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.process.Tool.Said;

/** What {@code slipstream doctor} says to people, and its exit code to scripts. */
class DoctorIT {
  @RegisterExtension final Children children = new Children();

  private Said doctor(List<String> settings, String... arguments) throws Exception {
    return doctorBehind(List.of(), settings, arguments);
  }

  private Said doctorBehind(List<String> prefix, List<String> settings, String... arguments)
      throws Exception {
    List<String> flags = new ArrayList<>();
    flags.add("-Dslipstream.dir=" + children.directory());
    settings.forEach(setting -> flags.add("-Dslipstream." + setting));
    List<String> all = new ArrayList<>(List.of("doctor"));
    all.addAll(List.of(arguments));
    return Tool.runBehind(prefix, flags, all.toArray(String[]::new));
  }

  @Test
  void whereATransportWorksTheCodeIs0() throws Exception {
    Said said = doctor(List.of("transports=shm"));
    assertThat(said.text().lines().map(l -> l.replaceFirst(" .*", "")).filter(l -> !l.isEmpty()))
        .as("a line for each thing that matters: %s", said.text())
        .containsExactlyInAnyOrder(
            "java",
            "cores",
            "flags",
            "settings",
            "directory",
            "files",
            "memlock",
            "sendfile",
            "tcp",
            "shm",
            "rdma",
            "ntb",
            "verdict");
    assertThat(said.text())
        .containsPattern("(?m)^java +OpenJDK|^java +Java")
        .containsPattern("(?m)^cores +(! 1: |[0-9]+$)")
        .containsPattern("(?m)^flags +-Dslipstream\\.dir=" + children.directory())
        .containsPattern("(?m)^settings +.*shm")
        .containsPattern(
            "(?m)^directory +" + children.directory() + " \\(tmpfs, [0-9]+ MiB free\\)")
        .containsPattern("(?m)^files +(unlimited|[0-9]{4,})$")
        .containsPattern("(?m)^memlock +(unlimited|[0-9]+$|! [0-9]+: too little)")
        .containsPattern("(?m)^sendfile +FileChannel.transferTo uses it")
        .containsPattern("(?m)^tcp +works: 64 B there and back in [0-9.]+ µs")
        .containsPattern("(?m)^shm +works: 64 B there and back in [0-9.]+ µs")
        .containsPattern("(?m)^rdma +")
        .containsPattern("(?m)^verdict +streams can leave TCP");
    assertThat(said.code()).as(said.text()).isZero();

    Said looked = doctor(List.of("transports=shm"), "--no-exchange");
    assertThat(looked.text()).containsPattern("(?m)^shm +available").doesNotContain("works:");
    assertThat(looked.code()).as(looked.text()).isZero();
  }

  @Test
  void whatIsInTheWayHasAnExclamationMark() throws Exception {
    List<String> few = List.of("bash", "-c", "ulimit -n 100; exec \"$@\"", "sh");
    Said said = doctorBehind(few, List.of("transports=shm"));
    assertThat(said.text())
        .containsPattern("(?m)^files +! 100: each stream needs one; ulimit -n$")
        .containsPattern("(?m)^shm +works: ")
        .containsPattern("(?m)^verdict +streams can leave TCP here; see the lines with !");
    assertThat(said.code()).as(said.text()).isZero();
  }

  @Test
  void whereNoTransportIsThereTheCodeIs1() throws Exception {
    Said said = doctor(List.of("transports=ntb"));
    assertThat(said.text())
        .containsPattern("(?m)^tcp +works: ")
        .containsPattern("(?m)^verdict +every stream stays on TCP");
    assertThat(said.code()).as(said.text()).isEqualTo(1);
  }

  /** It joins two hosts, so nothing can be exchanged with this process. */
  @Test
  void aFileThatTwoHostsMapIsLookedAtAndNotTaken() throws Exception {
    Path window = children.home().resolve("window");
    Files.write(window, new byte[2 << 20]);
    Path hosts = children.home().resolve("hosts");
    Files.writeString(hosts, "127.0.0.1 4@" + window + "\n192.0.2.8 8@" + window + "\n");
    Said said = doctor(List.of("transports=ntb", "ntb.hosts=" + hosts, "ntb.key=trusted"));
    assertThat(said.text())
        .contains("available: " + window + ": 2097152 bytes, from node 4 to 8")
        .contains("works: no process of node 8 uses " + window + " at this moment")
        .containsPattern("(?m)^verdict +streams can leave TCP");
    assertThat(said.code()).as(said.text()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--no-such-option", "--dir", "--dir=", "word"})
  void aWrongCommandLineHasTheCode2(String wrong) throws Exception {
    Said said = doctor(List.of(), wrong);
    assertThat(said.text())
        .containsPattern("Unknown option|Usage: slipstream doctor")
        .doesNotContain("verdict");
    assertThat(said.code()).as(said.text()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ring.size=3", "dir=", "no.such.key=1"})
  void wrongSettingsHaveTheCode3(String setting) throws Exception {
    Said said = doctor(List.of(setting));
    assertThat(said.text())
        .containsPattern("(?m)^settings +! .*slipstream." + setting.replaceFirst("=.*", ""))
        .containsPattern("(?m)^verdict +the settings are wrong");
    assertThat(said.code()).as(said.text()).isEqualTo(3);
  }

  @Test
  void aTransportThatIsThereAndDoesNotWorkHasTheCode3() throws Exception {
    Said said =
        doctor(List.of("transports=shm"), "--dir", children.home().resolve("no/run").toString());
    assertThat(said.text())
        .containsPattern("(?m)^shm +! available, but the exchange failed: ")
        .containsPattern("(?m)^verdict +a transport is there but does not work");
    assertThat(said.code()).as(said.text()).isEqualTo(3);
  }

  @Test
  void helpNamesTheCodes() throws Exception {
    Said said = doctor(List.of(), "--help");
    assertThat(said.text())
        .containsPattern("(?m)^ *0 +streams can leave TCP")
        .containsPattern("(?m)^ *1 +every stream stays on TCP")
        .containsPattern("(?m)^ *2 +the command line is wrong")
        .containsPattern("(?m)^ *3 +a transport that is there failed");
    assertThat(said.code()).isZero();
  }
}
