package org.slipstream.benchmarks.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(240)
class ProgramsTest {
  private static final int BYTES = 1 << 20;

  /** Two wires in one process: what the programs do between two. */
  private record Ends(Wire server, Wire client) implements AutoCloseable {
    static Ends open(Mode mode, int idle) throws IOException {
      try (Listener listener = Listener.open(new Arguments(mode, 0, BYTES, idle))) {
        int port = Integer.parseInt(listener.greeting().substring("ready ".length()));
        Arguments arguments = new Arguments(mode, port, BYTES, idle);
        CompletableFuture<Wire> server = later(() -> listener.accept(arguments));
        Wire client = Connections.connect(arguments);
        return new Ends(server.join(), client);
      }
    }

    @Override
    public void close() throws IOException {
      client.close();
      server.close();
    }
  }

  private static <T> CompletableFuture<T> later(Callable<T> task) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return task.call();
      } catch (Exception failure) {
        throw new CompletionException(failure);
      }
    });
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ASYNC") // it has no wire
  void echoesEverySize(Mode mode) throws IOException {
    try (Ends ends = Ends.open(mode, mode == Mode.SELECTOR ? 3 : 0)) {
      for (int size : new int[] {1, 15, 16, 64, 65_536, BYTES}) {
        Slice slice = new Slice(size, 5, 20, 0);
        CompletableFuture<String> server = later(() -> PingPongServer.echo(ends.server(), slice));
        Report report = PingPongClient.measure(ends.client(), slice);
        assertThat(server.join()).isEqualTo("done");
        assertThat(report.count()).isPositive().isEqualTo(report.histogram().getTotalCount());
        assertThat(report.exchanges()).isGreaterThan(report.count());
        assertThat(report.nanos()).isGreaterThanOrEqualTo(20_000_000);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ASYNC") // it has no wire
  void streamsEverySize(Mode mode) throws IOException {
    try (Ends ends = Ends.open(mode, 0)) {
      for (int size : new int[] {1, 64, 1000, 65_536, BYTES}) {
        CompletableFuture<String> server = later(() -> StreamServer.receive(ends.server()));
        Report report = StreamClient.measure(ends.client(), new Slice(size, 5, 60, 0));
        assertThat(server.join()).isEqualTo("done");
        assertThat(report.count()).isPositive().isEqualTo(report.histogram().getTotalCount());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ASYNC") // it has no wire
  void keepsTheIntervalOfSparseTraffic(Mode mode) throws IOException {
    try (Ends ends = Ends.open(mode, 0)) {
      Slice slice = new Slice(64, 0, 100, 5000);
      CompletableFuture<String> server = later(() -> PingPongServer.echo(ends.server(), slice));
      Report report = PingPongClient.measure(ends.client(), slice);
      assertThat(server.join()).isEqualTo("done");
      assertThat(report.count()).isBetween(1L, 21L);
    }
  }

  @Test
  void aByteThatCameChangedOrMovedIsSeen() throws IOException {
    try (Ends ends = Ends.open(Mode.BLOCKING, 0)) {
      Wire wire = ends.client();
      Pattern.fill(wire, 0, 64);
      Pattern.check(wire, 0, 64, 0);
      assertThatThrownBy(() -> Pattern.check(wire, 0, 64, 1)).hasMessageContaining("byte 1 of");
      wire.put(17, (byte) (wire.get(17) + 1));
      assertThatThrownBy(() -> Pattern.check(wire, 0, 64, 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("byte 17 of a message came changed");
    }
  }
}
