package org.slipstream.it;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The packages that are exported to every module, and the types that their public signatures show.
 * Programs can name what they are shown only if it is in such a package, too. (The compiler does
 * not hold that: it takes a package that is exported to one module for an exported one.)
 */
final class Exports {
  private Exports() {}

  /** Each module of ours that has a descriptor. */
  static List<ModuleReference> modules() {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Path[] entries =
        Arrays.stream(all.split(File.pathSeparator))
            .filter(entry -> entry.matches(".*/target/(classes|[^/]*\\.jar)"))
            .map(Path::of)
            .toArray(Path[]::new);
    return ModuleFinder.of(entries).findAll().stream()
        .filter(module -> module.descriptor().name().startsWith("org.slipstream."))
        .filter(module -> !module.descriptor().isAutomatic())
        .toList();
  }

  /** The packages of ours that every module may read. */
  static Set<String> toEveryModule() {
    return modules().stream()
        .flatMap(module -> module.descriptor().exports().stream())
        .filter(exports -> !exports.isQualified())
        .map(ModuleDescriptor.Exports::source)
        .collect(Collectors.toSet());
  }

  /** Of all classes, what such a package shows and programs can not name. */
  static List<String> shownButNotExported(JavaClasses classes) {
    Set<String> exported = toEveryModule();
    List<String> hidden = new ArrayList<>();
    for (JavaClass type : classes) {
      if (exported.contains(type.getPackageName()) && isShown(type)) {
        shownBy(type).stream()
            .filter(shown -> shown.getPackageName().startsWith("org.slipstream."))
            .filter(shown -> !isShown(shown) || !exported.contains(shown.getPackageName()))
            .map(shown -> type.getName() + " shows " + shown.getName())
            .forEach(hidden::add);
      }
    }
    return hidden;
  }

  private static boolean isShown(JavaClass type) {
    return isShown(type.getModifiers())
        && type.getEnclosingClass().map(Exports::isShown).orElse(true);
  }

  private static boolean isShown(Set<JavaModifier> modifiers) {
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }

  /** The types of the signatures of a class, inherited ones too, with their type arguments. */
  private static Set<JavaClass> shownBy(JavaClass type) {
    Set<JavaClass> shown = new HashSet<>();
    for (JavaMember member : type.getAllMembers()) {
      if (isShown(member.getModifiers())
          && !member.getModifiers().contains(JavaModifier.SYNTHETIC)) {
        if (member instanceof JavaField field) {
          shown.addAll(field.getType().getAllInvolvedRawTypes());
        } else if (member instanceof JavaCodeUnit method) {
          shown.addAll(method.getAllInvolvedRawTypes());
        }
      }
    }
    // A class that is not public may have public ones below it; what it declares is checked above.
    type.getAllRawSuperclasses().stream().filter(Exports::isShown).forEach(shown::add);
    type.getAllRawInterfaces().stream().filter(Exports::isShown).forEach(shown::add);
    return shown;
  }
}
