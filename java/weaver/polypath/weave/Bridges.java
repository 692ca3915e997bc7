package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.tree.*;

/**
 * A woven class can extend a class of the library that is not woven and overrides methods of woven ones: it would inherit the twins of
 * what is overridden. So it gets a twin of its own for each such method, which calls the one that is meant in its original form.
 */
final class Bridges {
    private Bridges() {}

    static List<MethodNode> of(ClassNode c, World world) {
        List<MethodNode> bridges = new ArrayList<>();
        if ((c.access & ACC_INTERFACE) != 0) return bridges;
        Set<String> known = new HashSet<>();
        for (MethodNode m : c.methods) known.add(m.name + m.desc);
        for (String name = c.superName; name != null && world.info(name) == null; ) {
            World.Info above = world.library(name);
            if (above == null) break;
            for (Map.Entry<String, Integer> e : above.methods.entrySet()) {
                int access = e.getValue();
                boolean isOverride = (access & (ACC_STATIC | ACC_PRIVATE | ACC_ABSTRACT)) == 0 && (access & (ACC_PUBLIC | ACC_PROTECTED)) != 0;
                if (!isOverride || e.getKey().startsWith("<") || !known.add(e.getKey())) continue;
                if (hasTwin(above, e.getKey(), world)) bridges.add(bridge(c, e.getKey(), access, world));
            }
            name = above.superName;
        }
        return bridges;
    }

    /** Whether a woven class or interface above this one has a twin of the method. */
    private static boolean hasTwin(World.Info of, String member, World world) {
        List<String> above = new ArrayList<>(List.of(of.interfaces));
        if (of.superName != null) above.add(of.superName);
        for (String name : above) {
            World.Info woven = world.info(name);
            World.Info next = woven == null ? world.library(name) : woven;
            if (woven != null && woven.methods.containsKey(member) && woven.hasTwin(member)) return true;
            if (next != null && hasTwin(next, member, world)) return true;
        }
        return false;
    }

    private static MethodNode bridge(ClassNode c, String member, int access, World world) {
        int parameters = member.indexOf('(');
        int own = access & (ACC_PUBLIC | ACC_PROTECTED);
        MethodNode m = new MethodNode(own, member.substring(0, parameters), member.substring(parameters), null, null);
        return Stubs.forwards(c, m, world);
    }
}
