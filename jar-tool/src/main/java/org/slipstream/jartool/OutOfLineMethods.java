package org.slipstream.jartool;

import java.lang.classfile.Annotation;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodBuilder;
import java.lang.classfile.MethodElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.attribute.RuntimeInvisibleAnnotationsAttribute;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives methods with Slipstream's annotation {@code OutOfLine} the one that the JVM knows, and
 * counts them. The JDK does not export it, so no source can name it.
 */
final class OutOfLineMethods {
  private static final ClassDesc OURS = ClassDesc.of("org.slipstream.transport.OutOfLine");
  private static final ClassDesc JVMS = ClassDesc.of("jdk.internal.vm.annotation.DontInline");

  private int count;

  /** How many methods got it. */
  int count() {
    return count;
  }

  /** Whether a method asks for it and does not have it. */
  static boolean isWanted(MethodModel method) {
    return method
            .findAttribute(Attributes.runtimeInvisibleAnnotations())
            .map(RuntimeInvisibleAnnotationsAttribute::annotations)
            .orElse(List.of())
            .stream()
            .anyMatch(a -> a.classSymbol().equals(OURS))
        && visible(method).stream().noneMatch(a -> a.classSymbol().equals(JVMS));
  }

  private static List<Annotation> visible(MethodModel method) {
    return method
        .findAttribute(Attributes.runtimeVisibleAnnotations())
        .map(RuntimeVisibleAnnotationsAttribute::annotations)
        .orElse(List.of());
  }

  /** Leaves other methods as they are. */
  ClassTransform transform() {
    return (builder, element) -> {
      if (element instanceof MethodModel method && isWanted(method)) {
        count++;
        builder.transformMethod(method, marking(method));
      } else {
        builder.with(element);
      }
    };
  }

  private static MethodTransform marking(MethodModel method) {
    List<Annotation> all = new ArrayList<>(visible(method));
    all.add(Annotation.of(JVMS));
    return new MethodTransform() {
      @Override
      public void accept(MethodBuilder builder, MethodElement element) {
        if (!(element instanceof RuntimeVisibleAnnotationsAttribute)) {
          builder.with(element);
        }
      }

      @Override
      public void atEnd(MethodBuilder builder) {
        builder.with(RuntimeVisibleAnnotationsAttribute.of(all));
      }
    };
  }
}
