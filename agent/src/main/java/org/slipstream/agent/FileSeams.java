package org.slipstream.agent;

import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.nio.FileSeam;
import org.slipstream.provider.nio.Installation;

/**
 * Lets the JDK's file channels ask our channels to move a file, as they ask the JDK's own: "if the
 * other end is of ours and has a method for it, call that". Otherwise {@code transferTo} copies 8
 * KiB at a time, because the other end is not of the class that the JDK knows how to hand to {@code
 * sendfile}.
 *
 * <p>One instruction sequence at the beginning of three methods; what stood there stays as it was.
 * The JDK's class is changed when our core starts, which loads it anyway, and not before.
 *
 * <p>Fails safe: with another JDK, or beside an agent that objects, nothing is changed, files go
 * through 8 KiB buffers, and one debug line says so.
 */
final class FileSeams implements ClassFileTransformer {
  /** Foreign suppliers are not asked. */
  private static final String OURS = "org.slipstream.";

  private static final ClassDesc SUPPLIER = desc(Supplier.class);
  private static final ClassDesc HANDLE = desc(MethodHandle.class);
  private static final ClassDesc OUTPUT = desc(OutputStream.class);
  private static final MethodTypeDesc GET = MethodTypeDesc.of(ConstantDescs.CD_Object);
  private static final MethodTypeDesc GET_CLASS = MethodTypeDesc.of(ConstantDescs.CD_Class);
  private static final MethodTypeDesc GET_NAME = MethodTypeDesc.of(ConstantDescs.CD_String);
  private static final MethodTypeDesc STARTS_WITH =
      MethodTypeDesc.of(ConstantDescs.CD_boolean, ConstantDescs.CD_String);
  private static final MethodTypeDesc MOVE =
      MethodTypeDesc.of(
          ConstantDescs.CD_long,
          ConstantDescs.CD_Object,
          desc(FileChannel.class),
          ConstantDescs.CD_long,
          ConstantDescs.CD_long,
          ConstantDescs.CD_boolean);

  private final List<FileSeam> seams;

  /** How many methods were changed; only the thread that asked for it. */
  private int changed;

  private FileSeams(List<FileSeam> seams) {
    this.seams = seams;
  }

  /**
   * On a thread of its own: the program's first socket need not wait for some milliseconds, and
   * what is sent until then goes through buffers.
   */
  static void installSoon(Instrumentation instrumentation) {
    Thread.ofPlatform()
        .daemon()
        .name("slipstream-files")
        .start(() -> install(instrumentation)); // what fails has been said
  }

  /**
   * Once in a process, when there is a core.
   *
   * @return whether files know our channels now
   */
  static boolean install(Instrumentation instrumentation) {
    try {
      List<FileSeam> seams = Installation.fileSeams();
      Set<Class<?>> owners = new HashSet<>();
      for (FileSeam seam : seams) {
        owners.add(seam.owner());
      }
      FileSeams transformer = new FileSeams(seams);
      instrumentation.addTransformer(transformer, true);
      try {
        instrumentation.retransformClasses(owners.toArray(new Class<?>[0]));
      } finally {
        instrumentation.removeTransformer(transformer);
      }
      if (transformer.changed == seams.size()) {
        return true;
      }
      say(transformer.changed + " of " + seams.size() + " methods could be changed", null);
    } catch (ReflectiveOperationException
        | UnmodifiableClassException
        | RuntimeException
        | LinkageError
        | InternalError e) {
      say(String.valueOf(e), e);
    }
    return false;
  }

  private static void say(String why, @Nullable Throwable cause) {
    System.getLogger("org.slipstream")
        .log(Level.DEBUG, "FileChannel.transferTo copies through buffers: " + why, cause);
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    if (redefined == null || !isOwner(redefined)) {
      return null;
    }
    ClassFile file = ClassFile.of();
    return file.transformClass(
        file.parse(bytes),
        (type, element) -> {
          FileSeam seam = element instanceof MethodModel m ? seamOf(redefined, m) : null;
          if (seam != null && element instanceof MethodModel method) {
            type.transformMethod(method, MethodTransform.transformingCode(new Ask(seam)));
            changed++;
          } else {
            type.with(element);
          }
        });
  }

  /** Asked of every class that is loaded meanwhile, this one's own needs included: so a loop. */
  private boolean isOwner(Class<?> type) {
    for (FileSeam seam : seams) {
      if (seam.owner() == type) {
        return true;
      }
    }
    return false;
  }

  private @Nullable FileSeam seamOf(Class<?> owner, MethodModel method) {
    for (FileSeam seam : seams) {
      if (seam.owner().equals(owner)
          && method.methodName().equalsString(seam.method())
          && method.methodType().equalsString(seam.type().descriptorString())) {
        return seam;
      }
    }
    return null;
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  /** The sequence, before the JDK's own. */
  private record Ask(FileSeam seam) implements CodeTransform {
    @Override
    public void atStart(CodeBuilder code) {
      int other = code.parameterSlot(seam.kind() == FileSeam.Kind.TRANSFER_TO ? 2 : 0);
      Label jdk = code.newLabel();
      code.aload(other)
          .instanceOf(SUPPLIER)
          .ifeq(jdk)
          .aload(other)
          .invokevirtual(ConstantDescs.CD_Object, "getClass", GET_CLASS)
          .invokevirtual(ConstantDescs.CD_Class, "getName", GET_NAME)
          .ldc(OURS)
          .invokevirtual(ConstantDescs.CD_String, "startsWith", STARTS_WITH)
          .ifeq(jdk)
          .aload(other)
          .checkcast(SUPPLIER)
          .invokeinterface(SUPPLIER, "get", GET);
      if (seam.kind() == FileSeam.Kind.STREAM_TO_STREAM) {
        code.checkcast(OUTPUT).astore(other);
      } else {
        move(code, other, jdk);
      }
      code.labelBinding(jdk);
    }

    private void move(CodeBuilder code, int other, Label jdk) {
      boolean fromFile = seam.kind() == FileSeam.Kind.TRANSFER_TO;
      code.checkcast(HANDLE).aload(other).aload(0).lload(code.parameterSlot(fromFile ? 0 : 1));
      if (fromFile) {
        code.iload(code.parameterSlot(1)).conversion(TypeKind.INT, TypeKind.LONG);
      } else {
        code.lload(code.parameterSlot(2));
      }
      int moved = code.allocateLocal(TypeKind.LONG);
      code.loadConstant(fromFile ? 1 : 0)
          .invokevirtual(HANDLE, "invokeExact", MOVE)
          .lstore(moved)
          .lload(moved)
          .lconst_0()
          .lcmp()
          .iflt(jdk)
          .lload(moved)
          .lreturn();
    }

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      code.with(element);
    }
  }
}
