package org.slipstream.agent;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Instructions at the beginning of one method of a class file; what stood there stays as it was,
 * behind them.
 *
 * <p>Not the JDK's own class-file library: that loads and links some 120 classes before it has
 * changed the first method, and this runs before the {@code main} of every program. All it takes is
 * constants at the end of the pool, and positions of one method that move by the same amount.
 *
 * <p>The instructions may end by a jump to the method's old beginning, with nothing on the stack;
 * so a stack map frame is put there. Their length is made a multiple of four, because some
 * instructions of the method may be padded to such positions.
 */
final class Prologue {
  private static final int MAGIC = 0xCAFEBABE;
  private static final int ALIGNMENT = 4;
  private static final int MOST_CODE = 0xFFFF;
  private static final int MOST_SHORT_LOCALS = 0xFF;

  // Tags of the constant pool.
  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;
  private static final int STRING = 8;
  private static final int FIELD = 9;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;
  private static final int NAME_AND_TYPE = 12;
  private static final int METHOD_HANDLE = 15;
  private static final int METHOD_TYPE = 16;
  private static final int MODULE = 19;
  private static final int PACKAGE = 20;

  // Kinds of stack map frames.
  private static final int SAME_LOCALS = 64;
  private static final int FIRST_WITH_POSITION = 247; // below it, the position is in the kind
  private static final int SAME_EXTENDED = 251;
  private static final int FULL = 255;

  // Kinds of types in them; the others have no operand.
  private static final int OBJECT = 7;
  private static final int UNINITIALIZED = 8;

  private final ByteBuffer in;

  /** Where each constant begins; 0 where there is none. */
  private final int[] constants;

  /** New constants. */
  private final Output pool = new Output();

  /** The instructions. */
  private final Output code = new Output();

  /** Where among them the jumps to the method's old beginning are. */
  private final List<Integer> jumps = new ArrayList<>();

  /** Where the numbers of their own local variable are. */
  private final List<Integer> ownLocals = new ArrayList<>();

  private final int endOfPool;
  private int constantCount;

  /**
   * Reads the constants of a class file.
   *
   * @param file not changed
   */
  Prologue(byte[] file) {
    in = ByteBuffer.wrap(file);
    if (in.getInt() != MAGIC) {
      throw new IllegalArgumentException("no class file");
    }
    in.getInt(); // versions
    constantCount = u2();
    constants = new int[constantCount];
    for (int i = 1; i < constantCount; i++) {
      constants[i] = in.position();
      i += skipConstant() - 1;
    }
    endOfPool = in.position();
  }

  /** How many indices it takes. */
  private int skipConstant() {
    int tag = u1();
    switch (tag) {
      case UTF8 -> skip(u2());
      case LONG, DOUBLE -> skip(8);
      case CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE -> skip(2);
      case METHOD_HANDLE -> skip(3);
      default -> skip(4); // two indices, or four bytes
    }
    return tag == LONG || tag == DOUBLE ? 2 : 1;
  }

  // -- the instructions, in order -----------------------------------------------------------------

  /** An instruction without operands, or a byte of one. */
  Prologue op(int opcode) {
    code.u1(opcode);
    return this;
  }

  /** An instruction on a class. */
  Prologue type(int opcode, String type) {
    int index = classConstant(type);
    code.u1(opcode);
    code.u2(index);
    return this;
  }

  /** An instruction on a field. */
  Prologue field(int opcode, String owner, String name, String type) {
    int index = member(FIELD, owner, name, type);
    code.u1(opcode);
    code.u2(index);
    return this;
  }

  /** Calls a method of a class. */
  Prologue call(String owner, String name, String type) {
    int index = member(METHOD, owner, name, type);
    code.u1(Op.INVOKEVIRTUAL);
    code.u2(index);
    return this;
  }

  /** Puts a text onto the stack. */
  Prologue text(String text) {
    int index = utf8(text);
    pool.u1(STRING);
    pool.u2(index);
    code.u1(Op.LDC_W);
    code.u2(constantCount++);
    return this;
  }

  /** An instruction on a parameter of the method. */
  Prologue local(int opcode, int slot) {
    code.u1(opcode);
    code.u1(slot);
    return this;
  }

  /** An instruction on a variable of 64 bits that the method does not have. */
  Prologue ownLocal(int opcode) {
    code.u1(opcode);
    ownLocals.add(code.size);
    code.u1(0);
    return this;
  }

  /** Calls a method of an interface. */
  Prologue callInterface(String owner, String name, String type) {
    int index = member(INTERFACE_METHOD, owner, name, type);
    code.u1(Op.INVOKEINTERFACE);
    code.u2(index);
    code.u1(1); // the receiver; only methods without parameters are called
    code.u1(0);
    return this;
  }

  /** A jump to the method's old beginning. */
  Prologue jumpToMethod(int opcode) {
    jumps.add(code.size);
    code.u1(opcode);
    code.u2(0);
    return this;
  }

  // -- constants ----------------------------------------------------------------------------------

  private int utf8(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8); // ASCII, where both encodings agree
    pool.u1(UTF8);
    pool.u2(bytes.length);
    pool.bytes(bytes, 0, bytes.length);
    return constantCount++;
  }

  private int classConstant(String name) {
    int text = utf8(name);
    pool.u1(CLASS);
    pool.u2(text);
    return constantCount++;
  }

  private int member(int tag, String owner, String name, String type) {
    int ownerIndex = classConstant(owner);
    int nameIndex = utf8(name);
    int typeIndex = utf8(type);
    pool.u1(NAME_AND_TYPE);
    pool.u2(nameIndex);
    pool.u2(typeIndex);
    int nameAndType = constantCount++;
    pool.u1(tag);
    pool.u2(ownerIndex);
    pool.u2(nameAndType);
    return constantCount++;
  }

  // -- the class file -----------------------------------------------------------------------------

  /**
   * Puts the instructions in front of the methods of that name.
   *
   * @param method its name
   * @param type its descriptor; null for any
   * @param stack how deep they make the stack at most
   * @return the new class file, or null if no method of that name has code
   */
  byte @Nullable [] before(String method, @Nullable String type, int stack) {
    for (int jump : jumps) {
      code.setU2(jump + 1, code.size - jump);
    }
    int frames = utf8("StackMapTable"); // the method may have none so far
    Output members = new Output();
    boolean found = copyMembers(members, method, type, stack, frames);
    if (!found) {
      return null;
    }
    Output out = new Output();
    out.bytes(in.array(), 0, 8); // magic number and versions
    out.u2(constantCount);
    out.bytes(in.array(), 10, endOfPool - 10);
    out.all(pool);
    out.all(members);
    return Arrays.copyOf(out.bytes, out.size);
  }

  /** Everything behind the constants. */
  private boolean copyMembers(
      Output out, String method, @Nullable String type, int stack, int frames) {
    boolean found = false;
    in.position(endOfPool);
    copy(out, 6); // flags, this class, its super class
    copy(out, 2 * copyCount(out)); // interfaces
    for (int fields = copyCount(out); fields > 0; fields--) {
      copy(out, 6);
      copyAttributes(out);
    }
    for (int methods = copyCount(out); methods > 0; methods--) {
      boolean wanted = isWanted(method, type);
      copy(out, 6); // flags, name, type
      for (int attributes = copyCount(out); attributes > 0; attributes--) {
        if (wanted && text(in.getShort(in.position()) & 0xFFFF).equals("Code")) {
          copyCode(out, stack, frames);
          found = true;
        } else {
          copyAttribute(out);
        }
      }
    }
    copyAttributes(out);
    return found;
  }

  /** Whether the member that follows has that name and descriptor. */
  private boolean isWanted(String method, @Nullable String type) {
    int name = in.getShort(in.position() + 2) & 0xFFFF;
    int descriptor = in.getShort(in.position() + 4) & 0xFFFF;
    return method.equals(text(name)) && (type == null || type.equals(text(descriptor)));
  }

  private void copyCode(Output out, int stack, int frames) {
    copy(out, 2); // name
    int end = in.getInt() + in.position();
    Output to = new Output();
    int padding = -code.size & (ALIGNMENT - 1);
    int by = padding + code.size;
    to.u2(Math.max(u2(), stack));
    to.u2(placeOwnLocal(u2()));
    int length = in.getInt();
    if (length + by > MOST_CODE) {
      throw new IllegalArgumentException("no room for more instructions");
    }
    to.u4(length + by);
    for (int i = 0; i < padding; i++) {
      to.u1(
          Op.NOP); // in front, where it is reached: the verifier wants a frame where nothing leads
    }
    to.all(code);
    copy(to, length);
    for (int handlers = copyCount(to); handlers > 0; handlers--) {
      to.u2(u2() + by);
      to.u2(u2() + by);
      to.u2(u2() + by);
      copy(to, 2); // what it catches
    }
    copyCodeAttributes(to, by, frames);
    if (in.position() != end) {
      throw new IllegalArgumentException("the code ends at " + in.position() + ", not at " + end);
    }
    out.u4(to.size);
    out.all(to);
  }

  /**
   * Behind the method's own.
   *
   * @param locals how many slots the method has
   * @return how many it needs now
   */
  private int placeOwnLocal(int locals) {
    if (ownLocals.isEmpty()) {
      return locals;
    }
    if (locals > MOST_SHORT_LOCALS) {
      throw new IllegalArgumentException("too many local variables");
    }
    for (int at : ownLocals) {
      code.bytes[at] = (byte) locals;
    }
    return locals + 2;
  }

  /** Frames and what debuggers read; other attributes of code have positions, too, and go. */
  private void copyCodeAttributes(Output out, int by, int frames) {
    Output to = new Output();
    int count = 0;
    boolean framed = false;
    for (int attributes = u2(); attributes > 0; attributes--) {
      int name = u2();
      int length = in.getInt();
      int end = in.position() + length;
      switch (text(name)) {
        case "StackMapTable" -> {
          moveFrames(to, name, by);
          framed = true;
          count++;
        }
        case "LineNumberTable" -> {
          to.u2(name);
          to.u4(length);
          moveEntries(to, by, 2);
          count++;
        }
        case "LocalVariableTable", "LocalVariableTypeTable" -> {
          to.u2(name);
          to.u4(length);
          moveEntries(to, by, 8);
          count++;
        }
        default -> in.position(end);
      }
    }
    if (!framed) {
      to.u2(frames);
      to.u4(2 + 3);
      to.u2(1);
      writeFrame(to, by);
      count++;
    }
    out.u2(count);
    out.all(to);
  }

  /** A table whose entries begin with a position. */
  private void moveEntries(Output to, int by, int rest) {
    for (int entries = copyCount(to); entries > 0; entries--) {
      to.u2(u2() + by);
      copy(to, rest);
    }
  }

  /** As at the method's entry: parameters, and nothing on the stack. */
  private static void writeFrame(Output to, int position) {
    to.u1(SAME_EXTENDED);
    to.u2(position);
  }

  /**
   * Each frame says how far it is behind the one before, less one; the first, where it is. So all
   * but the first stay where they are, behind ours.
   */
  private void moveFrames(Output out, int name, int by) {
    int count = u2();
    Output table = new Output();
    writeFrame(table, by);
    int ours = 1;
    for (int i = 0; i < count; i++) {
      int kind = u1();
      int position = kind >= FIRST_WITH_POSITION ? u2() : kind % SAME_LOCALS;
      if (i > 0) {
        writeKind(table, kind, position);
      } else if (position > 0) {
        writeKind(table, kind, position - 1);
      } else {
        // A jump leads to the beginning already: this frame describes it, and ours is the same.
        ours = 0;
        table.size = 0;
        writeKind(table, kind == 0 ? SAME_EXTENDED : kind, by);
      }
      copyTypes(table, kind, by);
    }
    out.u2(name);
    out.u4(2 + table.size);
    out.u2(count + ours);
    out.all(table);
  }

  /** The short kinds have the position in them. */
  private static void writeKind(Output table, int kind, int position) {
    if (kind < FIRST_WITH_POSITION) {
      table.u1(kind / SAME_LOCALS * SAME_LOCALS + position);
    } else {
      table.u1(kind);
      table.u2(position);
    }
  }

  private void copyTypes(Output table, int kind, int by) {
    if (kind == FULL) {
      copyTypeList(table, by, copyCount(table)); // locals
      copyTypeList(table, by, copyCount(table)); // the stack
    } else if (kind > SAME_EXTENDED) {
      copyTypeList(table, by, kind - SAME_EXTENDED);
    } else if (kind == FIRST_WITH_POSITION || (kind >= SAME_LOCALS && kind < 2 * SAME_LOCALS)) {
      copyTypeList(table, by, 1);
    }
  }

  private void copyTypeList(Output table, int by, int count) {
    for (int i = 0; i < count; i++) {
      int type = u1();
      table.u1(type);
      if (type == UNINITIALIZED) {
        table.u2(u2() + by); // where the object is made
      } else if (type == OBJECT) {
        copy(table, 2);
      }
    }
  }

  private void copyAttributes(Output out) {
    for (int attributes = copyCount(out); attributes > 0; attributes--) {
      copyAttribute(out);
    }
  }

  private void copyAttribute(Output out) {
    copy(out, 6 + in.getInt(in.position() + 2));
  }

  private int copyCount(Output out) {
    int count = u2();
    out.u2(count);
    return count;
  }

  private void copy(Output out, int length) {
    out.bytes(in.array(), in.position(), length);
    skip(length);
  }

  private String text(int index) {
    int at = constants[index];
    int length = in.getShort(at + 1) & 0xFFFF;
    return new String(in.array(), at + 3, length, StandardCharsets.UTF_8);
  }

  private int u1() {
    return in.get() & 0xFF;
  }

  private int u2() {
    return in.getShort() & 0xFFFF;
  }

  private void skip(int bytes) {
    in.position(in.position() + bytes);
  }

  /** Bytes of a class file. */
  private static final class Output {
    private byte[] bytes = new byte[1024];
    private int size;

    private void room(int more) {
      if (size + more > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
      }
    }

    void u1(int value) {
      room(1);
      bytes[size++] = (byte) value;
    }

    void u2(int value) {
      u1(value >> 8);
      u1(value);
    }

    void setU2(int at, int value) {
      bytes[at] = (byte) (value >> 8);
      bytes[at + 1] = (byte) value;
    }

    void u4(int value) {
      u2(value >> 16);
      u2(value);
    }

    void bytes(byte[] from, int at, int length) {
      room(length);
      System.arraycopy(from, at, bytes, size, length);
      size += length;
    }

    void all(Output other) {
      bytes(other.bytes, 0, other.size);
    }
  }
}
