package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;

/**
 * Conditional jumps and switches. References depend on no input: which one there is was decided before. Boxes are the
 * exception ({@link Boxes}).
 */
final class Branches implements Family {
    @Override
    public int[] opcodes() {
        return Family.all(Family.range(IFEQ, GOTO), new int[] {TABLESWITCH, LOOKUPSWITCH, IFNULL, IFNONNULL});
    }

    @Override
    public void weaveBare(AbstractInsnNode i, Body b) {
        if (i.getOpcode() == IF_ACMPEQ || i.getOpcode() == IF_ACMPNE) Boxes.compare((JumpInsnNode) i, b);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        int op = i.getOpcode();
        int d = b.depth;
        if (op <= IFLE) {
            b.op(DUP);
            b.id(d - 1);
            b.push(op);
            b.site("branch");
            b.context();
            b.rt("test", "(IIII" + Twins.CTX_DESC + ")V");
        } else if (op <= IF_ICMPLE) {
            b.op(DUP2);
            b.id(d - 2);
            b.id(d - 1);
            b.push(op);
            b.site("branch");
            b.context();
            b.rt("compare", "(IIIIII" + Twins.CTX_DESC + ")V");
        } else if (op == IF_ACMPEQ || op == IF_ACMPNE) {
            Boxes.compare((JumpInsnNode) i, b);
        } else if (op == TABLESWITCH || op == LOOKUPSWITCH) {
            b.op(DUP);
            b.id(d - 1);
            b.site("switch " + keys(i));
            b.context();
            b.rt("choose", "(III" + Twins.CTX_DESC + ")V");
        }
    }

    private static String keys(AbstractInsnNode i) {
        if (i instanceof LookupSwitchInsnNode) {
            return ((LookupSwitchInsnNode) i).keys.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        TableSwitchInsnNode t = (TableSwitchInsnNode) i;
        // Keys that lead to the default are no keys.
        return IntStream.rangeClosed(t.min, t.max).filter(k -> t.labels.get(k - t.min) != t.dflt)
                .mapToObj(String::valueOf).collect(Collectors.joining(","));
    }
}
