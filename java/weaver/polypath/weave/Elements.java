package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Reads and writes of elements of arrays, whose ids are in a side table. */
final class Elements implements Family {
    private static final String TYPES = "IJFDABCS";

    @Override
    public int[] opcodes() {
        return Family.all(Family.range(IALOAD, SALOAD), Family.range(IASTORE, SASTORE));
    }

    /** An element that is read loses its id, one that is written has none. */
    @Override
    public void weaveBare(AbstractInsnNode i, Body b) {
        int op = i.getOpcode();
        char type = TYPES.charAt(op <= SALOAD ? op - IALOAD : op - IASTORE);
        if (type == 'A') {
            int written = op == AALOAD ? -1 : b.keep(stored(type), 0);
            b.op(DUP2);
            b.op(POP);
            b.context();
            b.rt("settle", "(Ljava/lang/Object;" + Twins.CTX_DESC + ")V");
            b.needs(3);
            if (written >= 0) b.add(new VarInsnNode(ALOAD, written));
            return;
        }
        if (op <= SALOAD) {
            b.op(DUP2);
            b.bareSite();
            b.context();
            b.rt("bareLoad", "(Ljava/lang/Object;II" + Twins.CTX_DESC + ")V");
            return;
        }
        Type t = stored(type);
        int v = b.keep(t, 0);
        b.op(DUP2);
        b.add(new VarInsnNode(t.getOpcode(ILOAD), v));
        b.context();
        b.rt("bareStore", "(Ljava/lang/Object;I" + t.getDescriptor() + Twins.CTX_DESC + ")V");
        b.add(new VarInsnNode(t.getOpcode(ILOAD), v));
    }

    /** The type of the value that is stored. */
    private static Type stored(char type) {
        if (type == 'A') return Type.getObjectType("java/lang/Object");
        return "BCS".indexOf(type) >= 0 ? Type.INT_TYPE : Type.getType(String.valueOf(type));
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        int op = i.getOpcode();
        int d = b.depth;
        if (op <= SALOAD) {
            char type = TYPES.charAt(op - IALOAD);
            b.op(DUP2);
            b.id(d - 1);
            b.site("element");
            b.context();
            if (type == 'A') {
                b.rt("index", "(Ljava/lang/Object;III" + Twins.CTX_DESC + ")V");
                return;
            }
            b.rt("load", "(Ljava/lang/Object;III" + Twins.CTX_DESC + ")I");
            b.setId(d - 2);
            b.check(d - 2, "BCS".indexOf(type) >= 0 ? 'I' : type);
            return;
        }
        char type = TYPES.charAt(op - IASTORE);
        Type t = stored(type);
        int index = d - t.getSize() - 1;
        if (type == 'A') {
            int v = b.keep(t, 0);
            b.op(DUP2);
            b.id(index);
            b.site("element");
            b.context();
            b.rt("index", "(Ljava/lang/Object;III" + Twins.CTX_DESC + ")V");
            b.add(new VarInsnNode(ALOAD, v));
            return;
        }
        int v = b.keep(t, 0);
        b.op(DUP2);
        b.add(new VarInsnNode(t.getOpcode(ILOAD), v));
        if (type == 'F') bits(b, "java/lang/Float", "floatToRawIntBits", "(F)I");
        if (type == 'D') bits(b, "java/lang/Double", "doubleToRawLongBits", "(D)J");
        if (type != 'J' && type != 'D') b.add(new InsnNode(I2L));
        b.id(index);
        b.id(index + 1);
        b.site("element");
        b.context();
        b.rt("store", "(Ljava/lang/Object;IJIII" + Twins.CTX_DESC + ")V");
        b.add(new VarInsnNode(t.getOpcode(ILOAD), v));
    }

    private static void bits(Body b, String owner, String name, String desc) {
        b.add(new MethodInsnNode(INVOKESTATIC, owner, name, desc, false));
    }
}
