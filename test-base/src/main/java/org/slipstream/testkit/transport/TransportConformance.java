package org.slipstream.testkit.transport;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/**
 * The contract between core and backends, as tests: a backend runs all of it with a subclass that
 * says how it is opened as two processes.
 */
public abstract class TransportConformance {

  /** What is tested. */
  protected abstract Backend backend();

  @Nested
  class Endpoints extends EndpointContract {
    @Override
    protected Backend backend() {
      return TransportConformance.this.backend();
    }
  }

  @Nested
  class Sessions extends SessionContract {
    @Override
    protected Backend backend() {
      return TransportConformance.this.backend();
    }
  }

  @Nested
  class Windows extends WindowContract {
    @Override
    protected Backend backend() {
      return TransportConformance.this.backend();
    }
  }

  @Nested
  class Links extends LinkContract {
    private final List<TransportPair> opened = new ArrayList<>();

    /** All links of a test are of one session. */
    @Override
    protected LinkPair link() throws Exception {
      if (opened.isEmpty()) {
        opened.add(new TransportPair(backend(), 256L << 20).connect());
      }
      return opened.getFirst().link();
    }

    @AfterEach
    void close() throws IOException {
      for (TransportPair pair : opened) {
        pair.close();
      }
    }
  }
}
