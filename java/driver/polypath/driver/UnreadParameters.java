package polypath.driver;

import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Parameters that are objects and that a method's code never reads: nothing depends on what they are, so that they need be no input. */
final class UnreadParameters {
    private UnreadParameters() {}

    /** For each parameter, whether it is one. */
    static boolean[] of(Executable m) {
        Class<?>[] types = m.getParameterTypes();
        boolean[] unread = new boolean[types.length];
        ClassLoader loader = m.getDeclaringClass().getClassLoader();
        boolean hasCode = !Modifier.isAbstract(m.getModifiers()) && !Modifier.isNative(m.getModifiers());
        byte[] file = hasCode && loader instanceof AppLoader ? ((AppLoader) loader).file(m.getDeclaringClass()) : null;
        if (file == null) return unread;
        int[] locals = ParameterNames.locals(m);
        for (int k = 0; k < types.length; k++) unread[k] = !types[k].isPrimitive();
        String name = ParameterNames.name(m);
        String descriptor = ParameterNames.descriptor(m);
        new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String n, String d, String signature, String[] exceptions) {
                if (!n.equals(name) || !d.equals(descriptor)) return null;
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitVarInsn(int opcode, int variable) {
                        // (That another variable has its place later on does not matter: it counts as read.)
                        if (opcode == Opcodes.ALOAD) for (int k = 0; k < locals.length; k++) unread[k] &= locals[k] != variable;
                    }
                };
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return unread;
    }
}
