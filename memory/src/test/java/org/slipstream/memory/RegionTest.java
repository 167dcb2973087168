package org.slipstream.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
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

  /** How many calls succeed before there is no memory for one; none fails below zero. */
  private int plenty = -1;

  private void failIfShort() {
    if (plenty-- == 0) {
      throw new OutOfMemoryError("as a test has it");
    }
  }

  private final Session session =
      (Session)
          Proxy.newProxyInstance(
              Session.class.getClassLoader(),
              new Class<?>[] {Session.class},
              (proxy, method, arguments) -> {
                switch (method.getName()) {
                  case "send" -> {
                    failIfShort();
                    sent.add((ByteBuffer) arguments[0]);
                  }
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
  private final class Memory implements OwnMemory {
    private final MemorySegment segment = Arena.ofAuto().allocate(64);

    /** For which it holds something, as a device does. */
    private final Set<String> kept = new HashSet<>();

    @Override
    public MemorySegment segment() {
      return segment;
    }

    @Override
    public void describe(Session to, String grant, MemoryAccess access, ByteBuffer out) {
      kept.add(grant);
      out.putInt(7);
    }

    @Override
    public boolean revoke(Session from, String grant) {
      failIfShort();
      return false;
    }

    @Override
    public void forget(String grant) {
      failIfShort();
      kept.remove(grant);
    }

    @Override
    public void close() {}
  }

  private final Memory memory = new Memory();

  private final Region region =
      new Region("r", () -> Owner.process(1), memory, Right.bits(Set.of(Right.READ)), closed -> {});

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

  private boolean maps(long id, Grant grant) {
    return maps(id, grant.number(), grant.secret());
  }

  private boolean maps(long id, long grant, String secret) {
    return region.request(
        session, id, new MemoryFrame.Request(MemoryFrame.VERSION, grant, secret, "r"));
  }

  /** Its last holder has unmapped the memory, and still knows the key of the device. */
  @Test
  void aGrantThatIsRevokedLeavesNothingBehindThoughNoProcessHasMappedItNow() throws Exception {
    Grant grant = region.grant(Set.of(Right.WRITE));
    Grant other = region.grant(Set.of(Right.WRITE));
    assertThat(maps(1, grant)).isTrue();
    assertThat(maps(2, other)).isTrue();
    region.unmapped(session, 1);
    assertThat(memory.kept)
        .containsExactlyInAnyOrder(MemoryFrame.NO_SECRET, grant.secret(), other.secret());
    assertThat(region.revoke(grant, Duration.ZERO)).isTrue();
    assertThat(memory.kept).containsExactlyInAnyOrder(MemoryFrame.NO_SECRET, other.secret());
    region.unmapped(session, 2);
    region.unmapped(session, ID);
    assertThat(region.revokeAll(Duration.ZERO)).isTrue();
    assertThat(memory.kept).isEmpty();
  }

  /** Over RDMA its holder would keep the key if the second call did not know the grant any more. */
  @Test
  void aGrantThatThereIsNoMemoryToRevokeIsRevokedByTheNextCall() throws Exception {
    for (int calls = 0; calls < 3; calls++) { // tell the holder, take it away, forget the key
      Grant grant = region.grant(Set.of(Right.WRITE));
      assertThat(maps(1, grant)).isTrue();
      plenty = calls;
      assertThatThrownBy(() -> region.revoke(grant, Duration.ZERO))
          .isInstanceOf(OutOfMemoryError.class);
      region.unmapped(session, 1);
      assertThat(region.revoke(grant, Duration.ZERO)).isTrue();
      assertThat(memory.kept).as("behind %s calls", calls).doesNotContain(grant.secret());
      assertRefused(grant.number(), grant.secret(), MappingException.Reason.REVOKED);
    }
  }

  @Test
  void allThatThereIsNoMemoryToRevokeIsRevokedByTheNextCall() throws Exception {
    for (int calls = 0; calls < 4; calls++) {
      Grant grant = region.grant(Set.of(Right.WRITE));
      assertThat(maps(1, grant)).isTrue();
      region.unmapped(session, ID);
      plenty = calls;
      assertThatThrownBy(() -> region.revokeAll(Duration.ZERO))
          .isInstanceOf(OutOfMemoryError.class);
      region.unmapped(session, 1);
      assertThat(region.revokeAll(Duration.ZERO)).isTrue();
      assertThat(memory.kept).as("behind %s calls", calls).isEmpty();
    }
  }

  @Test
  void aRegionThatIsClosedAgainTellsTheHoldersForWhomThereWasNoMemory() {
    plenty = 0;
    assertThatThrownBy(region::close).isInstanceOf(OutOfMemoryError.class);
    assertThat(sent).isEmpty();
    region.close();
    region.close();
    assertThat(sent).containsExactly(MemoryFrame.revoke(ID));
  }

  /** The session ends then; its peer may have the answer, and is a holder until that is known. */
  @Test
  void aPeerThatMayHaveTheMemoryIsAHolderThoughItsAnswerFailed() {
    plenty = 0;
    assertThatThrownBy(() -> maps(1, 0, MemoryFrame.NO_SECRET))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(region.mappings()).isEqualTo(2);
  }

  @Test
  void whatWasRevokedIsKnownByItsNumberAndNothingIsKeptOfIt() throws Exception {
    Grant first = region.grant(Set.of(Right.WRITE));
    Grant second = region.grant(Set.of(Right.WRITE));
    region.revoke(first, Duration.ZERO);
    Grant third = region.grant(Set.of(Right.WRITE));
    assertRefused(first.number(), first.secret(), MappingException.Reason.REVOKED);
    assertRefused(second.number(), third.secret(), MappingException.Reason.DENIED);
    assertRefused(third.number() + 1, third.secret(), MappingException.Reason.DENIED);
    assertRefused(0, third.secret(), MappingException.Reason.DENIED);
    region.revokeAll(Duration.ZERO);
    assertRefused(second.number(), second.secret(), MappingException.Reason.REVOKED);
    assertThat(maps(3, region.grant(Set.of(Right.WRITE)))).isTrue();
  }

  private void assertRefused(long grant, String secret, MappingException.Reason reason) {
    sent.clear();
    assertThat(maps(9, grant, secret)).isFalse();
    assertThat(sent).containsExactly(MemoryFrame.refused(9, reason));
  }

  /** A peer that knows the number of a grant, but not its secret. */
  @Test
  void aRequestByNameHasTheRightsOfTheName() {
    Grant all = region.grant(Set.of(Right.READ, Right.WRITE, Right.ATOMIC));
    assertThat(maps(3, all.number(), MemoryFrame.NO_SECRET)).isTrue();
    assertThat(sent.getLast().get(MemoryFrame.HEADER_BYTES))
        .isEqualTo((byte) Right.bits(Set.of(Right.READ)));
  }
}
