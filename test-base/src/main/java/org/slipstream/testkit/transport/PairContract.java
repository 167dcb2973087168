package org.slipstream.testkit.transport;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Contracts between two processes; what a test opens is closed after it. */
public abstract class PairContract {
  private static final long BUDGET = 256L << 20;

  private final List<TransportPair> pairs = new ArrayList<>();

  /** What is tested. */
  protected abstract Backend backend();

  /** Two processes that do not know each other yet. */
  protected final TransportPair open() throws IOException {
    return open(BUDGET);
  }

  /** The same, with a limit on the memory of each one's windows. */
  protected final TransportPair open(long budgetBytes) throws IOException {
    TransportPair pair = new TransportPair(backend(), budgetBytes);
    pairs.add(pair);
    return pair;
  }

  /** Two processes with a session. */
  protected final TransportPair connected() throws Exception {
    return open().connect();
  }

  @AfterEach
  final void closePairs() throws IOException {
    for (TransportPair pair : pairs) {
      pair.close();
    }
  }
}
