package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/** Calls of method handles: of what {@link polypath.Handles} finds in their place, with the ids of the arguments. */
final class HandleCalls {
    private HandleCalls() {}

    private static final String HANDLE = "java/lang/invoke/MethodHandle";
    private static final String HANDLES = "polypath/Handles";

    static boolean weave(MethodInsnNode m, Body b) {
        boolean isExact = m.name.equals("invokeExact");
        if (!m.owner.equals(HANDLE) || !isExact && !m.name.equals("invoke") || !Twins.has(m.name, m.desc)) return false;
        Type[] types = Type.getArgumentTypes(m.desc);
        Type result = Type.getReturnType(m.desc);
        int words = (Type.getArgumentsAndReturnSizes(m.desc) >> 2) - 1;
        int first = b.depth - words - 1;
        int[] kept = new int[types.length];
        int offset = 0;
        for (int k = types.length - 1; k >= 0; k--) {
            kept[k] = b.keep(types[k], offset);
            offset += types[k].getSize();
        }
        b.add(new LdcInsnNode(Type.getMethodType(m.desc)));
        b.push(isExact ? 1 : 0);
        b.site("call");
        b.context();
        String handle = "L" + HANDLE + ";";
        b.add(new MethodInsnNode(INVOKESTATIC, HANDLES, "target",
                "(" + handle + "Ljava/lang/invoke/MethodType;II" + Twins.CTX_DESC + ")" + handle, false));
        for (int k = 0; k < types.length; k++) {
            b.add(new VarInsnNode(types[k].getOpcode(ILOAD), kept[k]));
            if (!Calls.mayBeArray(types[k])) continue;
            b.op(DUP);
            b.site("call");
            b.context();
            b.add(new MethodInsnNode(INVOKESTATIC, HANDLES, "seen", "(Ljava/lang/Object;I" + Twins.CTX_DESC + ")V", false));
        }
        int word = first + 1;
        int pushed = 6;
        for (Type t : types) {
            if (Twins.isPrimitive(t)) {
                b.id(word);
                pushed++;
            }
            word += t.getSize();
        }
        b.context();
        b.needs(pushed);
        b.behind(b::back);
        m.name = "invokeExact";
        m.desc = Twins.desc(m.desc);
        if (Twins.isPrimitive(result)) {
            b.resultId(first);
            b.check(first, "BCSZ".indexOf(result.getDescriptor()) >= 0 ? 'I' : result.getDescriptor().charAt(0));
        }
        return true;
    }
}
