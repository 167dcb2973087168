package org.slipstream.servers.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Least;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario.Figures;
import org.slipstream.servers.Scenario.Load;

/** A KRaft broker, Kafka's own performance tools, and a client of single records. */
class KafkaIT {
  private static final int RECORDS = 20_000;
  private static final int RECORD_BYTES = 1000;
  private static final int ROUND_TRIPS = 500;
  private static final String CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg";
  private static final List<String> SMALL = List.of("-Xmx512m");

  /** Returns the address of a running broker. */
  private static String broker(Run run) throws Exception {
    int port = Run.freePort();
    int controller = Run.freePort();
    Path properties = run.directory().resolve("server.properties");
    Files.writeString(
        properties,
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
        controller.listener.names=CONTROLLER
        log.dirs=%3$s
        num.partitions=1
        offsets.topic.num.partitions=1
        offsets.topic.replication.factor=1
        transaction.state.log.replication.factor=1
        group.initial.rebalance.delay.ms=0
        auto.create.topics.enable=true
        """
            .formatted(port, controller, run.directory().resolve("log")));
    run.prepare(
        "format",
        SMALL,
        "kafka.tools.StorageTool",
        "format",
        "-t",
        CLUSTER,
        "-c",
        properties.toString());
    run.server("broker", SMALL, "kafka.Kafka", properties.toString())
        .await("Kafka Server started", 60);
    return "127.0.0.1:" + port;
  }

  private static Load throughput(Run run) throws Exception {
    return new Tools(run, broker(run));
  }

  /** One record at a time: produced, acknowledged, consumed. */
  private static Load roundTrips(Run run) throws Exception {
    Jvm client = run.client("client", SMALL, KafkaLoad.class.getName(), broker(run));
    return Loop.of(run, client, ROUND_TRIPS);
  }

  /** Many records in, the same records out; Kafka checks each batch by its checksum. */
  private static final class Tools implements Load {
    private final Run run;
    private final String address;
    private int turns;

    Tools(Run run, String address) {
      this.run = run;
      this.address = address;
    }

    @Override
    public Figures turn() throws Exception {
      String topic = "records-" + ++turns;
      int records = RECORDS * run.scale();
      String produced =
          run.client(
                  "producer-" + turns,
                  SMALL,
                  "org.apache.kafka.tools.ProducerPerformance",
                  "--topic",
                  topic,
                  "--num-records",
                  Integer.toString(records),
                  "--record-size",
                  Integer.toString(RECORD_BYTES),
                  "--throughput",
                  "-1",
                  "--producer-props",
                  "bootstrap.servers=" + address,
                  "acks=1")
              .finish(240);
      Matcher last =
          find(
              "(?s).*\n"
                  + records
                  + " records sent, ([0-9.]+) records/sec .*? ([0-9]+) ms 50th.* ([0-9]+) ms 99th",
              produced);
      String consumed =
          run.client(
                  "consumer-" + turns,
                  SMALL,
                  "org.apache.kafka.tools.ConsumerPerformance",
                  "--bootstrap-server",
                  address,
                  "--topic",
                  topic,
                  "--num-records",
                  Integer.toString(records))
              .finish(240);
      // Columns: start, end, MB, MB/s, records, …
      Matcher row = find("(?m)^[0-9-]+ [0-9:]+, [^,]+, ([0-9.]+), ([0-9.]+), ([0-9]+),", consumed);
      assertThat(Long.parseLong(row.group(3))).as(consumed).isGreaterThanOrEqualTo(records);
      return new Figures(
          records,
          Double.parseDouble(last.group(1)),
          1000 * Double.parseDouble(last.group(2)),
          1000 * Double.parseDouble(last.group(3)));
    }
  }

  private static Matcher find(String expression, String text) {
    Matcher matcher = Pattern.compile(expression).matcher(text);
    assertThat(matcher.find()).as("%s in %s", expression, text).isTrue();
    return matcher;
  }

  @Test
  void recordsTravelOnTheRingAndWithoutIt() throws Exception {
    Comparison.run(
        "Kafka, its own tools, 1 kB records", "records/s", Least.of(0.9), KafkaIT::throughput);
  }

  @Test
  void singleRecordsTravelOnTheRingAndWithoutIt() throws Exception {
    Comparison.run("Kafka, end to end, 100 B", "records/s", Least.of(0.5), KafkaIT::roundTrips);
  }
}
