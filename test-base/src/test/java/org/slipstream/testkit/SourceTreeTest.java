package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceTreeTest {

  @TempDir Path root;

  private Path file(String name) throws Exception {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "");
  }

  @Test
  void whatABuildMakesIsLeftOut() throws Exception {
    Path source = file("module/src/A.java");
    Path page = file("README.md");
    file("module/target/classes/A.class");
    file("module/dependency-reduced-pom.xml");
    file(".git/config");
    assertThat(SourceTree.files(root)).containsExactlyInAnyOrder(source, page);
  }

  @Test
  void filesThatABuildDeletesMeanwhileDoNotEndTheWalk() throws Exception {
    Path source = file("module/src/A.java");
    AtomicBoolean over = new AtomicBoolean();
    Thread build =
        Thread.ofPlatform()
            .start(() -> {
              try {
                while (!over.get()) {
                  Files.delete(file("module/target/a/b"));
                  Files.delete(root.resolve("module/target/a"));
                  Files.delete(file("module/new"));
                }
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    for (int i = 0; i < 200; i++) {
      assertThat(SourceTree.files(root)).contains(source);
    }
    over.set(true);
    build.join();
  }
}
