package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.MethodInsnNode;

/**
 * Calls of code that is not woven, in which a thread can wait for others. Whoever comes back from one asks whether it still has the baton
 * ({@link polypath.Threads}). Locks are seen by {@link Body}.
 */
final class Waits {
    private Waits() {}

    /** Classes whose methods wait for nobody, but for `wait`. */
    private static final String[] NEVER = {
        "java/lang/Object", "java/lang/Class", "java/lang/Math", "java/lang/StrictMath", "java/lang/System", "java/lang/Float",
        "java/lang/Double", "java/lang/Throwable", "java/lang/ThreadLocal", "java/lang/Enum", "java/lang/ref/", "java/lang/reflect/Array",
        "jdk/internal/misc/", "java/util/concurrent/atomic/", "polypath/",
    };

    /** Behind the call. */
    static void after(MethodInsnNode m, Body b) {
        boolean yields = m.owner.equals("java/lang/Thread") && (m.name.equals("yield") || m.name.equals("onSpinWait"));
        if (yields) b.behind(() -> {
            b.context();
            b.rt("pass", "(" + Twins.CTX_DESC + ")V");
        });
        else if (canWait(m)) b.behind(b::back);
    }

    private static boolean canWait(MethodInsnNode m) {
        if (m.name.equals("wait")) return true;
        if (m.getOpcode() == INVOKESPECIAL && m.name.equals("<init>")) return false;
        for (String never : NEVER) if (m.owner.startsWith(never)) return false;
        return true;
    }
}
