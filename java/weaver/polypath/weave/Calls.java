package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/**
 * Calls. A method of a woven class is called in its woven form ({@link Twins}). What a method of the library is given is
 * lost, and counted; a few of its methods have a model ({@link Models}).
 */
final class Calls implements Family {
    static final int LOST_CALL = 0;
    static final int LOST_FIELD = 3;
    static final int LOST_INDY = 4;
    static final int LOST_OVERRIDE = 5;

    @Override
    public int[] opcodes() {
        return Family.range(INVOKEVIRTUAL, INVOKEINTERFACE);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        MethodInsnNode m = (MethodInsnNode) i;
        if (Models.weave(m, b)) return;
        boolean isStatic = m.getOpcode() == INVOKESTATIC;
        int words = (Type.getArgumentsAndReturnSizes(m.desc) >> 2) - (isStatic ? 1 : 0);
        int first = b.depth - words;
        Type result = Type.getReturnType(m.desc);
        boolean isWoven = Twins.has(m.name, m.desc) && b.world.declares(m.owner, m.name + m.desc) != null;
        if (isWoven) {
            int word = isStatic ? first : first + 1;
            int pushed = 1;
            for (Type t : Type.getArgumentTypes(m.desc)) {
                if (Twins.isPrimitive(t)) {
                    b.id(word);
                    pushed++;
                }
                word += t.getSize();
            }
            b.context();
            b.needs(pushed);
            m.desc = Twins.desc(m.desc);
            if (Twins.isPrimitive(result)) {
                b.resultId(first);
                b.check(first, "BCSZ".indexOf(result.getDescriptor()) >= 0 ? 'I' : result.getDescriptor().charAt(0));
            }
            return;
        }
        if (Models.ofObject(m, b)) return;
        if (m.owner.equals("java/io/PrintStream") && m.name.startsWith("print") && print(m, first, b)) return;
        lose(m.desc, isStatic ? first : first + 1, LOST_CALL, b);
        escapes(m.desc, b);
        if (Twins.isPrimitive(result)) b.clearId(first);
    }

    /** A value that goes to the program's output is not lost. */
    private static boolean print(MethodInsnNode m, int first, Body b) {
        Type[] types = Type.getArgumentTypes(m.desc);
        if (types.length != 1 || !Twins.isPrimitive(types[0])) return false;
        int v = b.keep(types[0], 0);
        b.op(DUP);
        b.id(first + 1);
        b.site("call");
        b.context();
        b.rt("print", "(Ljava/io/PrintStream;II" + Twins.CTX_DESC + ")V");
        b.add(new VarInsnNode(types[0].getOpcode(ILOAD), v));
        return true;
    }

    /** Counts the ids of primitives on the stack, from this word on, that code of the library is given. */
    static void lose(String desc, int first, int what, Body b) {
        int word = first;
        boolean any = false;
        for (Type t : Type.getArgumentTypes(desc)) {
            if (Twins.isPrimitive(t)) {
                b.id(word);
                if (any) b.op(IOR);
                any = true;
            }
            word += t.getSize();
        }
        if (!any) return;
        b.push(what);
        b.site("call");
        b.context();
        b.rt("lost", "(III" + Twins.CTX_DESC + ")V");
    }

    static boolean mayBeArray(Type t) {
        return t.getSort() == Type.ARRAY || t.getDescriptor().equals("Ljava/lang/Object;");
    }

    /** Arrays among the arguments on the stack are seen by the library. */
    private static void escapes(String desc, Body b) {
        Type[] types = Type.getArgumentTypes(desc);
        int from = 0;
        while (from < types.length && !mayBeArray(types[from])) from++;
        if (from == types.length) return;
        int[] kept = new int[types.length];
        int offset = 0;
        for (int k = types.length - 1; k >= from; k--) {
            kept[k] = b.keep(types[k], offset);
            offset += types[k].getSize();
        }
        for (int k = from; k < types.length; k++) {
            b.add(new VarInsnNode(types[k].getOpcode(ILOAD), kept[k]));
            if (mayBeArray(types[k])) {
                b.op(DUP);
                escape(b);
            }
        }
    }

    /** The reference on the top of the stack is popped, and seen by the library. */
    static void escape(Body b) {
        b.push(LOST_CALL);
        b.site("call");
        b.context();
        b.rt("escape", "(Ljava/lang/Object;II" + Twins.CTX_DESC + ")V");
    }
}
