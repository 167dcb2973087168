package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.core.status.StreamRow;

/** One stream as {@code slipstream ps --json} shows it. */
public record StreamLine(
    long pid,
    String local,
    String remote,
    String role,
    String carrier,
    String out,
    String in,
    long ringOut,
    long ringIn,
    long plainOut,
    long plainIn,
    String reason,
    String doorbell) {
  /** Reads the answers of all processes. */
  public static List<StreamLine> parse(String json) {
    return ProcessStatus.parseAll(json.strip()).stream()
        .flatMap(process -> process.streams().stream())
        .map(StreamLine::of)
        .toList();
  }

  private static StreamLine of(StreamRow row) {
    assertThat(row.members()).containsKeys("local", "remote", "role", "carrier", "out", "in");
    assertThat(row.members()).containsKeys("ringBytesOut", "plainBytesIn", "reason");
    return new StreamLine(
        row.number("pid"),
        row.text("local"),
        row.text("remote"),
        row.text("role"),
        row.text("carrier"),
        row.text("out"),
        row.text("in"),
        row.number("ringBytesOut"),
        row.number("ringBytesIn"),
        row.number("plainBytesOut"),
        row.number("plainBytesIn"),
        row.text("reason"),
        row.text("doorbell"));
  }

  /** What tells it from all other streams that are open at the moment. */
  public String name() {
    return role + " " + local + " " + remote;
  }

  public boolean onRing() {
    return !carrier.equals("tcp");
  }

  public long ringBytes() {
    return ringOut + ringIn;
  }

  public long plainBytes() {
    return plainOut + plainIn;
  }
}
