package org.slipstream.servers.kafka;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slipstream.servers.Loop;

/**
 * A record is produced, acknowledged, consumed and compared, then the next: as Kafka's own
 * EndToEndLatency, which is a process of its own each time and so never warm.
 */
public final class KafkaLoad {
  private static final int BYTES = 100;
  private static final String TOPIC = "trips";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private KafkaLoad() {}

  /**
   * {@code BOOTSTRAP-SERVER}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", args[0], "acks", "1", "linger.ms", "0");
    try (KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                Map.of("bootstrap.servers", args[0]),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = List.of(new TopicPartition(TOPIC, 0));
      producer.send(new ProducerRecord<>(TOPIC, new byte[BYTES])).get(); // makes the topic
      consumer.assign(partitions);
      consumer.seekToEnd(partitions);
      consumer.position(partitions.getFirst());
      Random random = new Random(1);
      byte[] value = new byte[BYTES];
      Loop.serve(
          1,
          () -> {
            random.nextBytes(value);
            producer.send(new ProducerRecord<>(TOPIC, value)).get();
            List<ConsumerRecord<byte[], byte[]>> records =
                consumer.poll(PATIENCE).records(partitions.getFirst());
            if (records.size() != 1 || !Arrays.equals(value, records.getFirst().value())) {
              throw new IllegalStateException("another record came back");
            }
          });
    }
  }
}
