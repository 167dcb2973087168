package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long the marks of a listener stay. */
class AnnouncementTest {
  private final List<String> withdrawn = new ArrayList<>();
  private final Announcement announcement = new Announcement();

  private void announceTo(String... transports) {
    for (String transport : transports) {
      announcement.add(() -> withdrawn.add(transport));
    }
    announcement.completed();
  }

  @Test
  void goWithTheListener() {
    announceTo("shm", "rdma");
    assertThat(announcement.isHidden()).isFalse();
    announcement.close();
    assertThat(withdrawn).containsExactly("shm", "rdma");
    assertThat(announcement.isHidden()).isTrue();
  }

  @Test
  void outliveTheListenerWhileAStreamIsOpen() {
    announceTo("shm");
    assertThat(announcement.retain()).isTrue();
    announcement.close();
    assertThat(withdrawn).isEmpty();
    assertThat(announcement.retain()).as("accepted while it was closed").isTrue();
    announcement.release();
    assertThat(withdrawn).isEmpty();
    announcement.release();
    assertThat(withdrawn).containsExactly("shm");
  }

  /** The program closes a listener, and when it is collected the cleaner does so once more. */
  @Test
  void stayForAStreamHoweverOftenTheListenerIsClosed() {
    announceTo("shm");
    assertThat(announcement.retain()).isTrue();
    announcement.close();
    announcement.close();
    assertThat(withdrawn).isEmpty();
    announcement.release();
    assertThat(withdrawn).containsExactly("shm");
  }

  /** By the second time the marks may be those of another listener at the same address. */
  @Test
  void areWithdrawnOnce() {
    announceTo("shm");
    announcement.close();
    announcement.close();
    assertThat(announcement.retain()).isFalse();
    assertThat(withdrawn).containsExactly("shm");
  }

  @Test
  void ofATransportThatIsLateGoAtOnceIfTheListenerIsGone() {
    announcement.close();
    announceTo("shm");
    assertThat(withdrawn).containsExactly("shm");
  }

  @Test
  void ofATransportThatIsLateAreExpectedByStreams() {
    assertThat(announcement.retain()).isTrue();
    announcement.close();
    announceTo("shm");
    assertThat(withdrawn).isEmpty();
    announcement.release();
    assertThat(withdrawn).containsExactly("shm");
  }

  @Test
  void withoutAnyNoStreamIsRetained() {
    announceTo();
    assertThat(announcement.isHidden()).isTrue();
    assertThat(announcement.retain()).isFalse();
  }
}
