package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.AbstractInsnNode;

/** Objects, casts and monitors: what they give depends on no input. */
final class References implements Family {
    @Override
    public int[] opcodes() {
        return new int[] {NOP, NEW, CHECKCAST, INSTANCEOF, MONITORENTER, MONITOREXIT};
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        if (i.getOpcode() == INSTANCEOF) b.clearId(b.depth - 1);
    }
}
