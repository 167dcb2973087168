package org.slipstream.it;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Stability;
import org.slipstream.transport.Stability.Level;

/**
 * The public signatures of packages, as text that is compared line by line: a line for each type,
 * and below it one for each member that a program can name. Types that are internal are left out.
 */
final class ApiListing {
  private ApiListing() {}

  /** The lines of all types of these packages that programs can name. */
  static List<String> lines(JavaClasses classes, Set<String> packages)
      throws ClassNotFoundException {
    Map<String, Set<Class<?>>> byPackage = new TreeMap<>();
    for (JavaClass found : classes) {
      if (packages.contains(found.getPackageName())) {
        Class<?> type = Class.forName(found.getName(), false, ApiListing.class.getClassLoader());
        if (isShown(type) && level(type) != Level.INTERNAL) {
          byPackage
              .computeIfAbsent(
                  found.getPackageName(),
                  name -> new TreeSet<>((a, b) -> a.getName().compareTo(b.getName())))
              .add(type);
        }
      }
    }
    List<String> lines = new ArrayList<>();
    byPackage.forEach((name, types) -> {
      lines.add("package " + name + " " + level(types.iterator().next().getPackage()));
      types.forEach(type -> add(lines, type));
    });
    return lines;
  }

  /** The promise about an element, or null if it has none. */
  static @Nullable Level level(AnnotatedElement element) {
    Stability stability = element.getAnnotation(Stability.class);
    return stability == null ? null : stability.value();
  }

  private static @Nullable Level level(Class<?> type) {
    for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
      Level level = level((AnnotatedElement) at);
      if (level != null) {
        return level;
      }
    }
    return level(type.getPackage());
  }

  private static boolean isShown(Class<?> type) {
    for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
      if (!isShown(at.getModifiers()) || at.isSynthetic()) {
        return false;
      }
    }
    return true;
  }

  private static boolean isShown(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static void add(List<String> lines, Class<?> type) {
    lines.add("  " + header(type));
    Set<String> members = new TreeSet<>();
    for (Field field : type.getDeclaredFields()) {
      if (isShown(field.getModifiers()) && !field.isSynthetic()) {
        members.add(field.isEnumConstant() ? "constant " + field.getName() : text(field));
      }
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      if (isNamed(constructor)) {
        members.add(text(constructor.toGenericString(), constructor));
      }
    }
    for (Method method : type.getDeclaredMethods()) {
      if (isNamed(method) && !method.isBridge()) {
        members.add(text(method.toGenericString(), method));
      }
    }
    members.forEach(member -> lines.add("    " + member));
  }

  private static boolean isNamed(Executable member) {
    return isShown(member.getModifiers()) && !member.isSynthetic();
  }

  private static String header(Class<?> type) {
    StringBuilder header = new StringBuilder(type.toGenericString());
    if (type.isRecord()) {
      header.append(
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getGenericType)
              .map(Type::getTypeName)
              .collect(Collectors.joining(", ", "(", ")")));
    }
    Type parent = type.getGenericSuperclass();
    if (parent != null && parent != Object.class && !type.isEnum() && !type.isRecord()) {
      header.append(" extends ").append(parent.getTypeName());
    }
    if (type.getGenericInterfaces().length > 0) {
      header.append(
          Arrays.stream(type.getGenericInterfaces())
              .map(Type::getTypeName)
              .sorted()
              .collect(Collectors.joining(", ", " implements ", "")));
    }
    return header.toString();
  }

  private static String text(Field field) {
    return field.toGenericString().replace(field.getDeclaringClass().getName() + ".", "");
  }

  /** Without the name of its class, and without what is none of the caller's concern. */
  private static String text(String generic, Executable member) {
    String type = member.getDeclaringClass().getName();
    String name = member instanceof Method ? type + "." + member.getName() + "(" : type + "(";
    String own = member instanceof Method ? member.getName() + "(" : simple(type) + "(";
    return generic.replace(name, own).replaceFirst("\\b(synchronized|native|strictfp) ", "");
  }

  private static String simple(String type) {
    return type.substring(Math.max(type.lastIndexOf('.'), type.lastIndexOf('$')) + 1);
  }
}
