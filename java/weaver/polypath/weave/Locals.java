package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Reads and writes of locals: their ids move along. */
final class Locals implements Family {
    @Override
    public int[] opcodes() {
        return Family.all(Family.range(ILOAD, ALOAD), Family.range(ISTORE, ASTORE), new int[] {IINC});
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        int op = i.getOpcode();
        if (op == ALOAD) b.reads(((VarInsnNode) i).var);
        if (op == ALOAD || op == ASTORE) return;
        if (op == IINC) {
            IincInsnNode n = (IincInsnNode) i;
            b.add(new VarInsnNode(ILOAD, b.local(n.var)));
            b.push(n.incr);
            b.localId(n.var);
            b.push(0);
            b.push(IADD);
            b.context();
            b.rt("ints", "(IIIII" + Twins.CTX_DESC + ")I");
            b.setLocalId(n.var);
            return;
        }
        int v = ((VarInsnNode) i).var;
        if (op <= DLOAD) {
            b.localId(v);
            b.setId(b.depth);
        } else {
            b.id(b.depth - (op == LSTORE || op == DSTORE ? 2 : 1));
            b.setLocalId(v);
        }
    }
}
