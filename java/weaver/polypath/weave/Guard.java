package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/**
 * A class of the library that is not woven can override a method of a woven one, and then has no twin of its own: the twin
 * that it inherits passes the call on to the method in its original form. A stub says that it is meant itself: its context
 * is another form of the thread's.
 */
final class Guard {
    private Guard() {}

    /** Whether the twin of a method needs one: below the program's own classes all are woven. */
    static boolean has(World.Info c, MethodNode m) {
        return has(c, m.name, m.access);
    }

    static boolean has(World.Info c, String name, int access) {
        boolean isFixed = (access & (ACC_STATIC | ACC_PRIVATE | ACC_FINAL)) != 0 || (c.access & ACC_FINAL) != 0;
        return Jdk.isWoven(c.name) && !isFixed && !name.startsWith("<");
    }

    /** What stands at the beginning of the twin. */
    static InsnList of(ClassNode c, MethodNode m, World world) {
        InsnList code = new InsnList();
        int words = Type.getArgumentsAndReturnSizes(m.desc) >> 2;
        int ctx = words + Twins.ids(m.desc);
        LabelNode own = new LabelNode();
        code.add(new VarInsnNode(ALOAD, ctx));
        code.add(new VarInsnNode(ALOAD, 0));
        code.add(new MethodInsnNode(INVOKESTATIC, "polypath/RT", "isForeign", "(" + Twins.CTX_DESC + "Ljava/lang/Object;)Z", false));
        code.add(new JumpInsnNode(IFEQ, own));
        Stubs.forward(code, c, m, world);
        code.add(own);
        List<Object> local = new ArrayList<>();
        local.add(c.name);
        for (Type t : Type.getArgumentTypes(m.desc)) local.add(frameType(t));
        for (int k = 0; k < Twins.ids(m.desc); k++) local.add(INTEGER);
        local.add(Twins.CTX);
        code.add(new FrameNode(F_NEW, local.size(), local.toArray(), 0, new Object[0]));
        code.add(new VarInsnNode(ALOAD, ctx));
        code.add(new FieldInsnNode(GETFIELD, Twins.CTX, "plain", Twins.CTX_DESC));
        code.add(new VarInsnNode(ASTORE, ctx));
        return code;
    }

    private static Object frameType(Type t) {
        switch (t.getSort()) {
            case Type.LONG: return LONG;
            case Type.DOUBLE: return DOUBLE;
            case Type.FLOAT: return FLOAT;
            case Type.ARRAY:
            case Type.OBJECT: return t.getInternalName();
            default: return INTEGER;
        }
    }
}
