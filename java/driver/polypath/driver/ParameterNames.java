package polypath.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.MalformedParametersException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashSet;
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
        try {
            for (int k = 0; k < types.length; k++) if (m.getParameters()[k].isNamePresent()) names[k] = m.getParameters()[k].getName();
        } catch (MalformedParametersException e) {
            // What the class file says of its parameters cannot be: they have no names.
            return new String[types.length];
        }
        boolean isMissing = types.length > 0 && names[0] == null;
        ClassLoader loader = m.getDeclaringClass().getClassLoader();
        if (isMissing && loader instanceof AppLoader) {
            byte[] file = ((AppLoader) loader).file(m.getDeclaringClass());
            if (file != null) debugNames(file, m, names);
        }
        // Whoever made the class file may have written anything: a name is a plain one of Java that no other parameter has.
        Set<String> seen = new HashSet<>();
        for (int k = 0; k < names.length; k++) if (names[k] != null && !(isPlain(names[k]) && seen.add(names[k]))) names[k] = null;
        return names;
    }

    private static boolean isPlain(String name) {
        return !name.isEmpty() && name.indexOf('$') < 0 && Character.isJavaIdentifierStart(name.charAt(0)) && name.chars().skip(1).allMatch(Character::isJavaIdentifierPart);
    }

    /** The same for an object's part: no name is one that the driver gives itself. */
    static String[] inside(Executable m) {
        String[] names = of(m);
        for (int k = 0; k < names.length; k++) if (names[k] == null || OURS.contains(names[k]) || names[k].matches("(call|more)\\d*")) names[k] = String.valueOf(k);
        return names;
    }

    /** Its name in class files. */
    static String name(Executable m) {
        return m instanceof Method ? m.getName() : "<init>";
    }

    static String descriptor(Executable m) {
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

    private static void debugNames(byte[] file, Executable m, String[] names) {
        String name = name(m);
        String descriptor = descriptor(m);
        int[] locals = locals(m);
        new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String n, String d, String signature, String[] exceptions) {
                if (!n.equals(name) || !d.equals(descriptor)) return null;
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitLocalVariable(String variable, String type, String generic, Label start, Label end, int index) {
                        // A later variable may have the place of one that is not needed any more.
                        for (int k = 0; k < locals.length; k++) if (locals[k] == index && names[k] == null) names[k] = variable;
                    }
                };
            }
        }, ClassReader.SKIP_FRAMES);
    }
}
