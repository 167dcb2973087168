package org.slipstream.testkit.transport.mapped;

import org.slipstream.testkit.transport.Backend;
import org.slipstream.testkit.transport.TransportConformance;

/** The contract between core and backends, over the backend that is an example. */
class MappedFileConformanceTest extends TransportConformance {
  @Override
  protected Backend backend() {
    return Backend.of(MappedFileTransport::new);
  }
}
