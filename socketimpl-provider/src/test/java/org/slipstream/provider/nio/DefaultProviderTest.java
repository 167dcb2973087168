package org.slipstream.provider.nio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefaultProviderTest {

  /** As in the JDK's sources of each system; a name that is wrong leaves a program without any. */
  @ParameterizedTest
  @CsvSource({
    "Linux, EPollSelectorProvider, LinuxAsynchronousChannelProvider",
    "Mac OS X, KQueueSelectorProvider, BsdAsynchronousChannelProvider",
    "Windows 11, WEPollSelectorProvider, WindowsAsynchronousChannelProvider",
    "Windows Server 2025, WEPollSelectorProvider, WindowsAsynchronousChannelProvider",
  })
  void theJdkHasAProviderForEachSystem(String system, String selectors, String asynchronous) {
    assertThat(DefaultProvider.selectors(system))
        .isEqualTo(DefaultProvider.PACKAGE + "." + selectors);
    assertThat(DefaultProvider.asynchronous(system))
        .isEqualTo(DefaultProvider.PACKAGE + "." + asynchronous);
  }

  @Test
  void thatOfThisSystemIsThere() throws Exception {
    String system = System.getProperty("os.name");
    assertThat(Class.forName(DefaultProvider.selectors(system))).isNotNull();
    assertThat(Class.forName(DefaultProvider.asynchronous(system))).isNotNull();
  }
}
