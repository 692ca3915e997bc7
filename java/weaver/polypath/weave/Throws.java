package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.AbstractInsnNode;

/** What the program throws itself is told from what the JVM and the library raise. */
final class Throws implements Family {
    @Override
    public int[] opcodes() {
        return new int[] {ATHROW};
    }

    @Override
    public void weaveBare(AbstractInsnNode i, Body b) {
        weave(i, b);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        if (!b.world.counts(b.owner)) return;
        b.op(DUP);
        b.context();
        b.rt("thrown", "(Ljava/lang/Throwable;" + Twins.CTX_DESC + ")V");
    }
}
