package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;

/**
 * Code that the JDK makes at run time: lambdas, concatenation of strings, methods of records. It is not woven: what it
 * is given is lost.
 */
final class Dynamic implements Family {
    @Override
    public int[] opcodes() {
        return new int[] {INVOKEDYNAMIC};
    }

    @Override
    public void weaveBare(AbstractInsnNode i, Body b) {
        weave(i, b);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        InvokeDynamicInsnNode n = (InvokeDynamicInsnNode) i;
        int first = b.depth - (Type.getArgumentsAndReturnSizes(n.desc) >> 2) + 1;
        Calls.lose(n.desc, first, Calls.LOST_INDY, b);
        if (n.bsm.getOwner().equals("java/lang/runtime/ObjectMethods")) {
            // It reads the fields of the record.
            b.push(Calls.LOST_INDY);
            b.site("record");
            b.context();
            b.rt("opaque", "(II" + Twins.CTX_DESC + ")V");
        }
        if (Twins.isPrimitive(Type.getReturnType(n.desc))) b.clearId(first);
    }
}
