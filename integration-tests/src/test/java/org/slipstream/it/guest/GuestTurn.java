package org.slipstream.it.guest;

import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * How many test classes of a build have a virtual machine at once: one for every two processors,
 * because an emulator keeps one busy, and all others need some, too. The JVMs that run test classes
 * side by side agree by files that they lock.
 */
final class GuestTurn implements BeforeAllCallback {
  private static final Path HOME = Path.of("target", "guest-turns");
  private static final int TURNS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
  private static final int LOOK_MS = 500;

  /** Closed when the class has ended that took it. */
  private record Turn(FileChannel file) implements AutoCloseable {
    @Override
    public void close() throws Exception {
      file.close(); // and with it the lock
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    // A nested class has that of the class around it.
    context
        .getStore(ExtensionContext.Namespace.create(GuestTurn.class))
        .computeIfAbsent(Turn.class, key -> take());
  }

  private static Turn take() {
    try {
      Files.createDirectories(HOME);
      for (; ; ) {
        for (int i = 0; i < TURNS; i++) {
          Turn turn = tryToTake(HOME.resolve("turn" + i));
          if (turn != null) {
            return turn;
          }
        }
        Thread.sleep(LOOK_MS);
      }
    } catch (Exception e) {
      throw new IllegalStateException("no turn of a virtual machine", e);
    }
  }

  private static @Nullable Turn tryToTake(Path path) throws Exception {
    FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = file.tryLock();
      if (lock != null) {
        return new Turn(file);
      }
    } catch (OverlappingFileLockException e) {
      // this JVM has it
    }
    file.close();
    return null;
  }
}
