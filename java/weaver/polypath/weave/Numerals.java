package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.Map;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/**
 * The JDK's methods that read a number in a text ask code of ours first (`java.lang.Numerals` of the library), which has the number where it
 * depends on input.
 */
final class Numerals {
    private Numerals() {}

    private static final String OURS = "java/lang/Numerals";

    /** The methods, with the one of ours that they ask, and the field in which that has the number. */
    private static final Map<String, String> TABLE = Map.of(
            "java/lang/Integer.parseInt(Ljava/lang/String;I)I", "ofInt",
            "java/lang/Long.parseLong(Ljava/lang/String;I)J", "ofLong",
            "java/lang/Float.parseFloat(Ljava/lang/String;)F", "ofFloat",
            "java/lang/Double.parseDouble(Ljava/lang/String;)D", "ofDouble");

    /** Before a method is woven: if it is one of them. */
    static void prepare(ClassNode c, MethodNode m) {
        String ours = TABLE.get(c.name + "." + m.name + m.desc);
        if (ours == null) return;
        Type[] types = Type.getArgumentTypes(m.desc);
        Type result = Type.getReturnType(m.desc);
        LabelNode theirs = new LabelNode();
        InsnList code = new InsnList();
        Object[] locals = new Object[types.length];
        for (int k = 0; k < types.length; k++) {
            code.add(new VarInsnNode(types[k].getOpcode(ILOAD), k));
            locals[k] = types[k] == Type.INT_TYPE ? INTEGER : types[k].getInternalName();
        }
        code.add(new MethodInsnNode(INVOKESTATIC, OURS, ours, Type.getMethodDescriptor(Type.getObjectType(OURS), types), false));
        code.add(new InsnNode(DUP));
        code.add(new JumpInsnNode(IFNULL, theirs));
        code.add(new FieldInsnNode(GETFIELD, OURS, ours, result.getDescriptor()));
        code.add(new InsnNode(result.getOpcode(IRETURN)));
        code.add(theirs);
        code.add(new FrameNode(F_NEW, locals.length, locals, 1, new Object[] {OURS}));
        code.add(new InsnNode(POP));
        m.instructions.insert(code);
        m.maxStack = Math.max(m.maxStack, 2);
    }
}
