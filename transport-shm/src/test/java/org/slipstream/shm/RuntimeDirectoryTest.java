package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.transport.ProcessId;

class RuntimeDirectoryTest {
  @TempDir Path temp;

  private static final ProcessId US = new ProcessId(0x0123456789abcdefL, 1);

  private Path base() {
    return temp.resolve("run");
  }

  private RuntimeDirectory open() throws IOException {
    return RuntimeDirectory.open(base().toString(), US);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void everyLevelIsForUsAlone() throws IOException {
    RuntimeDirectory dir = open();
    assertThat(mode(base())).isEqualTo("rwx------");
    assertThat(mode(dir.scope())).isEqualTo("rwx------");
    assertThat(mode(dir.own())).isEqualTo("rwx------");
    assertThat(dir.name()).isEqualTo("0123456789abcdef");
    assertThat(dir.own()).isEqualTo(dir.scope().resolve(dir.name()));
    assertThat(dir.socketOf(dir.name())).isEqualTo(dir.own().resolve("ctl"));
    assertThat(dir.slabOf(dir.name(), 7)).isEqualTo(dir.own().resolve("slab-7"));
    assertThat(dir.port(80)).isEqualTo(dir.scope().resolve("port-80"));
  }

  @Test
  void anExistingDirectoryOfOursIsUsed() throws IOException {
    open();
    RuntimeDirectory second = RuntimeDirectory.open(base().toString(), new ProcessId(2, 2));
    assertThat(second.own()).isDirectory();
  }

  @Test
  void aDirectoryThatOthersCanLookIntoIsRefused() throws IOException {
    Files.createDirectory(base());
    Files.setPosixFilePermissions(base(), PosixFilePermissions.fromString("rwxr-x---"));
    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(base() + " has mode rwxr-x--- and others could look in");
  }

  @Test
  void aSymbolicLinkIsRefused() throws IOException {
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwx------"));
    Files.createSymbolicLink(base(), elsewhere);
    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is not a directory");
    assertThat(elsewhere).isEmptyDirectory();
  }

  @Test
  void aFileInItsPlaceIsRefused() throws IOException {
    Files.createFile(base());
    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is not a directory; remove it or set slipstream.dir");
  }

  @Test
  void aDirectoryOfAnotherUserIsRefused() throws IOException {
    Path theirs = base();
    int us = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    if (us == 0) {
      Files.createDirectory(theirs);
      Files.setAttribute(theirs, "unix:uid", 65534);
    } else {
      theirs = Path.of("/usr");
      assertThat((int) Files.getAttribute(theirs, "unix:uid")).isNotEqualTo(us);
    }
    String configured = theirs.toString();
    assertThatThrownBy(() -> RuntimeDirectory.open(configured, US))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(configured + " belongs to ");
  }

  @Test
  void aMissingParentIsOneSentence() {
    String configured = temp.resolve("no/such").toString();
    assertThatThrownBy(() -> RuntimeDirectory.open(configured, US))
        .isInstanceOf(IOException.class)
        .hasMessage("slipstream.dir=" + configured + ": its parent directory does not exist");
  }

  @Test
  void announcingTwiceIsOneMark() throws IOException {
    RuntimeDirectory dir = open();
    Path mark = dir.announce(80, "00ff");
    assertThat(dir.announce(80, "00ff")).isEqualTo(mark);
    assertThat(mark).isEqualTo(dir.port(80).resolve(dir.name() + "-00ff")).isEmptyFile();
  }

  @Test
  void leavingRemovesAllThatIsOurs() throws IOException {
    RuntimeDirectory dir = open();
    dir.announce(80, "00ff");
    Files.createFile(dir.slabOf(dir.name(), 0));
    Files.createFile(dir.socketOf(dir.name()));
    dir.leave();
    assertThat(base()).doesNotExist();
  }

  @Test
  void leavingKeepsWhatBelongsToOthers() throws IOException {
    RuntimeDirectory dir = open();
    RuntimeDirectory other = RuntimeDirectory.open(base().toString(), new ProcessId(2, 2));
    dir.announce(80, "00ff");
    Path theirs = other.announce(80, "00ff");
    dir.leave();
    assertThat(dir.own()).doesNotExist();
    assertThat(theirs).exists();
    other.leave();
    assertThat(base()).doesNotExist();
  }

  @Test
  void anExplicitDirectoryIsTakenAsItIs() throws IOException {
    assertThat(RuntimeDirectory.locate("/x/y")).isEqualTo(Path.of("/x/y"));
  }

  @Test
  void whatCanBeUsedHasNoObjection() throws IOException {
    assertThat(RuntimeDirectory.objection(base())).as("it can be made").isNull();
    open();
    assertThat(RuntimeDirectory.objection(base())).isNull();
  }

  /** It may have any number of entries, and names of neighbours among them. */
  @Test
  void theDirectoryOfAnotherUserIsNotSearched() throws IOException {
    RuntimeDirectory dir = open();
    Path neighbour = base().resolve(dir.scope().getFileName() + "1");
    Files.createDirectory(neighbour);
    assertThat(RuntimeDirectory.hasNeighbours(base().toString())).isTrue();
    Files.setPosixFilePermissions(base(), PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(RuntimeDirectory.objection(base())).contains("others could look in");
    assertThat(RuntimeDirectory.hasNeighbours(base().toString())).isFalse();
  }

  @Test
  void aDirectoryIsCurrentWhileItsSocketIsThereAndNoOtherPlaceIsAskedFor() throws IOException {
    RuntimeDirectory dir = open();
    assertThat(dir.isCurrent(base().toString())).as("no socket").isFalse();
    Files.createFile(dir.socketOf(dir.name()));
    assertThat(dir.isCurrent(base().toString())).isTrue();
    assertThat(dir.isCurrent(temp.resolve("elsewhere").toString())).isFalse();
  }

  /** A process of the same user can make any name. */
  @Test
  void namesOfNoLocaleAreNoHindrance() throws Exception {
    String make = "touch \"$0/$(printf 'a\\377')\" \"$0/b\"";
    Process touch = new ProcessBuilder("sh", "-c", make, temp.toString()).inheritIO().start();
    assertThat(touch.waitFor()).isZero();
    assertThat(RuntimeDirectory.children(temp)).contains(temp.resolve("b"));
    assertThat(RuntimeDirectory.children(temp.resolve("none"))).isEmpty();
    assertThat(RuntimeDirectory.children(temp.resolve("b"))).as("a file").isEmpty();
  }
}
