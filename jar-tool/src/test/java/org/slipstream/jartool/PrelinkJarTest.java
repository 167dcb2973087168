package org.slipstream.jartool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JDK's own linking is the oracle: the samples say the same before and after. */
class PrelinkJarTest {
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  @TempDir private Path directory;
  private Path jar;

  /** The compiled samples, a class of a library, and a file. */
  @BeforeEach
  void pack() throws Exception {
    jar = directory.resolve("samples.jar");
    Path classes =
        Path.of(Samples.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream out = new ZipOutputStream(file);
        Stream<Path> all = Files.list(classes.resolve("org/slipstream/jartool"))) {
      put(out, "META-INF/first.txt", new byte[] {1});
      for (Path each : all.filter(p -> p.getFileName().toString().startsWith("Samples")).toList()) {
        String name = each.getFileName().toString();
        put(out, "org/slipstream/jartool/" + name, Files.readAllBytes(each));
        put(out, "org/slipstream/shaded/" + name, Files.readAllBytes(each));
      }
    }
  }

  private static void put(ZipOutputStream out, String name, byte[] content) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(TIME);
    out.putNextEntry(entry);
    out.write(content);
    out.closeEntry();
  }

  private List<?> answers() throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
      Class<?> samples = loader.loadClass(Samples.class.getName());
      return (List<?>) ((Callable<?>) samples.getConstructor().newInstance()).call();
    }
  }

  /** Instructions that the JVM has to link, as "class linker". */
  private List<String> linked(String folder) throws IOException {
    List<String> found = new ArrayList<>();
    try (ZipFile file = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : file.stream().filter(e -> e.getName().startsWith(folder)).toList()) {
        ClassModel model = ClassFile.of().parse(file.getInputStream(entry).readAllBytes());
        model
            .methods()
            .forEach(method ->
                method
                    .code()
                    .ifPresent(code ->
                        code.forEach(e -> {
                          if (e instanceof InvokeDynamicInstruction call
                              && !call.name().stringValue().equals("toString")
                              && !call.bootstrapMethod()
                                  .owner()
                                  .displayName()
                                  .equals("StringConcatFactory")) {
                            found.add(entry.getName() + " " + call.name());
                          }
                        })));
      }
    }
    return found;
  }

  private List<ZipEntry> entries() throws IOException {
    try (ZipFile file = new ZipFile(jar.toFile())) {
      return file.stream().<ZipEntry>map(e -> e).toList();
    }
  }

  @Test
  void whatIsLinkedSaysTheSame() throws Exception {
    List<?> before = answers();
    assertThat(before).hasSizeGreaterThan(40);
    assertThat(linked("org/slipstream/jartool/")).hasSizeGreaterThan(25);

    PrelinkJar.main(new String[] {jar.toString()});

    assertThat(answers()).isEqualTo(before);
    assertThat(linked("org/slipstream/jartool/")).isEmpty();
  }

  /** The visible annotations of a method of the samples, as descriptors. */
  private List<String> annotations(String method) throws IOException {
    try (ZipFile file = new ZipFile(jar.toFile())) {
      ZipEntry samples = file.getEntry("org/slipstream/jartool/Samples.class");
      return ClassFile.of().parse(file.getInputStream(samples).readAllBytes()).methods().stream()
          .filter(m -> m.methodName().equalsString(method))
          .flatMap(m -> m.findAttribute(Attributes.runtimeVisibleAnnotations()).stream())
          .flatMap(a -> a.annotations().stream())
          .map(a -> a.className().stringValue())
          .toList();
    }
  }

  @Test
  void methodsOutOfLineHaveTheAnnotationOfTheJvmToo() throws Exception {
    PrelinkJar.main(new String[] {jar.toString()});

    assertThat(annotations("outOfLine"))
        .containsExactly(
            "Lorg/slipstream/jartool/Samples$Seen;", "Ljdk/internal/vm/annotation/DontInline;");
    assertThat(annotations("call")).isEmpty();
  }

  @Test
  void aSecondTimeChangesNothing() throws Exception {
    PrelinkJar.main(new String[] {jar.toString()});
    byte[] once = Files.readAllBytes(jar);
    PrelinkJar.main(new String[] {jar.toString()});
    assertThat(Files.readAllBytes(jar)).isEqualTo(once);
    assertThat(directory.toFile().list()).as("no file is left over").containsExactly("samples.jar");
  }

  /** The JVM inflates a class anew in each process. */
  @Test
  void ourClassesAreStoredAndNothingElse() throws Exception {
    PrelinkJar.main(new String[] {jar.toString()});
    assertThat(entries())
        .allMatch(e ->
            (e.getMethod() == ZipEntry.STORED)
                == e.getName().startsWith("org/slipstream/jartool/"));
  }

  @Test
  void orderAndTimesStayAndLibrariesAreLeftAlone() throws Exception {
    List<ZipEntry> before = entries();
    List<String> library = linked("org/slipstream/shaded/");
    PrelinkJar.main(new String[] {jar.toString()});

    List<ZipEntry> after = entries();
    assertThat(after).extracting(ZipEntry::getTimeLocal).containsOnly(TIME);
    assertThat(after.stream().map(ZipEntry::getName).filter(n -> !n.contains("$$")))
        .containsExactlyElementsOf(before.stream().map(ZipEntry::getName).toList());
    assertThat(after.getFirst().getName()).isEqualTo("META-INF/first.txt");
    assertThat(library).isNotEmpty().isEqualTo(linked("org/slipstream/shaded/"));
  }
}
