package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.rdma.verbs.NativeCallException;

/** Where our own ports begin. */
class SourcePortsTest {

  @Test
  void theKernelsRangeIsReadAsAWhole() {
    assertThat(SourcePorts.range()).matches("\\d+\\s+\\d+\\s*");
  }

  @ParameterizedTest
  @CsvSource({
    "'32768\t60999\n', 61000",
    "'1024 65535', 0",
    "'1024 65279', 65280",
    "'1024 65280', 0",
    "'', 0",
    "'nonsense', 0",
    "'0 100', 0"
  })
  void theyAreBehindTheKernels(String range, int first) {
    assertThat(SourcePorts.firstBehind(range)).isEqualTo(first);
  }

  /** 98: the very address is taken there; 99: all addresses are, by one of the two. */
  @ParameterizedTest
  @ValueSource(ints = {98, 99})
  void aPortThatIsTakenIsNotTheEnd(int errno) throws Exception {
    List<Integer> tried = new ArrayList<>();
    SourcePorts.tryPorts(
        61000,
        port -> {
          tried.add(port);
          if (tried.size() < 4) {
            throw new NativeCallException("rdma_resolve_addr", errno);
          }
        });
    assertThat(tried).hasSize(4).allMatch(port -> port >= 61000 && port <= 65535);
  }

  @Test
  void whereAllAreHeldTheChoiceIsTheKernels() {
    List<Integer> tried = new ArrayList<>();
    assertThatThrownBy(() ->
            SourcePorts.tryPorts(
                61000,
                port -> {
                  tried.add(port);
                  throw new NativeCallException("rdma_resolve_addr", 99);
                }))
        .hasMessageContaining("99");
    assertThat(tried).hasSizeLessThan(100).endsWith(0);
  }

  @Test
  void whatHasNothingToDoWithPortsIsSaidAtOnce() {
    List<Integer> tried = new ArrayList<>();
    assertThatThrownBy(() ->
            SourcePorts.tryPorts(
                61000,
                port -> {
                  tried.add(port);
                  throw new NativeCallException("rdma_resolve_addr", 101);
                }))
        .hasMessageContaining("101");
    assertThat(tried).hasSize(1);
  }
}
