package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.AbstractInsnNode;

/** The id of a result goes to the context. */
final class Returns implements Family {
    @Override
    public int[] opcodes() {
        return Family.range(IRETURN, RETURN);
    }

    @Override
    public void weaveBare(AbstractInsnNode i, Body b) {
        weave(i, b);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        int op = i.getOpcode();
        if (op >= ARETURN) return;
        b.id(b.depth - (op == LRETURN || op == DRETURN ? 2 : 1));
        b.context();
        b.rt("result", "(I" + Twins.CTX_DESC + ")V");
    }
}
