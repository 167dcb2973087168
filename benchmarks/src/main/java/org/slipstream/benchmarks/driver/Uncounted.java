package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Slipstream's classes without their counting, to measure what it costs: every store to a counter
 * is dropped, and nothing else is changed. In front of the class path they take the place of those
 * in the jar. Made from the jar itself, so that the product needs no switch for it.
 */
final class Uncounted implements AutoCloseable {
  private static final String CORE = "org/slipstream/core/";
  private static final String COUNTERS = CORE + "stream/DirectionCounters";
  private static final String SPINNER = CORE + "wait/Spinner";

  private final Path directory;

  private Uncounted(Path directory) {
    this.directory = directory;
  }

  /** Writes the changed classes into a directory of their own. */
  static Uncounted of(Path jar) throws IOException {
    Uncounted made = new Uncounted(Files.createTempDirectory("slipstream-uncounted"));
    try (JarFile file = new JarFile(jar.toFile());
        URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
      ClassFile classes = classFile(loader);
      for (Enumeration<JarEntry> all = file.entries(); all.hasMoreElements(); ) {
        JarEntry entry = all.nextElement();
        if (entry.getName().startsWith(CORE) && entry.getName().endsWith(".class")) {
          try (InputStream in = file.getInputStream(entry)) {
            made.write(entry.getName(), classes, in.readAllBytes());
          }
        }
      }
    }
    return made;
  }

  static ClassFile classFile(ClassLoader loader) {
    return ClassFile.of(
        ClassFile.ClassHierarchyResolverOption.of(
            ClassHierarchyResolver.ofResourceParsing(loader)
                .orElse(ClassHierarchyResolver.defaultResolver())));
  }

  private void write(String name, ClassFile classes, byte[] bytes) throws IOException {
    ClassModel model = classes.parse(bytes);
    if (stores(model) > 0) {
      Path target = directory.resolve(name);
      Files.createDirectories(target.resolveSibling(""));
      Files.write(target, withoutStores(classes, model));
    }
  }

  /** Returns the same class; what was to be stored in a counter is thrown away. */
  static byte[] withoutStores(ClassFile classes, ClassModel model) {
    return classes.transformClass(
        model,
        ClassTransform.transformingMethodBodies((code, element) -> {
          if (element instanceof FieldInstruction field && isStore(field)) {
            code.pop2().pop(); // the number, and whose it is
          } else {
            code.with(element);
          }
        }));
  }

  /** Returns how many instructions store to a counter. */
  static long stores(ClassModel model) {
    return model.methods().stream()
        .flatMap(method -> method.code().stream())
        .flatMap(code -> code.elementStream())
        .filter(element -> element instanceof FieldInstruction field && isStore(field))
        .count();
  }

  private static boolean isStore(FieldInstruction instruction) {
    FieldRefEntry field = instruction.field();
    String owner = field.owner().asInternalName();
    return instruction.opcode() == Opcode.PUTFIELD
        && field.type().equalsString("J")
        && (owner.equals(COUNTERS)
            || (owner.equals(SPINNER) && field.name().equalsString("spins")));
  }

  Path directory() {
    return directory;
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException left) {
      // A few kilobytes stay in the directory for temporary files.
    }
  }
}
