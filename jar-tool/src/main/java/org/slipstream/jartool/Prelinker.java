package org.slipstream.jartool;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.attribute.NestMembersAttribute;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the instruction {@code invokedynamic} in one class after the other: of a lambda by a
 * call of the class that is made for it, of a record's method by a call of a method that is added
 * to the record. What it does not know stays: patterns of a switch, and {@code toString} of
 * records. Methods that are {@linkplain OutOfLineMethods out of line} get their annotation on the
 * way.
 *
 * <p>All classes are {@linkplain #link linked} first. A class made for a lambda calls what may be
 * private, so it belongs to the nest of the class with the lambda, and the nest's host, which may
 * be another class, has to {@linkplain #nest name} it.
 */
final class Prelinker {
  private static final ClassDesc LAMBDAS = ClassDesc.of("java.lang.invoke.LambdaMetafactory");
  private static final ClassDesc RECORDS = ClassDesc.of("java.lang.runtime.ObjectMethods");

  private final ClassFile format;

  /** By the name of the class with the lambda, as all names here with slashes. */
  private final Map<String, Map<String, byte[]>> classes = new HashMap<>();

  /** By the name of the nest's host. */
  private final Map<String, List<ClassDesc>> members = new HashMap<>();

  private final OutOfLineMethods outOfLine = new OutOfLineMethods();
  private int lambdas;
  private int methods;
  private int left;

  /** Over classes whose types the resolver finds. */
  Prelinker(ClassHierarchyResolver types) {
    this.format =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                types.orElse(ClassHierarchyResolver.defaultResolver())));
  }

  /** The classes that were made for lambdas of a class, by name. */
  Map<String, byte[]> classesOf(String host) {
    return classes.getOrDefault(host, Map.of());
  }

  /** One clause for the log of the build. */
  String summary() {
    return lambdas
        + " lambdas became classes, "
        + methods
        + " methods of records code, "
        + left
        + " other instructions invokedynamic stay, and "
        + outOfLine.count()
        + " methods are compiled out of line";
  }

  /** The class without what was replaced; as it is, if nothing was. */
  byte[] link(byte[] bytes) {
    ClassModel model = format.parse(bytes);
    Linking linking = new Linking(model);
    boolean marks = model.methods().stream().anyMatch(OutOfLineMethods::isWanted);
    ClassTransform transform = linking.transform();
    byte[] linked =
        format.transformClass(model, marks ? outOfLine.transform().andThen(transform) : transform);
    return linking.hasChanged || marks ? linked : bytes;
  }

  /** One class. */
  private final class Linking {
    private final ClassDesc host;
    private final ClassDesc nest;
    private final Map<String, byte[]> made = new LinkedHashMap<>();
    private final List<RecordMethods> added = new ArrayList<>();
    private boolean hasChanged;

    Linking(ClassModel model) {
      this.host = model.thisClass().asSymbol();
      this.nest =
          model
              .findAttribute(Attributes.nestHost())
              .map(attribute -> attribute.nestHost().asSymbol())
              .orElse(host);
    }

    ClassTransform transform() {
      return ClassTransform.transformingMethodBodies(
              (code, element) -> {
                if (element instanceof InvokeDynamicInstruction call) {
                  Replacement replacement = replacement(call);
                  if (replacement != null) {
                    hasChanged = true;
                    code.invokestatic(replacement.owner(), replacement.name(), call.typeSymbol());
                    return;
                  }
                  left++;
                }
                code.with(element);
              })
          .andThen(ClassTransform.endHandler(this::end));
    }

    private @Nullable Replacement replacement(InvokeDynamicInstruction call) {
      ClassDesc linker = call.bootstrapMethod().owner();
      if (linker.equals(LAMBDAS) && call.bootstrapMethod().methodName().equals("metafactory")) {
        return lambda(call);
      }
      if (linker.equals(RECORDS) && RecordMethods.knows(call.name().stringValue())) {
        RecordMethods method = new RecordMethods(host, call);
        added.add(method);
        methods++;
        return new Replacement(host, method.name());
      }
      return null;
    }

    private @Nullable Replacement lambda(InvokeDynamicInstruction call) {
      ClassDesc name = ClassDesc.of(host.packageName(), host.displayName() + "$$" + made.size());
      LambdaClass lambda = new LambdaClass(name, nest, call);
      if (!lambda.isKnown()) {
        return null;
      }
      made.put(internal(name), lambda.bytes(format));
      members.computeIfAbsent(internal(nest), key -> new ArrayList<>()).add(name);
      lambdas++;
      return new Replacement(name, LambdaClass.MAKE);
    }

    private void end(ClassBuilder builder) {
      added.forEach(method -> method.addTo(builder));
      if (!made.isEmpty()) {
        classes.put(internal(host), made);
      }
    }
  }

  /** A static method with the type of the instruction. */
  private record Replacement(ClassDesc owner, String name) {}

  /** The class with all members of its nest; as it is, if none was made. */
  byte[] nest(byte[] bytes) {
    ClassModel model = format.parse(bytes);
    List<ClassDesc> more = members.get(model.thisClass().asInternalName());
    if (more == null) {
      return bytes;
    }
    List<ClassDesc> all = new ArrayList<>();
    model
        .findAttribute(Attributes.nestMembers())
        .ifPresent(nest -> nest.nestMembers().forEach(member -> all.add(member.asSymbol())));
    all.addAll(more);
    return format.transformClass(
        model,
        new ClassTransform() {
          @Override
          public void accept(ClassBuilder builder, ClassElement element) {
            if (!(element instanceof NestMembersAttribute)) {
              builder.with(element);
            }
          }

          @Override
          public void atEnd(ClassBuilder builder) {
            builder.with(NestMembersAttribute.ofSymbols(all));
          }
        });
  }

  private static String internal(ClassDesc type) {
    String descriptor = type.descriptorString();
    return descriptor.substring(1, descriptor.length() - 1);
  }
}
