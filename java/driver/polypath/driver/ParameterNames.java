package polypath.driver;

import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** The names of parameters, as far as the class file has them: those that the compiler kept (javac's -parameters), else those of debug information (-g). */
final class ParameterNames {
    private ParameterNames() {}

    /** Ends of names that the driver gives to choices of its own: `this.length` is how long an array is. */
    private static final Set<String> OURS = Set.of("builder", "bytes", "class", "constructor", "empty", "exists", "hidden", "length", "null", "raw", "size", "stub", "value");

    /** A name for each parameter; null where the class file has none. */
    static String[] of(Executable m) {
        Class<?>[] types = m.getParameterTypes();
        String[] names = new String[types.length];
        for (int k = 0; k < types.length; k++) if (m.getParameters()[k].isNamePresent()) names[k] = m.getParameters()[k].getName();
        boolean isMissing = types.length > 0 && names[0] == null;
        ClassLoader loader = m.getDeclaringClass().getClassLoader();
        if (isMissing && loader instanceof AppLoader) {
            byte[] file = ((AppLoader) loader).file(m.getDeclaringClass());
            if (file != null) debugNames(file, m, names);
        }
        return names;
    }

    /** The same for an object's part: no name is one that the driver gives itself. */
    static String[] inside(Executable m) {
        String[] names = of(m);
        for (int k = 0; k < names.length; k++) if (names[k] == null || OURS.contains(names[k]) || names[k].matches("(call|more)\\d*")) names[k] = String.valueOf(k);
        return names;
    }

    private static void debugNames(byte[] file, Executable m, String[] names) {
        boolean isMethod = m instanceof java.lang.reflect.Method;
        String name = isMethod ? m.getName() : "<init>";
        String descriptor = isMethod ? Type.getMethodDescriptor((java.lang.reflect.Method) m) : Type.getConstructorDescriptor((java.lang.reflect.Constructor<?>) m);
        // By the local variable that a parameter is.
        int[] parameters = new int[256 + 1];
        int local = Modifier.isStatic(m.getModifiers()) ? 0 : 1;
        Class<?>[] types = m.getParameterTypes();
        for (int k = 0; k < types.length; k++) {
            parameters[local] = k + 1;
            local += types[k] == long.class || types[k] == double.class ? 2 : 1;
        }
        new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String n, String d, String signature, String[] exceptions) {
                if (!n.equals(name) || !d.equals(descriptor)) return null;
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitLocalVariable(String variable, String type, String generic, Label start, Label end, int index) {
                        int parameter = index < parameters.length ? parameters[index] : 0;
                        // A later variable may have the place of one that is not needed any more.
                        if (parameter != 0 && names[parameter - 1] == null && variable.indexOf('$') < 0) names[parameter - 1] = variable;
                    }
                };
            }
        }, ClassReader.SKIP_FRAMES);
    }
}
