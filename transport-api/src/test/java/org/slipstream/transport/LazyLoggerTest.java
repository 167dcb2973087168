package org.slipstream.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class LazyLoggerTest {
  private final List<LogRecord> records = new ArrayList<>();

  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          line.getSourceClassName(); // which is found out here
          records.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @Test
  void aLineNamesItsCaller() {
    Logger platform = Logger.getLogger("org.slipstream.test");
    platform.setUseParentHandlers(false);
    platform.addHandler(handler);
    LazyLogger log = new LazyLogger("org.slipstream.test");
    Exception cause = new Exception("why");
    log.log(Level.WARNING, "something", cause);
    log.log(Level.WARNING, () -> "something else");
    assertThat(records)
        .extracting(LogRecord::getMessage)
        .containsExactly("something", "something else");
    assertThat(records.get(0).getThrown()).isSameAs(cause);
    assertThat(records)
        .allMatch(line -> LazyLoggerTest.class.getName().equals(line.getSourceClassName()));
  }

  @Test
  void aFailureToSaySomethingIsNoFailure() {
    Logger platform = Logger.getLogger("org.slipstream.failing");
    platform.setUseParentHandlers(false);
    platform.addHandler(
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            throw new NoClassDefFoundError("injected");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        });
    LazyLogger log = new LazyLogger("org.slipstream.failing");
    assertThatCode(
            () -> {
              log.log(Level.WARNING, "something", new Exception());
              log.log(Level.WARNING, "{0}", "something");
            })
        .doesNotThrowAnyException();
  }
}
