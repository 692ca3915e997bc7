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
    static final int LOST_INPUT = 6;

    @Override
    public int[] opcodes() {
        return Family.range(INVOKEVIRTUAL, INVOKEINTERFACE);
    }

    @Override
    public void weaveBare(AbstractInsnNode i, Body b) {
        weave(i, b);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        MethodInsnNode m = (MethodInsnNode) i;
        Asking.note(m, b);
        if (Models.weave(m, b)) return;
        Models.redirect(m, b);
        boolean isStatic = m.getOpcode() == INVOKESTATIC;
        int words = (Type.getArgumentsAndReturnSizes(m.desc) >> 2) - (isStatic ? 1 : 0);
        int first = b.depth - words;
        Type result = Type.getReturnType(m.desc);
        World.Info declared = Twins.has(m.name, m.desc) ? b.world.declares(m.owner, m.name + m.desc) : null;
        if (declared != null) {
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
            // `super.m()` means this twin, whatever the object's class.
            boolean isFixed = m.getOpcode() == INVOKESPECIAL && Guard.has(declared, m.name, declared.methods.get(m.name + m.desc));
            if (isFixed) b.add(new FieldInsnNode(GETFIELD, Twins.CTX, "direct", Twins.CTX_DESC));
            b.needs(pushed);
            m.desc = Twins.desc(m.desc);
            if (Twins.isPrimitive(result)) {
                b.resultId(first);
                b.check(first, "BCSZ".indexOf(result.getDescriptor()) >= 0 ? 'I' : result.getDescriptor().charAt(0));
            }
            return;
        }
        if (Models.ofObject(m, b) || Peeks.ofField(m, b) || Peeks.ofArray(m, b) || Peeks.ofCall(m, b) || HandleCalls.weave(m, b)) return;
        Waits.after(m, b);
        Messages.around(m, b);
        lose(m.desc, isStatic ? first : first + 1, LOST_CALL, b);
        escapes(m.owner, m.desc, b);
        Peeks.count(m, b);
        if (Twins.isPrimitive(result)) b.clearId(first);
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

    /** Classes that keep the text they are given, and look at it only by woven methods. */
    private static final String[] KEEP = {"java/lang/Throwable", "java/lang/ThreadLocal", "java/lang/ref/", "java/util/concurrent/"};

    /** Whether a method of this class may look into a text of this type past its methods. */
    static boolean looksInto(String owner, Type t) {
        for (String keeps : KEEP) if (owner.startsWith(keeps)) return false;
        if (owner.endsWith("Exception") || owner.endsWith("Error")) return false;
        return t.getDescriptor().equals("Ljava/lang/String;") || t.getDescriptor().equals("Ljava/lang/CharSequence;");
    }

    /** Arrays and texts among the arguments on the stack are seen by the library. */
    private static void escapes(String owner, String desc, Body b) {
        Type[] types = Type.getArgumentTypes(desc);
        int from = 0;
        while (from < types.length && !mayBeArray(types[from]) && !looksInto(owner, types[from])) from++;
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
            } else if (looksInto(owner, types[k])) {
                b.op(DUP);
                b.site("call");
                b.context();
                b.rt("seen", "(Ljava/lang/Object;I" + Twins.CTX_DESC + ")V");
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
