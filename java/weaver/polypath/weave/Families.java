package polypath.weave;

import org.objectweb.asm.Opcodes;

/** The registry of families: each opcode is in exactly one. */
final class Families {
    private Families() {}

    private static final Family[] ALL = {
        new Constants(),
        new Locals(),
        new StackMoves(),
        new Arithmetic(),
        new Conversions(),
        new Branches(),
        new Returns(),
        new Fields(),
        new Elements(),
        new NewArrays(),
        new Calls(),
        new Dynamic(),
        new Throws(),
        new References(),
    };

    private static final Family[] BY_OPCODE = new Family[202];

    static {
        for (Family f : ALL) {
            for (int op : f.opcodes()) {
                if (BY_OPCODE[op] != null) throw new AssertionError("opcode " + op + " is in two families");
                BY_OPCODE[op] = f;
            }
        }
        for (int op = 0; op < BY_OPCODE.length; op++) {
            boolean folded = op > 18 && op < 21 || op > 25 && op < 46 || op > 58 && op < 79 || op == 196 || op > 199;
            boolean old = op == Opcodes.JSR || op == Opcodes.RET;
            if (BY_OPCODE[op] == null && !folded && !old) throw new AssertionError("opcode " + op + " is in no family");
        }
    }

    static Family of(int opcode) {
        return BY_OPCODE[opcode];
    }
}
