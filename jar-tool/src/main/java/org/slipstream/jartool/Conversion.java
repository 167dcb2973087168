package org.slipstream.jartool;

import static java.lang.constant.ConstantDescs.CD_Object;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Map;
import java.util.Objects;

/** What a value on the stack may become: a part of what a lambda's caller may rely on. */
final class Conversion {
  private static final Map<ClassDesc, ClassDesc> WRAPPERS =
      Map.of(
          ConstantDescs.CD_boolean, ConstantDescs.CD_Boolean,
          ConstantDescs.CD_byte, ConstantDescs.CD_Byte,
          ConstantDescs.CD_char, ConstantDescs.CD_Character,
          ConstantDescs.CD_short, ConstantDescs.CD_Short,
          ConstantDescs.CD_int, ConstantDescs.CD_Integer,
          ConstantDescs.CD_long, ConstantDescs.CD_Long,
          ConstantDescs.CD_float, ConstantDescs.CD_Float,
          ConstantDescs.CD_double, ConstantDescs.CD_Double);

  private Conversion() {}

  /** The class of objects that hold a value of a primitive type. */
  static ClassDesc wrapper(ClassDesc primitive) {
    return Objects.requireNonNull(WRAPPERS.get(primitive));
  }

  /**
   * Whether there is one: none, a cast, to a wrapper, from its own wrapper, or from a number to a
   * larger one.
   */
  static boolean isKnown(ClassDesc from, ClassDesc to) {
    if (from.equals(to) || (!from.isPrimitive() && !to.isPrimitive())) {
      return true;
    }
    if (!from.isPrimitive()) {
      return from.equals(WRAPPERS.get(to));
    }
    if (!to.isPrimitive()) {
      return to.equals(WRAPPERS.get(from)) || !WRAPPERS.containsValue(to);
    }
    return isWidening(TypeKind.from(from), TypeKind.from(to));
  }

  private static boolean isWidening(TypeKind from, TypeKind to) {
    return switch (from) {
      // Shorter ones are an int on the stack.
      case BYTE, SHORT, CHAR, INT ->
          to == TypeKind.LONG || to == TypeKind.FLOAT || to == TypeKind.DOUBLE;
      case LONG -> to == TypeKind.FLOAT || to == TypeKind.DOUBLE;
      case FLOAT -> to == TypeKind.DOUBLE;
      default -> false;
    };
  }

  /** Converts what is on top of the stack; one that {@link #isKnown}. */
  static void emit(CodeBuilder code, ClassDesc from, ClassDesc to) {
    if (from.equals(to)) {
      return;
    }
    if (from.isPrimitive() && to.isPrimitive()) {
      code.conversion(TypeKind.from(from), TypeKind.from(to));
    } else if (from.isPrimitive()) {
      ClassDesc wrapper = wrapper(from);
      code.invokestatic(wrapper, "valueOf", MethodTypeDesc.of(wrapper, from));
    } else if (to.isPrimitive()) {
      code.invokevirtual(from, to.displayName() + "Value", MethodTypeDesc.of(to));
    } else if (!to.equals(CD_Object)) {
      code.checkcast(to);
    }
  }
}
