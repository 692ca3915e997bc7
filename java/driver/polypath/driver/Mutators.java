package polypath.driver;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import polypath.RT;

/**
 * Calls that change an object after it was made: methods that a caller of the entry point may use, that return nothing or the object, and that
 * write fields or are named like those that do. The method under test is none of them: replay knows its call by the class
 * that makes it.
 */
final class Mutators {
    /** Calls of one object, at most. */
    static final int CALLS = 2;
    /** Methods of one class that are called, at most. */
    private static final int METHODS = 4;
    /** How names begin of methods that change what a field leads to. */
    private static final String[] NAMES = {"set", "add", "put", "append"};

    private final Makers makers;
    private final String entry;
    /** By class: the methods with their types that write fields of their own object. */
    private final Map<String, Set<String>> writers = new HashMap<>();
    private final Map<String, List<Method>> known = new HashMap<>();
    private ClassLoader loaded;
    /** Names that the run's source has given to objects. */
    private int objects;

    /** `entry`: the name of the method under test. */
    Mutators(Makers makers, String entry) {
        this.makers = makers;
        this.entry = entry;
    }

    /** The call of another run. */
    void begin() {
        objects = 0;
    }

    /** By class, whatever its loader: how many there are. */
    private final Map<String, Integer> counts = new HashMap<>();

    /** How many there are of a class of the program. */
    int count(Class<?> t) {
        Integer known = counts.get(t.getName());
        if (known == null) counts.put(t.getName(), known = of(t).size());
        return known;
    }

    /** Those of a class of the program, those that are named like it first. */
    List<Method> of(Class<?> t) {
        boolean paused = RT.pause();
        try {
            if (loaded != t.getClassLoader()) known.clear();
            loaded = t.getClassLoader();
            List<Method> all = known.get(t.getName());
            if (all == null) known.put(t.getName(), all = find(t));
            return all;
        } finally {
            RT.resume(paused);
        }
    }

    private List<Method> find(Class<?> t) {
        List<Method> all = new ArrayList<>();
        Set<String> overridden = new HashSet<>();
        for (Class<?> k = t; k != null && k.getClassLoader() instanceof AppLoader; k = k.getSuperclass()) {
            Set<String> writes = writers.computeIfAbsent(k.getName(), name -> new HashSet<>());
            if (writes.isEmpty()) scan((AppLoader) k.getClassLoader(), k, writes);
            for (Method m : k.getDeclaredMethods()) {
                if (!overridden.add(m.getName() + Type.getMethodDescriptor(m))) continue;
                int not = Modifier.STATIC | Modifier.ABSTRACT | Modifier.NATIVE | Modifier.PRIVATE;
                boolean isCall = (m.getModifiers() & not) == 0 && !m.isSynthetic() && makers.canUse(k, m.getModifiers());
                boolean returns = m.getReturnType() == void.class || m.getReturnType().isAssignableFrom(t) && m.getReturnType() != Object.class;
                boolean changes = isNamed(m) || writes.contains(m.getName() + Type.getMethodDescriptor(m));
                if (isCall && returns && changes && !m.getName().equals(entry) && makers.canMakeAll(m, 0, 0)) all.add(m);
            }
        }
        all.sort((a, b) -> {
            if (isNamed(a) != isNamed(b)) return isNamed(a) ? -1 : 1;
            int more = a.getParameterCount() - b.getParameterCount();
            return more != 0 ? more : a.toString().compareTo(b.toString());
        });
        return all.size() > METHODS ? new ArrayList<>(all.subList(0, METHODS)) : all;
    }

    private static boolean isNamed(Method m) {
        for (String name : NAMES) if (m.getName().startsWith(name) && m.getParameterCount() > 0) return true;
        return false;
    }

    private static void scan(AppLoader loader, Class<?> c, Set<String> writes) {
        // Whatever it finds, it has looked.
        writes.add("");
        byte[] file = loader.file(c);
        if (file == null) return;
        new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String method, String descriptor, String generic, String[] thrown) {
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitFieldInsn(int opcode, String owner, String name, String type) {
                        if (opcode == Opcodes.PUTFIELD && owner.equals(c.getName().replace('.', '/'))) writes.add(method + descriptor);
                    }
                };
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    /** The source of an object that is changed by calls: an expression, as others are. */
    String source(String type, String made, List<String> calls) {
        String name = "o" + objects++;
        StringBuilder text = new StringBuilder("((java.util.concurrent.Callable<" + type + ">) () -> { ");
        text.append(type).append(' ').append(name).append(" = ").append(made).append("; ");
        for (String call : calls) text.append(name).append('.').append(call).append("; ");
        return text.append("return ").append(name).append("; }).call()").toString();
    }
}
