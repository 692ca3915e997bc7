package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.AbstractInsnNode;

/** Copies and exchanges of words on the stack: the words of their shadows move alike, whatever the words hold. */
final class StackMoves implements Family {
    @Override
    public int[] opcodes() {
        return Family.range(POP, SWAP);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        switch (i.getOpcode()) {
            case DUP: copy(b, 0, 1); break;
            case DUP_X1: copy(b, 2, 1, 2, 1); break;
            case DUP_X2: copy(b, 3, 1, 3, 2, 1); break;
            case DUP2: copy(b, 0, 2, 1); break;
            case DUP2_X1: copy(b, 3, 2, 1, 3, 2, 1); break;
            case DUP2_X2: copy(b, 4, 2, 1, 4, 3, 2, 1); break;
            case SWAP: copy(b, 2, 1, 2); break;
            default: break;
        }
    }

    /** From the word `from` below the top on, the stack is to have these words, each counted from the top. */
    private static void copy(Body b, int from, int... words) {
        for (int w : words) b.id(b.depth - w);
        for (int k = words.length - 1; k >= 0; k--) b.setId(b.depth - from + k);
    }
}
