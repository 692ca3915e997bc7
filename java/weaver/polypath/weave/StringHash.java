package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.*;

/**
 * The hash of a string whose characters depend on input is computed anew each time. `String.hashCode` keeps it, and asks for that whether it is 0:
 * that would be a path for each string of which somebody wants the hash.
 */
final class StringHash {
    private StringHash() {}

    private static final String STRING = "java/lang/String";

    /** Before a method is woven: if it is `String.hashCode`. */
    static void prepare(ClassNode c, MethodNode m) {
        if (!c.name.equals(STRING) || !m.name.equals("hashCode") || !m.desc.equals("()I")) return;
        LabelNode plain = new LabelNode();
        LabelNode wide = new LabelNode();
        InsnList code = new InsnList();
        value(code);
        code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "depends", "([B)Z", false));
        code.add(new JumpInsnNode(IFEQ, plain));
        code.add(new VarInsnNode(ALOAD, 0));
        code.add(new MethodInsnNode(INVOKEVIRTUAL, STRING, "isLatin1", "()Z", false));
        code.add(new JumpInsnNode(IFEQ, wide));
        hash(code, "java/lang/StringLatin1");
        at(code, wide);
        hash(code, "java/lang/StringUTF16");
        at(code, plain);
        m.instructions.insert(code);
        m.maxStack = Math.max(m.maxStack, 1);
    }

    private static void value(InsnList code) {
        code.add(new VarInsnNode(ALOAD, 0));
        code.add(new FieldInsnNode(GETFIELD, STRING, "value", "[B"));
    }

    private static void hash(InsnList code, String of) {
        value(code);
        code.add(new MethodInsnNode(INVOKESTATIC, of, "hashCode", "([B)I", false));
        code.add(new InsnNode(IRETURN));
    }

    private static void at(InsnList code, LabelNode label) {
        code.add(label);
        code.add(new FrameNode(F_NEW, 1, new Object[] {STRING}, 0, new Object[0]));
    }
}
