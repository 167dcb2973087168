package org.slipstream.it.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Puts a call of {@link ShortHeap#allocating} before whatever allocates in our classes: the
 * instructions that do, and calls of the JDK's collections, buffers and channels.
 */
public final class ShortHeapAgent implements ClassFileTransformer {
  private static final List<String> OURS =
      List.of(
          "org/slipstream/core/",
          "org/slipstream/memory/",
          "org/slipstream/ntb/",
          "org/slipstream/provider/",
          "org/slipstream/rdma/",
          "org/slipstream/shm/",
          "org/slipstream/transport/");

  /** Methods of {@code java.util} and its packages that may make a node, an array or a view. */
  private static final Set<String> OF_COLLECTIONS =
      Set.of(
          "add",
          "addAll",
          "computeIfAbsent",
          "copyOf",
          "entrySet",
          "execute",
          "forEach",
          "iterator",
          "keySet",
          "merge",
          "of",
          "offer",
          "put",
          "putIfAbsent",
          "removeIf",
          "schedule",
          "values");

  private static final Set<String> OF_CHANNELS =
      Set.of(
          "allocate",
          "allocateDirect",
          "asReadOnlyBuffer",
          "cancel",
          "close",
          "configureBlocking",
          "decode",
          "duplicate",
          "interestOps",
          "open",
          "read",
          "register",
          "slice",
          "wrap",
          "write");

  private static final ClassDesc SWITCH = ClassDesc.of(ShortHeap.class.getName());
  private static final MethodTypeDesc VOID = MethodTypeDesc.of(ConstantDescs.CD_void);

  /**
   * Called by the JVM.
   *
   * @param argument none
   * @param jvm to be told of classes
   */
  public static void premain(String argument, Instrumentation jvm) {
    jvm.addTransformer(new ShortHeapAgent());
  }

  /** The jar of this agent, which its JVM appends to the boot class path. */
  static Path jar(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Premain-Class", ShortHeapAgent.class.getName());
    main.putValue("Boot-Class-Path", jar.getFileName().toString());
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      for (Class<?> each : List.of(ShortHeap.class, ShortHeapAgent.class)) {
        String name = each.getName().replace('.', '/') + ".class";
        out.putNextEntry(new JarEntry(name));
        try (InputStream in = each.getClassLoader().getResourceAsStream(name)) {
          in.transferTo(out);
        }
        out.closeEntry();
      }
    }
    return jar;
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> before, ProtectionDomain domain, byte[] bytes) {
    if (name == null || OURS.stream().noneMatch(name::startsWith)) {
      return null;
    }
    ClassFile classes = ClassFile.of();
    return classes.transformClass(
        classes.parse(bytes),
        ClassTransform.transformingMethodBodies(
            method -> !method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME),
            (code, element) -> {
              if (allocates(element)) {
                code.invokestatic(SWITCH, "allocating", VOID);
              }
              code.with(element);
            }));
  }

  private static boolean allocates(CodeElement element) {
    return switch (element) {
      case NewObjectInstruction _,
          NewPrimitiveArrayInstruction _,
          NewReferenceArrayInstruction _,
          NewMultiArrayInstruction _,
          InvokeDynamicInstruction _ ->
          true;
      case InvokeInstruction call ->
          allocates(call.owner().asInternalName(), call.name().stringValue());
      default -> false;
    };
  }

  private static boolean allocates(String owner, String method) {
    return (owner.startsWith("java/lang/") && method.equals("valueOf"))
        || (owner.startsWith("java/util/") && OF_COLLECTIONS.contains(method))
        || (owner.startsWith("java/nio/") && OF_CHANNELS.contains(method));
  }
}
