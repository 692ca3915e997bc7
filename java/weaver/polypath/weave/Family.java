package polypath.weave;

import org.objectweb.asm.tree.AbstractInsnNode;

/** Instructions that are woven alike. To add one: a file, and its line in {@link Families}. */
interface Family {
    /** The opcodes. */
    int[] opcodes();

    /** Emits what goes before and after the instruction. */
    void weave(AbstractInsnNode i, Body b);

    /**
     * The same in a method whose own values have no ids ({@link Body}). Only what reads or writes ids elsewhere, or the
     * context, has anything to do there.
     */
    default void weaveBare(AbstractInsnNode i, Body b) {}

    /** The opcodes from one to another. */
    static int[] range(int first, int last) {
        int[] all = new int[last - first + 1];
        for (int k = 0; k < all.length; k++) all[k] = first + k;
        return all;
    }

    /** The opcodes of several lists. */
    static int[] all(int[]... lists) {
        int n = 0;
        for (int[] l : lists) n += l.length;
        int[] all = new int[n];
        n = 0;
        for (int[] l : lists) for (int op : l) all[n++] = op;
        return all;
    }
}
