package org.slipstream.agent;

/** The instructions that the agent uses, as the JVM's specification numbers them. */
final class Op {
  static final int NOP = 0;
  static final int ACONST_NULL = 1;
  static final int ICONST_0 = 3;
  static final int ICONST_1 = 4;
  static final int LCONST_0 = 9;
  static final int LDC_W = 19;
  static final int ILOAD = 21;
  static final int LLOAD = 22;
  static final int ALOAD = 25;
  static final int LSTORE = 55;
  static final int ASTORE = 58;
  static final int I2L = 133;
  static final int LCMP = 148;
  static final int IFEQ = 153;
  static final int IFNE = 154;
  static final int IFLT = 155;
  static final int LRETURN = 173;
  static final int GETSTATIC = 178;
  static final int GETFIELD = 180;
  static final int INVOKEVIRTUAL = 182;
  static final int INVOKEINTERFACE = 185;
  static final int CHECKCAST = 192;
  static final int INSTANCEOF = 193;

  private Op() {}
}
