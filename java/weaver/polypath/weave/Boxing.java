package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/** Conversions between the types of a call and those of the method that does it: casts, boxes, wider numbers. */
final class Boxing {
    private Boxing() {}

    private static final String[] BOXES = {null, "Boolean", "Character", "Byte", "Short", "Integer", "Float", "Long", "Double"};

    /** The value on the top of the stack gets another type. */
    static void convert(InsnList code, Type from, Type to) {
        if (from.equals(to)) return;
        if (to.getSort() == Type.VOID) {
            code.add(new InsnNode(from.getSize() == 2 ? POP2 : POP));
        } else if (!Twins.isPrimitive(from)) {
            if (Twins.isPrimitive(to)) unbox(code, from, to);
            else cast(code, to.getInternalName());
        } else if (Twins.isPrimitive(to)) {
            widen(code, from, to);
        } else {
            box(code, from);
        }
    }

    private static void cast(InsnList code, String name) {
        if (!name.equals("java/lang/Object")) code.add(new TypeInsnNode(CHECKCAST, name));
    }

    /** The class of the box of a primitive. */
    static String box(Type primitive) {
        return "java/lang/" + BOXES[primitive.getSort()];
    }

    /** Puts a primitive into its box. */
    static void box(InsnList code, Type from) {
        String box = box(from);
        code.add(new MethodInsnNode(INVOKESTATIC, box, "valueOf", "(" + from.getDescriptor() + ")L" + box + ";", false));
    }

    /** The box that is unboxed is the reference's own type if that is one, else the box of the primitive. */
    private static void unbox(InsnList code, Type from, Type to) {
        Type inside = to;
        for (int sort = Type.BOOLEAN; sort <= Type.DOUBLE; sort++) {
            if (from.getInternalName().equals("java/lang/" + BOXES[sort])) inside = primitive(sort);
        }
        if (from.getInternalName().equals("java/lang/Number")) {
            call(code, "java/lang/Number", to);
            return;
        }
        cast(code, box(inside));
        call(code, box(inside), inside);
        widen(code, inside, to);
    }

    private static void call(InsnList code, String owner, Type to) {
        code.add(new MethodInsnNode(INVOKEVIRTUAL, owner, to.getClassName() + "Value", "()" + to.getDescriptor(), false));
    }

    private static Type primitive(int sort) {
        return Type.getType(String.valueOf("VZCBSIFJD".charAt(sort)));
    }

    private static void widen(InsnList code, Type from, Type to) {
        int at = "IJFD".indexOf(to.getDescriptor());
        int own = Math.max(0, "IJFD".indexOf(from.getDescriptor()));
        // Narrower types are ints on the stack.
        if (at > own) code.add(new InsnNode(new int[][] {{0, I2L, I2F, I2D}, {0, 0, L2F, L2D}, {0, 0, 0, F2D}}[own][at]));
    }
}
