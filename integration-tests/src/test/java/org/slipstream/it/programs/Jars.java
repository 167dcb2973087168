package org.slipstream.it.programs;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.ModuleAttribute;
import java.lang.constant.ModuleDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** Puts the programs of this package into a jar. */
final class Jars {
  private static final int ACC_MANDATED = 0x8000;

  private Jars() {}

  /**
   * Writes a jar.
   *
   * @param module its name as a named module, or empty
   * @param manifest further attributes of the manifest
   */
  static Path write(Path jar, String module, Map<String, String> manifest) throws Exception {
    Manifest m = new Manifest();
    m.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.forEach(m.getMainAttributes()::putValue);
    Path root = Launches.classes();
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, m);
        Stream<Path> classes =
            Files.list(root.resolve(Jars.class.getPackageName().replace('.', '/')))) {
      for (Path path : classes.sorted().toList()) {
        add(out, root.relativize(path).toString(), Files.readAllBytes(path));
      }
      if (!module.isEmpty()) {
        add(out, "module-info.class", descriptor(module));
      }
    }
    return jar;
  }

  private static byte[] descriptor(String name) {
    return ClassFile.of()
        .buildModule(
            ModuleAttribute.of(
                ModuleDesc.of(name),
                module ->
                    List.of("java.base", "java.instrument")
                        .forEach(needed ->
                            module.requires(
                                ModuleDesc.of(needed),
                                needed.equals("java.base") ? ACC_MANDATED : 0,
                                null))));
  }

  private static void add(JarOutputStream out, String name, byte[] content) throws IOException {
    out.putNextEntry(new JarEntry(name));
    out.write(content);
    out.closeEntry();
  }
}
