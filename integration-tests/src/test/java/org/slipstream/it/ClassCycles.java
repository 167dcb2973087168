package org.slipstream.it;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The sets of classes that all depend on each other: strongly connected components of the graph
 * whose nodes are outermost classes, by Tarjan's algorithm. A nested class is part of the class
 * that it stands in.
 */
final class ClassCycles {
  private final Map<String, Set<String>> graph;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Map<String, Integer> lowest = new HashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final List<Set<String>> cycles = new ArrayList<>();

  private ClassCycles(Map<String, Set<String>> graph) {
    this.graph = graph;
  }

  /**
   * Finds them.
   *
   * @param classes which classes count; dependencies on others are left out
   * @return each set of two or more, by full names
   */
  static List<Set<String>> among(Iterable<JavaClass> classes) {
    Map<String, Set<String>> graph = new TreeMap<>();
    for (JavaClass type : classes) {
      graph.computeIfAbsent(outermost(type.getName()), name -> new TreeSet<>());
    }
    for (JavaClass type : classes) {
      Set<String> targets = graph.get(outermost(type.getName()));
      type.getDirectDependenciesFromSelf()
          .forEach(dependency ->
              targets.add(outermost(dependency.getTargetClass().getBaseComponentType().getName())));
      targets.addAll(named(type));
      targets.retainAll(graph.keySet());
    }
    return of(graph);
  }

  /** The same of any graph. */
  static List<Set<String>> of(Map<String, Set<String>> graph) {
    ClassCycles search = new ClassCycles(graph);
    graph.keySet().stream()
        .filter(node -> !search.numbers.containsKey(node))
        .forEach(search::visit);
    return search.cycles;
  }

  /**
   * What the constant pool names. The compiler enters the class of a constant there that it copies
   * into the code, and no instruction refers to it. That a sealed class lists its subclasses is no
   * dependency.
   */
  static Set<String> named(JavaClass type) {
    URI file = type.getSource().orElseThrow().getUri();
    try (InputStream in = file.toURL().openStream()) {
      ClassModel model = ClassFile.of().parse(in.readAllBytes());
      Set<ClassEntry> permitted =
          model
              .findAttribute(Attributes.permittedSubclasses())
              .map(attribute -> Set.copyOf(attribute.permittedSubclasses()))
              .orElse(Set.of());
      Set<String> names = new TreeSet<>();
      for (PoolEntry entry : model.constantPool()) {
        if (entry instanceof ClassEntry named && !permitted.contains(named)) {
          names.add(outermost(named.asInternalName().replace('/', '.')));
        }
      }
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String outermost(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private void visit(String node) {
    int number = numbers.size();
    numbers.put(node, number);
    lowest.put(node, number);
    open.push(node);
    for (String target : graph.getOrDefault(node, Set.of())) {
      if (!numbers.containsKey(target)) {
        visit(target);
        lowest.merge(node, lowest.get(target), Math::min);
      } else if (open.contains(target)) {
        lowest.merge(node, numbers.get(target), Math::min);
      }
    }
    if (lowest.get(node) == number) {
      close(node);
    }
  }

  /** All nodes above one on the stack are in its cycle. */
  private void close(String node) {
    Set<String> cycle = new TreeSet<>();
    String last;
    do {
      last = open.pop();
      cycle.add(last);
    } while (!last.equals(node));
    if (cycle.size() > 1) {
      cycles.add(cycle);
    }
  }
}
