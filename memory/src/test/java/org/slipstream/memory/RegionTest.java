package org.slipstream.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;

/** What holders of a region are told. */
class RegionTest {
  private static final long ID = 7;

  private final List<ByteBuffer> sent = new ArrayList<>();

  private final Session session =
      (Session)
          Proxy.newProxyInstance(
              Session.class.getClassLoader(),
              new Class<?>[] {Session.class},
              (proxy, method, arguments) -> {
                switch (method.getName()) {
                  case "send" -> sent.add((ByteBuffer) arguments[0]);
                  case "hashCode" -> {
                    return 1;
                  }
                  case "equals" -> {
                    return true; // there is one
                  }
                  default -> throw new UnsupportedOperationException(method.getName());
                }
                return null;
              });

  /** Memory of the heap. */
  private static final class Memory implements OwnMemory {
    private final MemorySegment segment = Arena.ofAuto().allocate(64);

    @Override
    public MemorySegment segment() {
      return segment;
    }

    @Override
    public void describe(Session to, String grant, MemoryAccess access, ByteBuffer out) {
      out.putInt(7);
    }

    @Override
    public boolean revoke(Session from, String grant) {
      return false;
    }

    @Override
    public void close() {}
  }

  private final Region region =
      new Region(
          "r", () -> Owner.process(1), new Memory(), Right.bits(Set.of(Right.READ)), closed -> {});

  @BeforeEach
  void map() {
    MemoryFrame.Request asked =
        new MemoryFrame.Request(MemoryFrame.VERSION, 0, MemoryFrame.NO_SECRET, "r");
    assertThat(region.request(session, ID, asked)).isTrue();
    sent.clear();
  }

  @Test
  void aRegionThatIsClosedTellsItsHolders() {
    region.close();
    assertThat(sent).containsExactly(MemoryFrame.revoke(ID));
  }

  /** They hear of the end of the session: what they have mapped is lost, and was not revoked. */
  @Test
  void aRegionWhoseDomainEndsTellsThemNothing() {
    region.closeWithDomain();
    assertThat(sent).isEmpty();
    region.close();
    assertThat(sent).isEmpty();
  }
}
