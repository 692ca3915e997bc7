package polypath.driver;

import java.lang.reflect.Executable;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Parameters that are objects and that a method's code never reads: nothing depends on what they are, so that they need be no input. */
final class UnreadParameters {
    private UnreadParameters() {}

    /** For each parameter, whether it is one. */
    static boolean[] of(Executable m) {
        Class<?>[] types = m.getParameterTypes();
        boolean[] read = new boolean[types.length];
        boolean[] hasCode = {false};
        int[] locals = MethodFile.locals(m);
        MethodFile.walk(m, new MethodVisitor(Opcodes.ASM9) {
            @Override
            public void visitCode() {
                hasCode[0] = true;
            }

            @Override
            public void visitVarInsn(int opcode, int variable) {
                // (That another variable has its place later on does not matter: it counts as read.)
                if (opcode == Opcodes.ALOAD) for (int k = 0; k < locals.length; k++) read[k] |= locals[k] == variable;
            }
        });
        boolean[] unread = new boolean[types.length];
        for (int k = 0; k < types.length; k++) unread[k] = hasCode[0] && !types[k].isPrimitive() && !read[k];
        return unread;
    }
}
