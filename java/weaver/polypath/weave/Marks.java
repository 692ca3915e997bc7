package polypath.weave;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.*;

/**
 * The way of a run through the basic blocks of a program, made comparable: in each class file as its author's compiler left it, a mark with a name goes
 * before each block, both where the class is woven and where it is only followed on a plain JVM ({@link Followed}).
 */
final class Marks {
    private Marks() {}

    /** A block begins behind it. */
    static final class Mark extends LabelNode {
        /** The same in every JVM. */
        final int name;

        Mark(int name) {
            this.name = name;
        }
    }

    /** Marks the blocks of all methods of a class that nothing has changed yet. */
    static void put(ClassNode c) {
        for (MethodNode m : c.methods) if (!isAsked(c, m)) put(c.name, m);
    }

    /** The constants of an enum, which the JDK asks for when it needs them first (for an `EnumMap`, say): which run does that is chance. */
    private static boolean isAsked(ClassNode c, MethodNode m) {
        return (c.access & Opcodes.ACC_ENUM) != 0 && m.name.equals("values") && m.desc.equals("()[L" + c.name + ";");
    }

    private static void put(String owner, MethodNode m) {
        if (m.instructions.size() == 0) return;
        Blocks blocks = new Blocks(m, Depths.of(m));
        Handlers handlers = new Handlers(m);
        int name = (owner + "." + m.name + m.desc).hashCode();
        LabelNode handler = null;
        AbstractInsnNode[] all = m.instructions.toArray();
        for (int k = 0; k < all.length; k++) {
            if (all[k] instanceof LabelNode && blocks.isHandler((LabelNode) all[k])) handler = (LabelNode) all[k];
            if (all[k].getOpcode() < 0) continue;
            // What only gives a lock back is not counted, as it must not end the run.
            if (blocks.length(k) > 0 && (handler == null || !handlers.unlocks(handler))) {
                name = 31 * name + 17;
                // 0 and 1 are no names.
                m.instructions.insertBefore(all[k], new Mark(name >>> 1 == 0 ? 2 : name));
            }
            handler = null;
        }
    }
}
