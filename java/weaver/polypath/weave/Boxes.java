package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/**
 * Boxes of values that depend on input. `Integer.valueOf` and its siblings read a table at the value, which would be a path for
 * each; they make a new box instead, and the runtime remembers that it stands for the one of the table. Comparisons of
 * references ask the runtime, so that `==` says what it says of boxes from the table.
 */
final class Boxes {
    private Boxes() {}

    private static final String OBJECT = "Ljava/lang/Object;";
    private static final String RT = "polypath/RT";

    /** Whether the ids of a class's field are kept by object, as the layout of its objects is fixed. */
    static boolean isOwner(String owner, String field) {
        return Jdk.hasFixedLayout(owner) && field.equals("value");
    }

    /** Before a method is woven: if it is the `valueOf` of a box, a value with an id takes another way. */
    static void prepare(ClassNode c, MethodNode m) {
        if (!m.name.equals("valueOf")) return;
        Type[] types = Type.getArgumentTypes(m.desc);
        // A boolean is decided by the branch that its method consists of.
        if (types.length != 1 || !Twins.isPrimitive(types[0]) || types[0] == Type.BOOLEAN_TYPE) return;
        if (!Boxing.box(types[0]).equals(c.name) || c.name.equals("java/lang/Float") || c.name.equals("java/lang/Double")) return;
        Type t = types[0];
        String given = t.getSize() == 2 ? "J" : "I";
        LabelNode plain = new LabelNode();
        InsnList code = new InsnList();
        code.add(new VarInsnNode(t.getOpcode(ILOAD), 0));
        code.add(new MethodInsnNode(INVOKESTATIC, RT, "depends", "(" + given + ")I", false));
        code.add(new JumpInsnNode(IFEQ, plain));
        code.add(new TypeInsnNode(NEW, c.name));
        code.add(new InsnNode(DUP));
        code.add(new VarInsnNode(t.getOpcode(ILOAD), 0));
        code.add(new MethodInsnNode(INVOKESPECIAL, c.name, "<init>", "(" + t.getDescriptor() + ")V", false));
        code.add(new InsnNode(DUP));
        code.add(new VarInsnNode(t.getOpcode(ILOAD), 0));
        code.add(new MethodInsnNode(INVOKESTATIC, RT, "share", "(" + OBJECT + given + ")V", false));
        code.add(new InsnNode(ARETURN));
        code.add(plain);
        Object local = t.getSize() == 2 ? LONG : INTEGER;
        code.add(new FrameNode(F_NEW, 1, new Object[] {local}, 0, new Object[0]));
        m.instructions.insert(code);
        m.maxStack = Math.max(m.maxStack, 3 + t.getSize());
    }

    /** `depends(x)`: whether x has an id. The value is popped; its id is left as a number. */
    static void depends(Body b, int size) {
        b.op(size == 2 ? POP2 : POP);
        b.id(b.depth - size);
        b.clearId(b.depth - size);
        b.drop();
    }

    /** `share(box, x)`: the box stands for the one of the table. */
    static void share(Body b, int size) {
        b.op(size == 2 ? POP2 : POP);
        b.id(b.depth - size);
        b.context();
        b.rt("share", "(" + OBJECT + "I" + Twins.CTX_DESC + ")V");
        b.drop();
    }

    /** A comparison of references. */
    static void compare(JumpInsnNode jump, Body b) {
        b.site("same");
        b.context();
        b.rt("same", "(" + OBJECT + OBJECT + "I" + Twins.CTX_DESC + ")Z");
        jump.setOpcode(jump.getOpcode() == IF_ACMPEQ ? IFNE : IFEQ);
    }
}
