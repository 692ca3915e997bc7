package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.tree.*;

/** The basic blocks of a method: where they begin, how many instructions they have, and on which line they are. */
final class Blocks {
    private final int[] length;
    private final int[] line;
    private final boolean[] loops;
    private final boolean[] isInstruction;
    private final Set<LabelNode> handlers = new HashSet<>();

    Blocks(MethodNode m, int[] depths) {
        Set<LabelNode> targets = new HashSet<>();
        for (TryCatchBlockNode t : m.tryCatchBlocks) handlers.add(t.handler);
        targets.addAll(handlers);
        for (AbstractInsnNode i : m.instructions) {
            if (i instanceof JumpInsnNode) targets.add(((JumpInsnNode) i).label);
            else if (i instanceof TableSwitchInsnNode) add(targets, ((TableSwitchInsnNode) i).dflt, ((TableSwitchInsnNode) i).labels);
            else if (i instanceof LookupSwitchInsnNode) add(targets, ((LookupSwitchInsnNode) i).dflt, ((LookupSwitchInsnNode) i).labels);
        }
        int n = m.instructions.size();
        length = new int[n];
        line = new int[n];
        loops = new boolean[n];
        Set<LabelNode> seen = new HashSet<>();
        Set<LabelNode> heads = new HashSet<>();
        for (AbstractInsnNode i : m.instructions) {
            if (i instanceof LabelNode) seen.add((LabelNode) i);
            else if (i instanceof JumpInsnNode && seen.contains(((JumpInsnNode) i).label)) heads.add(((JumpInsnNode) i).label);
        }
        isInstruction = new boolean[n];
        int begin = -1;
        int current = 0;
        boolean fresh = true;
        boolean isHead = false;
        for (int k = 0; k < n; k++) {
            AbstractInsnNode i = m.instructions.get(k);
            if (i instanceof LineNumberNode) current = ((LineNumberNode) i).line;
            line[k] = current;
            if (i instanceof LabelNode && targets.contains(i)) fresh = true;
            if (i instanceof LabelNode && heads.contains(i)) isHead = true;
            if (i.getOpcode() < 0) continue;
            loops[k] = isHead;
            isHead = false;
            if (depths[k] < 0) {
                fresh = true;
                continue;
            }
            if (fresh) begin = k;
            isInstruction[k] = true;
            length[begin]++;
            fresh = i instanceof JumpInsnNode || i instanceof TableSwitchInsnNode || i instanceof LookupSwitchInsnNode;
        }
    }

    private static void add(Set<LabelNode> targets, LabelNode other, List<LabelNode> labels) {
        targets.add(other);
        targets.addAll(labels);
    }

    boolean isHandler(LabelNode l) {
        return handlers.contains(l);
    }

    /** Whether a jump leads back to this instruction. */
    boolean isLoop(int k) {
        return loops[k];
    }

    /** Instructions of the block that begins here; 0 if none does. */
    int length(int k) {
        return length[k];
    }

    /** The lines of the block that begins here, with commas between. */
    String lines(int k) {
        StringBuilder all = new StringBuilder();
        int left = length[k];
        for (int i = k, last = 0; left > 0 && i < line.length; i++) {
            if (!isInstruction[i]) continue;
            left--;
            if (line[i] == last || line[i] == 0) continue;
            last = line[i];
            all.append(all.length() == 0 ? "" : ",").append(last);
        }
        return all.toString();
    }

    /** The line of an instruction, 0 if it is not known. */
    int line(int k) {
        return line[k];
    }
}
