package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where processes of one user meet, before and after a login, with and without its environment. */
class RuntimeLocationTest {
  @TempDir Path temp;

  private RuntimeLocation location;
  private Path ofLogin;
  private Path shm;

  @BeforeEach
  void machine() throws IOException {
    int uid = RuntimeLocation.uidOfProcess();
    shm = Files.createDirectory(temp.resolve("shm"));
    Path users = Files.createDirectory(temp.resolve("users"));
    ofLogin = users.resolve(Integer.toString(uid));
    location = new RuntimeLocation(users, shm, uid);
  }

  @Test
  void theSettingWins() throws IOException {
    Files.createDirectory(ofLogin);
    assertThat(location.find("/x/y", ofLogin.toString())).isEqualTo(Path.of("/x/y"));
    assertThatThrownBy(() -> location.find(" ", null)).hasMessageContaining("is empty");
  }

  @Test
  void aProgramWithoutTheVariableMeetsThoseThatHaveIt() throws IOException {
    Files.createDirectory(ofLogin);
    assertThat(location.find(null, null))
        .isEqualTo(location.find(null, ofLogin.toString()))
        .isEqualTo(ofLogin.resolve("slipstream"));
  }

  @Test
  void withoutALoginItIsTheTmpfsOfTheMachine() throws IOException {
    Path expected = shm.resolve("slipstream-" + location.uid());
    assertThat(location.find(null, null)).isEqualTo(expected);
    assertThat(location.find(null, ofLogin.toString())).as("logged out").isEqualTo(expected);
    assertThat(location.find(null, "run")).as("a relative path").isEqualTo(expected);
    assertThat(location.find(null, "")).isEqualTo(expected);
  }

  /** As {@code sudo -E} leaves it behind: the files of that user are none of ours. */
  @Test
  void theVariableOfAnotherUserIsIgnored() throws IOException {
    RuntimeLocation unrelated = new RuntimeLocation(temp.resolve("users"), shm, location.uid() + 1);
    Files.createDirectory(ofLogin);
    assertThat(unrelated.find(null, ofLogin.toString()))
        .isEqualTo(shm.resolve("slipstream-" + unrelated.uid()));
  }

  @Test
  void aMachineWithoutAPlaceIsOneSentence() throws IOException {
    Files.delete(shm);
    assertThatThrownBy(() -> location.find(null, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("there is no " + shm)
        .hasMessageContaining("set slipstream.dir");
  }
}
