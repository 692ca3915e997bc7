package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Operations on two numbers. */
final class Arithmetic implements Family {
    private static final String TAIL = "I" + Twins.CTX_DESC + ")I";
    private static final String SITE_TAIL = "II" + Twins.CTX_DESC + ")I";

    @Override
    public int[] opcodes() {
        return Family.all(Family.range(IADD, DREM), Family.range(ISHL, LXOR), Family.range(LCMP, DCMPG));
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        int op = i.getOpcode();
        boolean divides = op == IDIV || op == IREM || op == LDIV || op == LREM;
        char type = type(op);
        int d = b.depth;
        int first;
        if (op == LSHL || op == LSHR || op == LUSHR) {
            first = d - 3;
            both(b, Type.LONG_TYPE, Type.INT_TYPE);
            ids(b, first, d - 1, op);
            b.context();
            b.rt("shift", "(JIII" + TAIL);
        } else {
            first = operands(b, op, type, divides);
        }
        b.setId(first);
        b.check(first, op >= LCMP ? 'I' : type);
    }

    /** Two numbers of this type become one by an operation. */
    static void binary(Body b, int op, char type) {
        int first = operands(b, op, type, false);
        b.setId(first);
        b.check(first, type);
    }

    /** Leaves the id of the result, and gives the word of the first operand. */
    private static int operands(Body b, int op, char type, boolean divides) {
        int d = b.depth;
        int size = type == 'J' || type == 'D' ? 2 : 1;
        int first = d - 2 * size;
        if (size == 1) {
            b.op(DUP2);
        } else {
            Type t = type == 'J' ? Type.LONG_TYPE : Type.DOUBLE_TYPE;
            both(b, t, t);
        }
        ids(b, first, d - size, op);
        if (divides) b.site("divide");
        b.context();
        if (divides && type == 'J') b.rt("divideLongs", "(JJII" + SITE_TAIL);
        else if (divides) b.rt("divide", "(IIII" + SITE_TAIL);
        else if (type == 'I') b.rt("ints", "(IIII" + TAIL);
        else if (type == 'J') b.rt("longs", "(JJII" + TAIL);
        else if (type == 'F') b.rt("floats", "(FFII" + TAIL);
        else b.rt("doubles", "(DDII" + TAIL);
        return first;
    }

    /** `Math.pow(x, y)`: the id of the result, before the call. */
    static void power(Body b) {
        int first = b.depth - 4;
        both(b, Type.DOUBLE_TYPE, Type.DOUBLE_TYPE);
        b.id(first);
        b.id(first + 2);
        b.site("call");
        b.context();
        b.rt("power", "(DDI" + SITE_TAIL);
        b.setId(first);
        b.check(first, 'D');
    }

    /** A function of two doubles of which only the JVM knows the last bit, before the call. */
    static void approximate(int op, Body b) {
        int first = b.depth - 4;
        both(b, Type.DOUBLE_TYPE, Type.DOUBLE_TYPE);
        ids(b, first, first + 2, op);
        b.site("call");
        b.context();
        b.rt("approximate", "(DDII" + SITE_TAIL);
        b.setId(first);
    }

    private static char type(int op) {
        if (op <= DREM) return "IJFD".charAt((op - IADD) & 3);
        if (op <= LXOR) return (op & 1) == 0 ? 'I' : 'J';
        return op == LCMP ? 'J' : op <= FCMPG ? 'F' : 'D';
    }

    private static void ids(Body b, int first, int second, int op) {
        b.id(first);
        b.id(second);
        b.push(op);
    }

    /** Copies two operands of which one is wide. */
    private static void both(Body b, Type first, Type second) {
        int y = b.keep(second, 0);
        int x = b.keep(first, 2);
        for (int k = 0; k < 2; k++) {
            b.add(new VarInsnNode(first.getOpcode(ILOAD), x));
            b.add(new VarInsnNode(second.getOpcode(ILOAD), y));
        }
    }
}
