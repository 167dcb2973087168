package org.slipstream.it;

import com.tngtech.archunit.core.domain.JavaClass;
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
      graph.computeIfAbsent(outermost(type), name -> new TreeSet<>());
    }
    for (JavaClass type : classes) {
      Set<String> targets = graph.get(outermost(type));
      type.getDirectDependenciesFromSelf()
          .forEach(dependency -> targets.add(outermost(dependency.getTargetClass())));
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

  private static String outermost(JavaClass type) {
    String name = type.getBaseComponentType().getName();
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
