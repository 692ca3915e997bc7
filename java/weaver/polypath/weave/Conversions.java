package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.AbstractInsnNode;

/** Negation, and conversions between types. */
final class Conversions implements Family {
    private static final String FROM = "IJFD" + "IIIJJJFFFDDDIII";
    private static final String TO = "IJFD" + "JFDIFDIJDIJFBCS";

    @Override
    public int[] opcodes() {
        return Family.all(Family.range(INEG, DNEG), Family.range(I2L, I2S));
    }

    @Override
    public void weave(AbstractInsnNode i, Body b) {
        int op = i.getOpcode();
        int at = op <= DNEG ? op - INEG : 4 + op - I2L;
        char from = FROM.charAt(at);
        char to = TO.charAt(at);
        unary(b, op, from, "BCS".indexOf(to) >= 0 ? 'I' : to);
    }

    /** The value on the top of the stack, of type `from`, becomes one of type `to` by an operation. */
    static void unary(Body b, int op, char from, char to) {
        int word = b.depth - (from == 'J' || from == 'D' ? 2 : 1);
        b.id(word);
        b.push(op);
        b.context();
        b.rt("unary", "(II" + Twins.CTX_DESC + ")I");
        b.setId(word);
        b.check(word, to);
    }
}
