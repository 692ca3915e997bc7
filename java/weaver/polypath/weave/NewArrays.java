package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** New arrays: each size is decided. A length depends on no input then, but that of an array of input does. */
final class NewArrays implements Family {
    @Override
    public int[] opcodes() {
        return new int[] {NEWARRAY, ANEWARRAY, MULTIANEWARRAY, ARRAYLENGTH};
    }

    @Override
    public void weaveBare(AbstractInsnNode i, Body b) {
        if (i.getOpcode() != ARRAYLENGTH) return;
        b.op(DUP);
        b.context();
        b.rt("settle", "(Ljava/lang/Object;" + Twins.CTX_DESC + ")V");
        b.needs(2);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        int d = b.depth;
        if (i.getOpcode() == ARRAYLENGTH) {
            b.op(DUP);
            b.context();
            b.rt("length", "(Ljava/lang/Object;" + Twins.CTX_DESC + ")I");
            b.setId(d - 1);
            b.check(d - 1, 'I');
            b.needs(2);
            return;
        }
        int dims = i instanceof MultiANewArrayInsnNode ? ((MultiANewArrayInsnNode) i).dims : 1;
        if (dims == 1) {
            b.op(DUP);
            size(b, d - 1);
            return;
        }
        int[] kept = new int[dims];
        for (int k = dims - 1; k >= 0; k--) kept[k] = b.keep(Type.INT_TYPE, k);
        for (int k = 0; k < dims; k++) {
            b.add(new VarInsnNode(ILOAD, kept[k]));
            b.op(DUP);
            size(b, d - dims + k);
        }
    }

    private static void size(Body b, int word) {
        b.id(word);
        b.site("size");
        b.context();
        b.rt("size", "(III" + Twins.CTX_DESC + ")V");
    }
}
