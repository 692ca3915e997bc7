package polypath.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** One method or constructor as the program's class file has it, which is not how it was loaded. */
final class MethodFile {
    private MethodFile() {}

    /** Shows it to the visitor, with its debug information; nothing, if its class is not the program's. */
    static void walk(Executable m, MethodVisitor visitor) {
        ClassLoader loader = m.getDeclaringClass().getClassLoader();
        byte[] file = loader instanceof AppLoader ? ((AppLoader) loader).file(m.getDeclaringClass()) : null;
        if (file != null) walk(file, name(m), descriptor(m), visitor);
    }

    private static void walk(byte[] file, String name, String descriptor, MethodVisitor visitor) {
        new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String n, String d, String signature, String[] exceptions) {
                return n.equals(name) && d.equals(descriptor) ? visitor : null;
            }
        }, ClassReader.SKIP_FRAMES);
    }

    /** Name and descriptor in one, by which class files know it. */
    static String key(Executable m) {
        return name(m) + descriptor(m);
    }

    private static String name(Executable m) {
        return m instanceof Method ? m.getName() : "<init>";
    }

    private static String descriptor(Executable m) {
        return m instanceof Method ? Type.getMethodDescriptor((Method) m) : Type.getConstructorDescriptor((Constructor<?>) m);
    }

    /** The local variable that each parameter is. */
    static int[] locals(Executable m) {
        Class<?>[] types = m.getParameterTypes();
        int[] locals = new int[types.length];
        int local = Modifier.isStatic(m.getModifiers()) ? 0 : 1;
        for (int k = 0; k < types.length; k++) {
            locals[k] = local;
            local += types[k] == long.class || types[k] == double.class ? 2 : 1;
        }
        return locals;
    }
}
