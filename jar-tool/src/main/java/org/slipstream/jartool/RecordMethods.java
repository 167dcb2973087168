package org.slipstream.jartool;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code equals} or {@code hashCode} of a record, as {@link java.lang.runtime.ObjectMethods} would
 * make it: a private static method with the type of the instruction.
 */
final class RecordMethods {
  private static final String EQUALS = "equals";
  private static final String HASH_CODE = "hashCode";
  private static final ClassDesc OBJECTS = ClassDesc.of("java.util.Objects");

  /** Another prime would be as right: the value is not specified. */
  private static final int FACTOR = 31;

  private final ClassDesc type;
  private final String method;
  private final MethodTypeDesc signature;
  private final List<DirectMethodHandleDesc> fields = new ArrayList<>();

  RecordMethods(ClassDesc type, InvokeDynamicInstruction call) {
    this.type = type;
    this.method = call.name().stringValue();
    this.signature = call.typeSymbol();
    // Before them come the class, and the names of the components.
    call.bootstrapArgs().stream()
        .skip(2)
        .forEach(getter -> fields.add((DirectMethodHandleDesc) getter));
  }

  static boolean knows(String method) {
    return method.equals(EQUALS) || method.equals(HASH_CODE);
  }

  /** Of the added method; no identifier of a source has it. */
  String name() {
    return "record$" + method;
  }

  void addTo(ClassBuilder builder) {
    builder.withMethodBody(
        name(),
        signature,
        ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_SYNTHETIC,
        code -> {
          if (method.equals(EQUALS)) {
            compare(code);
          } else {
            hash(code);
          }
        });
  }

  private static ClassDesc typeOf(DirectMethodHandleDesc field) {
    return field.invocationType().returnType();
  }

  private void load(CodeBuilder code, int slot, DirectMethodHandleDesc field) {
    code.aload(slot).getfield(type, field.methodName(), typeOf(field));
  }

  /** {@code equals(this, other)}; {@code other} becomes the third variable. */
  private void compare(CodeBuilder code) {
    Label same = code.newLabel();
    Label differ = code.newLabel();
    code.aload(0).aload(1).if_acmpeq(same);
    code.aload(1).instanceOf(type).ifeq(differ);
    code.aload(1).checkcast(type).astore(2);
    for (DirectMethodHandleDesc field : fields) {
      load(code, 0, field);
      load(code, 2, field);
      ClassDesc of = typeOf(field);
      switch (TypeKind.from(of)) {
        case BOOLEAN, BYTE, CHAR, SHORT, INT -> code.if_icmpne(differ);
        case LONG -> code.lcmp().ifne(differ);
        case FLOAT ->
            code.invokestatic(ConstantDescs.CD_Float, "compare", comparing(of)).ifne(differ);
        case DOUBLE ->
            code.invokestatic(ConstantDescs.CD_Double, "compare", comparing(of)).ifne(differ);
        default ->
            code.invokestatic(OBJECTS, EQUALS, MethodTypeDesc.of(CD_boolean, CD_Object, CD_Object))
                .ifeq(differ);
      }
    }
    code.labelBinding(same).iconst_1().ireturn();
    code.labelBinding(differ).iconst_0().ireturn();
  }

  private static MethodTypeDesc comparing(ClassDesc type) {
    return MethodTypeDesc.of(CD_int, type, type);
  }

  private void hash(CodeBuilder code) {
    code.iconst_0();
    for (DirectMethodHandleDesc field : fields) {
      code.bipush(FACTOR).imul();
      load(code, 0, field);
      ClassDesc of = typeOf(field);
      code.invokestatic(
              of.isPrimitive() ? Conversion.wrapper(of) : OBJECTS,
              HASH_CODE,
              MethodTypeDesc.of(CD_int, of.isPrimitive() ? of : CD_Object))
          .iadd();
    }
    code.ireturn();
  }
}
