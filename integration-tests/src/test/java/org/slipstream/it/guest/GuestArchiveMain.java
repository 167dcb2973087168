package org.slipstream.it.guest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;

/** Loads all classes of this project, and runs what {@link GuestMain} is told to. */
public final class GuestArchiveMain {
  private static final String OURS = "org/slipstream/";
  private static final String SUFFIX = ".class";

  private GuestArchiveMain() {}

  /**
   * Runs, and ends the JVM.
   *
   * @param args of {@link GuestMain}
   */
  public static void main(String[] args) throws IOException {
    for (Path jar : GuestArchive.ofThisJvm()) {
      for (String name : classes(jar)) {
        load(name);
      }
    }
    GuestMain.main(args);
  }

  private static List<String> classes(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.startsWith(OURS) && name.endsWith(SUFFIX))
          .map(name -> name.substring(0, name.length() - SUFFIX.length()).replace('/', '.'))
          .toList();
    }
  }

  private static void load(String name) {
    try {
      Class<?> _ = Class.forName(name, false, GuestArchiveMain.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      return; // extends what is not on the class path
    }
  }
}
