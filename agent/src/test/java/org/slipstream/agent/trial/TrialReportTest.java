package org.slipstream.agent.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.status.ProcessStatus;

class TrialReportTest {
  private static Turn turn(Integer code, Carried carried) {
    return new Turn(
        20_050,
        new CpuTime(4_120, 410),
        new KernelCalls(1_200, 34),
        new ContextSwitches(5_678),
        code,
        null,
        carried);
  }

  private static Carried carried() {
    Carried carried = new Carried();
    carried.streams(
        ProcessStatus.parseAll(
            """
            {"pid":7,"streams":[{"local":"a","remote":"b","role":"client","carrier":"shm",\
            "ringBytesOut":1230000,"plainBytesOut":17,"reason":"NONE"},{"local":"c","remote":"d",\
            "role":"client","carrier":"tcp","plainBytesOut":5,"reason":"RULE","advice":"see rules"}]}\
            """));
    return carried;
  }

  @Test
  void thePageHasBothTurnsTheCarriersAndTheReasons() {
    assertThat(TrialReport.page(turn(0, new Carried()), turn(null, carried())))
        .containsExactly(
            "                                    off           on",
            "ran for                         20.05 s      20.05 s",
            "CPU in the programs              4.12 s       4.12 s",
            "CPU in the kernel                0.41 s       0.41 s",
            "reads and writes                  1,234        1,234",
            "voluntary context switches        5,678        5,678",
            "ended                            with 0       by try",
            "",
            "Carried, of 1 process; a stream between two of them counts at both ends:",
            "  shm                          1 stream      1.23 MB",
            "  tcp                          1 stream         22 B",
            "",
            "Stayed on TCP, because:",
            "  1 stream             5 B   RULE: see rules");
  }

  @Test
  void aShortRunSaysThatItWasShort() {
    Turn brief =
        new Turn(
            1_100,
            new CpuTime(1, 1),
            new KernelCalls(1, 1),
            new ContextSwitches(1),
            0,
            null,
            carried());
    assertThat(TrialReport.page(turn(0, new Carried()), brief))
        .anyMatch(line -> line.startsWith("A run of less than 20 s"));
  }

  @Test
  void whatTheKernelOrTheJvmDoesNotTellIsLeftOut() {
    Turn turn =
        new Turn(
            20_050,
            new CpuTime(1, 1),
            new KernelCalls(-1, -1),
            new ContextSwitches(-1),
            0,
            null,
            carried());
    assertThat(TrialReport.page(turn, turn))
        .noneMatch(line -> line.startsWith("reads") || line.startsWith("voluntary"));
    assertThat(TrialReport.json(turn, turn)).contains("\"voluntarySwitches\":null,");
  }

  @Test
  void whatFailsWithoutSlipstreamSaysSo() {
    assertThat(TrialReport.page(turn(7, new Carried()), null))
        .contains("ended                            with 7")
        .endsWith("It fails without Slipstream, and so was not run with it.");
  }

  @Test
  void whatFailsWithSlipstreamOnlySaysSo() {
    List<String> page = TrialReport.page(turn(0, new Carried()), turn(5, carried()));
    assertThat(page.getLast()).startsWith("It fails with Slipstream only");
  }

  @Test
  void withoutAStreamThePageSaysWhyThatCanBe() {
    assertThat(TrialReport.page(turn(0, new Carried()), turn(0, new Carried())))
        .anyMatch(line -> line.startsWith("No process of it was seen with Slipstream"));
  }

  @Test
  void theLineOfJsonHasTheSame() {
    assertThat(TrialReport.json(turn(0, new Carried()), turn(null, carried())))
        .isEqualTo(
            """
            {"off":{"seconds":20.050,"userSeconds":4.12,"systemSeconds":0.41,"reads":1200,"writes":34,"voluntarySwitches":5678,"exitCode":0,"serverCode":null},\
            "on":{"seconds":20.050,"userSeconds":4.12,"systemSeconds":0.41,"reads":1200,"writes":34,"voluntarySwitches":5678,"exitCode":null,"serverCode":null},\
            "processes":1,"carriers":[{"name":"shm","streams":1,"bytes":1230000},\
            {"name":"tcp","streams":1,"bytes":22}],"tooShort":[{"name":"not seen","streams":0,"bytes":0}],\
            "reasons":[{"name":"RULE: see rules","streams":1,"bytes":5}]}\
            """);
    assertThat(TrialReport.json(turn(7, new Carried()), null)).endsWith("\"on\":null}");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "999, 999 B",
    "1000, 1.00 kB",
    "9994, 9.99 kB",
    "99940, 99.9 kB",
    "999499, 999 kB",
    "1500000000, 1.50 GB",
    "5000000000000000, 5000 TB",
  })
  void bytesHaveThreeDigits(long bytes, String text) {
    assertThat(TrialReport.bytes(bytes)).isEqualTo(text);
  }
}
