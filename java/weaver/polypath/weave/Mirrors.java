package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/**
 * The class `java.lang.Class`, changed so that reflection shows the members which the program's author wrote: what its natives say of a
 * class goes through {@link polypath.Members}.
 */
final class Mirrors {
    private Mirrors() {}

    static final String CLASS = "java/lang/Class";

    /** The changed form of its file. */
    static byte[] replace(byte[] file) {
        ClassReader reader = new ClassReader(file);
        ClassWriter writer = new ClassWriter(0);
        int[] changed = new int[1];
        reader.accept(new ClassVisitor(ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] thrown) {
                return new MethodVisitor(ASM9, super.visitMethod(access, name, desc, signature, thrown)) {
                    @Override
                    public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean isInterface) {
                        super.visitMethodInsn(opcode, owner, name, desc, isInterface);
                        if (!owner.equals(CLASS) || !isNative(name)) return;
                        String all = Type.getReturnType(desc).getDescriptor();
                        super.visitMethodInsn(INVOKESTATIC, "polypath/Members", "seen", "(" + all + ")" + all, false);
                        changed[0]++;
                    }
                };
            }
        }, 0);
        if (changed[0] < 4) throw new IllegalStateException("this JDK's java.lang.Class asks in other ways for the members of classes");
        return writer.toByteArray();
    }

    private static boolean isNative(String name) {
        switch (name) {
            case "getDeclaredFields0":
            case "getDeclaredMethods0":
            case "getDeclaredConstructors0":
            case "getInterfaces0":
                return true;
            default:
                return false;
        }
    }
}
