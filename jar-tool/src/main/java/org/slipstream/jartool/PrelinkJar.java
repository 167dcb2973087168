package org.slipstream.jartool;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassHierarchyResolver;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Rewrites a jar in its place: lambdas, method references, and {@code equals} and {@code hashCode}
 * of records are linked. The first call of each would make the JVM write a class, which takes a
 * millisecond of processor time in a process that has just been started; a class that is there
 * takes a twentieth of that. And our classes are stored without compression: the JVM inflates each
 * class of a jar anew in each process.
 *
 * <p>Order and times of the entries stay, so that a build can be repeated. A jar that was rewritten
 * before stays as it is.
 */
public final class PrelinkJar {
  /** Of the jar's classes, those that are ours and no library's. */
  private static final String OURS = "org/slipstream/";

  private static final String LIBRARIES = "org/slipstream/shaded/";
  private static final String CLASS = ".class";

  private PrelinkJar() {}

  /** One file of the jar. */
  @SuppressWarnings("ArrayRecordComponent") // compared with none
  private record Entry(String name, LocalDateTime time, byte[] content) {}

  /**
   * Rewrites it.
   *
   * @param args the path of the jar
   * @throws IOException it can not be read or written
   */
  public static void main(String[] args) throws IOException {
    Path jar = Path.of(args[0]);
    List<Entry> entries = read(jar);
    Prelinker prelinker;
    try (URLClassLoader classes =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
      prelinker = new Prelinker(ClassHierarchyResolver.ofResourceParsing(classes));
      entries.replaceAll(
          e -> isOurs(e.name) ? new Entry(e.name, e.time, prelinker.link(e.content)) : e);
      entries.replaceAll(
          e -> isOurs(e.name) ? new Entry(e.name, e.time, prelinker.nest(e.content)) : e);
    }
    write(jar, withClasses(entries, prelinker));
    System.out.println(jar.getFileName() + ": " + prelinker.summary());
  }

  private static boolean isOurs(String name) {
    return name.startsWith(OURS) && !name.startsWith(LIBRARIES) && name.endsWith(CLASS);
  }

  private static List<Entry> read(Path jar) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (ZipFile file = new ZipFile(jar.toFile())) {
      file.stream()
          .forEachOrdered(e -> {
            try {
              entries.add(
                  new Entry(e.getName(), e.getTimeLocal(), file.getInputStream(e).readAllBytes()));
            } catch (IOException failure) {
              throw new UncheckedIOException(failure);
            }
          });
    }
    return entries;
  }

  /** Each new class behind the one that it was made for. */
  private static List<Entry> withClasses(List<Entry> entries, Prelinker prelinker) {
    List<Entry> all = new ArrayList<>();
    for (Entry entry : entries) {
      all.add(entry);
      if (isOurs(entry.name)) {
        String host = entry.name.substring(0, entry.name.length() - CLASS.length());
        for (Map.Entry<String, byte[]> made : prelinker.classesOf(host).entrySet()) {
          all.add(new Entry(made.getKey() + CLASS, entry.time, made.getValue()));
        }
      }
    }
    return all;
  }

  private static void store(ZipEntry entry, byte[] content) {
    CRC32 sum = new CRC32();
    sum.update(content);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(content.length);
    entry.setCrc(sum.getValue());
  }

  private static void write(Path jar, List<Entry> entries) throws IOException {
    Path made = Files.createTempFile(jar.toAbsolutePath().getParent(), "prelinked", ".jar");
    try {
      try (OutputStream file = Files.newOutputStream(made);
          ZipOutputStream out = new ZipOutputStream(file)) {
        for (Entry entry : entries) {
          ZipEntry next = new ZipEntry(entry.name);
          next.setTimeLocal(entry.time);
          if (isOurs(entry.name)) {
            store(next, entry.content);
          }
          out.putNextEntry(next);
          out.write(entry.content);
          out.closeEntry();
        }
      }
      Files.setPosixFilePermissions(made, Files.getPosixFilePermissions(jar));
      Files.move(made, jar, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(made);
    }
  }
}
