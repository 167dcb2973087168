package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.process.Tool.Said;

/** One file of settings for a host, which the agent and the tools read. */
class HostSettingsIT {
  @TempDir private Path home;

  private String conf(String text) throws Exception {
    return "-Dslipstream.conf=" + Files.writeString(home.resolve("slipstream.conf"), text);
  }

  @Test
  void theToolsAndTheAgentTakeItAndAPropertyWins() throws Exception {
    String conf = conf("ring.size = 64k\nspin.max = 7\ndir = " + home.resolve("run") + "\n");
    Said doctor = Tool.run(List.of(conf, "-Dslipstream.spin.max=9"), "doctor", "--no-exchange");
    assertThat(doctor.text())
        .contains("slipstream.ring.size=64k")
        .contains("slipstream.spin.max=9;")
        .contains("slipstream.dir=" + home.resolve("run"));
    assertThat(doctor.code()).isZero();
    assertThat(Tool.run(List.of(conf), "ps").text())
        .contains(home.resolve("run") + " does not exist");
    Said agent = Tool.run(List.of("-javaagent:" + Children.JAR, conf), "help");
    assertThat(agent.text()).doesNotContain("Slipstream is off");
  }

  @Test
  void whatIsWrongInItIsOneSentenceWithItsPlace() throws Exception {
    String conf = conf("ring.size = 64k\nrign.size = 64k\n");
    String sentence = home.resolve("slipstream.conf") + ":2: Unknown setting slipstream.rign.size";
    Said agent = Tool.run(List.of("-javaagent:" + Children.JAR, conf), "help");
    assertThat(agent.text().lines().filter(line -> line.contains("rign")))
        .singleElement()
        .asString()
        .startsWith("slipstream: SL001: Slipstream is off, sockets stay plain TCP: " + sentence);
    Said doctor = Tool.run(List.of(conf), "doctor", "--no-exchange");
    assertThat(doctor.text()).contains("settings    ! " + sentence);
    assertThat(doctor.code()).isEqualTo(3);
    Said missing = Tool.run(List.of("-Dslipstream.conf=" + home.resolve("none")), "doctor");
    assertThat(missing.text())
        .contains("slipstream.conf=" + home.resolve("none") + " can not be read");
    assertThat(missing.code()).isEqualTo(3);
  }
}
