package polypath.weave;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/** How many words the operand stack has before each instruction of a method; -1 where no way leads. */
final class Depths {
    private Depths() {}

    static int[] of(MethodNode m) {
        InsnList list = m.instructions;
        int[] depth = new int[list.size()];
        Arrays.fill(depth, -1);
        ArrayDeque<Integer> open = new ArrayDeque<>();
        reach(0, 0, depth, open);
        for (TryCatchBlockNode t : m.tryCatchBlocks) reach(list.indexOf(t.handler), 1, depth, open);
        while (!open.isEmpty()) {
            int at = open.pop();
            AbstractInsnNode i = list.get(at);
            int after = depth[at] + delta(i);
            int op = i.getOpcode();
            if (i instanceof JumpInsnNode) {
                reach(list.indexOf(((JumpInsnNode) i).label), after, depth, open);
                if (op == Opcodes.GOTO) continue;
            } else if (i instanceof TableSwitchInsnNode) {
                TableSwitchInsnNode s = (TableSwitchInsnNode) i;
                targets(s.dflt, s.labels, after, list, depth, open);
                continue;
            } else if (i instanceof LookupSwitchInsnNode) {
                LookupSwitchInsnNode s = (LookupSwitchInsnNode) i;
                targets(s.dflt, s.labels, after, list, depth, open);
                continue;
            } else if (op >= Opcodes.IRETURN && op <= Opcodes.RETURN || op == Opcodes.ATHROW) {
                continue;
            }
            if (at + 1 < depth.length) reach(at + 1, after, depth, open);
        }
        return depth;
    }

    private static void targets(LabelNode other, List<LabelNode> labels, int after, InsnList list, int[] depth,
            ArrayDeque<Integer> open) {
        reach(list.indexOf(other), after, depth, open);
        for (LabelNode l : labels) reach(list.indexOf(l), after, depth, open);
    }

    private static void reach(int at, int words, int[] depth, ArrayDeque<Integer> open) {
        if (depth[at] >= 0) return;
        depth[at] = words;
        open.push(at);
    }

    /** By opcode, how many words are more on the stack afterwards, from 'F' for none; '?' depends on operands. */
    private static final String DELTA =
            "F" + "GGGGGGGG" + "HH" + "GGG" + "HH" + "GG" + "?" + "FF" // 0-20: constants; 19, 20 are LDC_W
            + "GHGHG" + "FFFFFFFFFFFFFFFFFFFF" // 21-45: loads
            + "EFEFEEEE" // 46-53: loads of elements
            + "EDEDE" + "FFFFFFFFFFFFFFFFFFFF" // 54-78: stores
            + "CBCBCCCC" // 79-86: stores of elements
            + "EDGGGHHHF" // 87-95
            + "EDED" + "EDED" + "EDED" + "EDED" + "EDED" // 96-115: + - * / %
            + "FFFF" + "EEEEEE" + "EDEDED" + "F" // 116-132: negation, shifts, logic, iinc
            + "GFGEEFFGGEFE" + "FFF" // 133-147: conversions
            + "CEECC" // 148-152: comparisons
            + "EEEEEE" + "DDDDDDDD" // 153-166
            + "FGF" + "EE" + "EDEDEF" // 167-177
            + "?????????" + "G" + "FFF" + "E" + "FF" + "EE" + "F" + "?" + "EE" + "FG"; // 178-201

    static int delta(AbstractInsnNode i) {
        int op = i.getOpcode();
        if (op < 0) return 0;
        char c = DELTA.charAt(op);
        if (c != '?') return c - 'F';
        switch (op) {
            case Opcodes.LDC:
                return size(((LdcInsnNode) i).cst);
            case Opcodes.GETSTATIC:
                return Type.getType(((FieldInsnNode) i).desc).getSize();
            case Opcodes.PUTSTATIC:
                return -Type.getType(((FieldInsnNode) i).desc).getSize();
            case Opcodes.GETFIELD:
                return Type.getType(((FieldInsnNode) i).desc).getSize() - 1;
            case Opcodes.PUTFIELD:
                return -Type.getType(((FieldInsnNode) i).desc).getSize() - 1;
            case Opcodes.INVOKEDYNAMIC:
                return call(((InvokeDynamicInsnNode) i).desc) + 1;
            case Opcodes.INVOKESTATIC:
                return call(((MethodInsnNode) i).desc) + 1;
            case Opcodes.MULTIANEWARRAY:
                return 1 - ((MultiANewArrayInsnNode) i).dims;
            default:
                return call(((MethodInsnNode) i).desc);
        }
    }

    /** With the receiver. */
    private static int call(String desc) {
        int sizes = Type.getArgumentsAndReturnSizes(desc);
        return (sizes & 3) - (sizes >> 2);
    }

    static int size(Object constant) {
        if (constant instanceof Long || constant instanceof Double) return 2;
        return constant instanceof ConstantDynamic ? ((ConstantDynamic) constant).getSize() : 1;
    }
}
