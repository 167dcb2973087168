package org.slipstream.jartool;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.CLASS_INIT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.NestHostAttribute;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * The class of one lambda or method reference, as {@link java.lang.invoke.LambdaMetafactory} would
 * make it: a field for each value that is captured, and the method of the interface, which calls
 * what the compiler has made of the lambda. One that captures nothing has one instance, as there.
 */
final class LambdaClass {
  /** Makes an instance; its type is that of the instruction. */
  static final String MAKE = "make";

  private static final String INSTANCE = "INSTANCE";

  private final ClassDesc name;
  private final ClassDesc nest;
  private final MethodTypeDesc making;
  private final String method;

  /** Of the interface's method, without and with what its type parameters stand for. */
  private final MethodTypeDesc erased;

  private final MethodTypeDesc exact;
  private final DirectMethodHandleDesc target;

  /** What the target takes; an instance first, if it needs one. */
  private final List<ClassDesc> taken = new ArrayList<>();

  private final ClassDesc given;

  LambdaClass(ClassDesc name, ClassDesc nest, InvokeDynamicInstruction call) {
    this.name = name;
    this.nest = nest;
    this.making = call.typeSymbol();
    this.method = call.name().stringValue();
    this.erased = (MethodTypeDesc) call.bootstrapArgs().get(0);
    this.target = (DirectMethodHandleDesc) call.bootstrapArgs().get(1);
    this.exact = (MethodTypeDesc) call.bootstrapArgs().get(2);
    MethodTypeDesc type = targetType();
    if (!isConstructor() && !isStatic()) {
      taken.add(target.owner());
    }
    taken.addAll(type.parameterList());
    this.given = isConstructor() ? target.owner() : type.returnType();
  }

  private MethodTypeDesc targetType() {
    return MethodTypeDesc.ofDescriptor(target.lookupDescriptor());
  }

  private boolean isConstructor() {
    return target.kind() == DirectMethodHandleDesc.Kind.CONSTRUCTOR;
  }

  private boolean isStatic() {
    return target.kind() == DirectMethodHandleDesc.Kind.STATIC
        || target.kind() == DirectMethodHandleDesc.Kind.INTERFACE_STATIC;
  }

  private int captured() {
    return making.parameterCount();
  }

  /** Whether each value can be converted; if not, the instruction has to stay. */
  boolean isKnown() {
    if (taken.size() != captured() + exact.parameterCount()) {
      return false;
    }
    for (int i = 0; i < captured(); i++) {
      if (!Conversion.isKnown(making.parameterType(i), taken.get(i))) {
        return false;
      }
    }
    for (int i = 0; i < exact.parameterCount(); i++) {
      if (!Conversion.isKnown(erased.parameterType(i), exact.parameterType(i))
          || !Conversion.isKnown(exact.parameterType(i), taken.get(captured() + i))) {
        return false;
      }
    }
    return erased.returnType().equals(CD_void)
        || (!given.equals(CD_void)
            && Conversion.isKnown(given, exact.returnType())
            && Conversion.isKnown(exact.returnType(), erased.returnType()));
  }

  byte[] bytes(ClassFile format) {
    MethodTypeDesc constructor = making.changeReturnType(CD_void);
    return format.build(
        name,
        builder -> {
          builder.withVersion(ClassFile.JAVA_25_VERSION, 0);
          builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER | ClassFile.ACC_SYNTHETIC);
          builder.withInterfaceSymbols(making.returnType());
          builder.with(NestHostAttribute.of(nest));
          for (int i = 0; i < captured(); i++) {
            builder.withField(
                field(i), making.parameterType(i), ClassFile.ACC_PRIVATE | ClassFile.ACC_FINAL);
          }
          builder.withMethodBody(
              INIT_NAME, constructor, ClassFile.ACC_PRIVATE, code -> construct(code));
          if (captured() == 0) {
            addInstance(builder, constructor);
          }
          builder.withMethodBody(
              MAKE, making, ClassFile.ACC_STATIC, code -> make(code, constructor));
          builder.withMethodBody(method, erased, ClassFile.ACC_PUBLIC, this::call);
        });
  }

  private static String field(int i) {
    return "captured" + i;
  }

  private void construct(CodeBuilder code) {
    code.aload(0).invokespecial(CD_Object, INIT_NAME, MTD_void);
    int slot = 1;
    for (int i = 0; i < captured(); i++) {
      TypeKind kind = TypeKind.from(making.parameterType(i));
      code.aload(0).loadLocal(kind, slot).putfield(name, field(i), making.parameterType(i));
      slot += kind.slotSize();
    }
    code.return_();
  }

  private void addInstance(ClassBuilder builder, MethodTypeDesc constructor) {
    builder.withField(
        INSTANCE, name, ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_FINAL);
    builder.withMethodBody(
        CLASS_INIT_NAME,
        MTD_void,
        ClassFile.ACC_STATIC,
        code ->
            code.new_(name)
                .dup()
                .invokespecial(name, INIT_NAME, constructor)
                .putstatic(name, INSTANCE, name)
                .return_());
  }

  private void make(CodeBuilder code, MethodTypeDesc constructor) {
    if (captured() == 0) {
      code.getstatic(name, INSTANCE, name).areturn();
      return;
    }
    code.new_(name).dup();
    int slot = 0;
    for (int i = 0; i < captured(); i++) {
      TypeKind kind = TypeKind.from(making.parameterType(i));
      code.loadLocal(kind, slot);
      slot += kind.slotSize();
    }
    code.invokespecial(name, INIT_NAME, constructor).areturn();
  }

  /** The interface's method. */
  private void call(CodeBuilder code) {
    if (isConstructor()) {
      code.new_(target.owner()).dup();
    }
    for (int i = 0; i < captured(); i++) {
      code.aload(0).getfield(name, field(i), making.parameterType(i));
      Conversion.emit(code, making.parameterType(i), taken.get(i));
    }
    int slot = 1;
    for (int i = 0; i < erased.parameterCount(); i++) {
      TypeKind kind = TypeKind.from(erased.parameterType(i));
      code.loadLocal(kind, slot);
      slot += kind.slotSize();
      Conversion.emit(code, erased.parameterType(i), exact.parameterType(i));
      Conversion.emit(code, exact.parameterType(i), taken.get(captured() + i));
    }
    callTarget(code);
    if (!erased.returnType().equals(CD_void)) {
      Conversion.emit(code, given, exact.returnType());
      Conversion.emit(code, exact.returnType(), erased.returnType());
    } else if (!given.equals(CD_void)) {
      if (TypeKind.from(given).slotSize() == 2) {
        code.pop2();
      } else {
        code.pop();
      }
    }
    code.return_(TypeKind.from(erased.returnType()));
  }

  private void callTarget(CodeBuilder code) {
    ClassDesc owner = target.owner();
    MethodTypeDesc type = targetType();
    switch (target.kind()) {
      case CONSTRUCTOR -> code.invokespecial(owner, INIT_NAME, type);
      case STATIC, INTERFACE_STATIC ->
          code.invokestatic(owner, target.methodName(), type, target.isOwnerInterface());
      default -> { // a private method, too: this class is of the same nest
        if (target.isOwnerInterface()) {
          code.invokeinterface(owner, target.methodName(), type);
        } else {
          code.invokevirtual(owner, target.methodName(), type);
        }
      }
    }
  }
}
