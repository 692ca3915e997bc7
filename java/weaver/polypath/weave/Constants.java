package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;

/** Numbers that stand in the code depend on no input. */
final class Constants implements Family {
    @Override
    public int[] opcodes() {
        return Family.range(ACONST_NULL, LDC);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        if (i.getOpcode() == ACONST_NULL) return;
        if (i instanceof LdcInsnNode) {
            Object c = ((LdcInsnNode) i).cst;
            if (!(c instanceof Number)) return;
        }
        b.clearId(b.depth);
    }
}
