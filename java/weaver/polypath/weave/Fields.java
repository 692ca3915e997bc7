package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Fields of primitives have a shadow field; those of the library have none. */
final class Fields implements Family {
    /** What the shadow of a field is called. */
    static String shadow(String name) {
        return name + "$polypath";
    }

    @Override
    public int[] opcodes() {
        return Family.range(GETSTATIC, PUTFIELD);
    }

    @Override
    public void weaveBare(AbstractInsnNode i, Body b) {
        weave(i, b);
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        FieldInsnNode f = (FieldInsnNode) i;
        Type type = Type.getType(f.desc);
        int op = i.getOpcode();
        boolean isStatic = op == GETSTATIC || op == PUTSTATIC;
        int d = b.depth;
        // (Of strings that are kept in different ways `equals` says that they differ without another look.)
        if (op == GETFIELD && f.owner.equals("java/lang/String") && (f.name.equals("value") || f.name.equals("coder"))) {
            b.op(DUP);
            b.context();
            b.rt("look", "(Ljava/lang/String;" + Twins.CTX_DESC + ")V");
            b.needs(2);
        }
        if (!Twins.isPrimitive(type)) {
            if (Calls.mayBeArray(type) && b.world.info(f.owner) == null) escape(op, b);
            return;
        }
        if (!isStatic && Boxes.isOwner(f.owner, f.name)) {
            ofBox(f, op, type, b);
            return;
        }
        boolean shadowed = b.world.hasShadow(f.owner, f.name, f.desc);
        if (op == GETSTATIC || op == GETFIELD) {
            int word = isStatic ? d : d - 1;
            if (!shadowed) {
                b.clearId(word);
                return;
            }
            if (!isStatic) b.op(DUP);
            b.add(new FieldInsnNode(op, f.owner, shadow(f.name), "I"));
            b.setId(word);
            b.check(word, "BCSZ".indexOf(f.desc) >= 0 ? 'I' : f.desc.charAt(0));
            return;
        }
        int word = d - type.getSize();
        if (!shadowed) {
            b.id(word);
            b.push(Calls.LOST_FIELD);
            b.site("field");
            b.context();
            b.rt("lost", "(III" + Twins.CTX_DESC + ")V");
            return;
        }
        int value = isStatic ? 0 : b.keep(type, 0);
        if (!isStatic) b.op(DUP);
        b.id(word);
        if ("BCSZ".indexOf(f.desc) >= 0) {
            b.push(f.desc.charAt(0));
            b.context();
            b.rt("narrow", "(II" + Twins.CTX_DESC + ")I");
        }
        b.add(new FieldInsnNode(op, f.owner, shadow(f.name), "I"));
        if (!isStatic) b.add(new VarInsnNode(type.getOpcode(ILOAD), value));
    }

    /** The value in a box whose ids are kept by object. */
    private static void ofBox(FieldInsnNode f, int op, Type type, Body b) {
        int word = b.depth - 1;
        if (op == GETFIELD) {
            b.op(DUP);
            b.context();
            b.rt("unbox", "(Ljava/lang/Object;" + Twins.CTX_DESC + ")I");
            b.setId(word);
            b.check(word, 'I');
            return;
        }
        int value = b.keep(type, 0);
        b.op(DUP);
        b.id(word);
        b.push(f.desc.charAt(0));
        b.context();
        b.rt("box", "(Ljava/lang/Object;II" + Twins.CTX_DESC + ")V");
        b.add(new VarInsnNode(type.getOpcode(ILOAD), value));
    }

    /** An array in a field of the library is seen by it. */
    private static void escape(int op, Body b) {
        boolean isRead = op == GETSTATIC || op == GETFIELD;
        if (isRead) b.behind();
        b.op(DUP);
        Calls.escape(b);
    }
}
