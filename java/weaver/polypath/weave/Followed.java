package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.*;

/** A class for a plain JVM that tells its blocks to {@link polypath.Way}, and does what it did. */
public final class Followed {
    private Followed() {}

    private static final String WAY = "polypath/Way";

    /** The way begins with a method of this class and this name. */
    public static byte[] of(byte[] file, String entryClass, String entry) {
        ClassNode c = ClassWeaver.read(file);
        Marks.put(c);
        for (MethodNode m : c.methods) {
            if (m.instructions.size() == 0) continue;
            Map<LabelNode, LabelNode> births = new HashMap<>();
            for (AbstractInsnNode i : m.instructions.toArray()) {
                if (!(i instanceof Marks.Mark)) continue;
                InsnList code = new InsnList();
                code.add(new LdcInsnNode(((Marks.Mark) i).name));
                code.add(call("block", "(I)V"));
                if (i.getNext().getOpcode() == NEW) {
                    LabelNode birth = new LabelNode();
                    for (AbstractInsnNode l = i; l != null && l.getOpcode() < 0; l = l.getPrevious()) {
                        if (l instanceof LabelNode) births.put((LabelNode) l, birth);
                    }
                    code.add(birth);
                }
                m.instructions.insert(i, code);
            }
            for (AbstractInsnNode i : m.instructions) {
                if (!(i instanceof FrameNode) || births.isEmpty()) continue;
                move(((FrameNode) i).local, births);
                move(((FrameNode) i).stack, births);
            }
            m.maxStack++;
            if (m.name.equals("<clinit>")) {
                for (AbstractInsnNode i : m.instructions.toArray()) {
                    if (i.getOpcode() == RETURN) m.instructions.insertBefore(i, call("classHasBegun", "()V"));
                }
                m.instructions.insert(call("classBegins", "()V"));
            }
            if (c.name.equals(entryClass) && m.name.equals(entry)) m.instructions.insert(call("begin", "()V"));
        }
        ClassWriter writer = new ClassWriter(0);
        c.accept(writer);
        return writer.toByteArray();
    }

    /** Frames name an object that no constructor has seen by the place of the instruction that made it. */
    private static void move(List<Object> types, Map<LabelNode, LabelNode> births) {
        if (types != null) types.replaceAll(t -> t instanceof LabelNode ? births.getOrDefault(t, (LabelNode) t) : t);
    }

    private static MethodInsnNode call(String name, String desc) {
        return new MethodInsnNode(INVOKESTATIC, WAY, name, desc, false);
    }
}
