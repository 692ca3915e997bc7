package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/** Messages of exceptions: before one is read that the JVM made of a number which depends on input, the number's digits get their ids. */
final class Messages {
    private Messages() {}

    private static final String THROWABLE = "java/lang/Throwable";

    /** Around a call of a method that is not woven. */
    static void around(MethodInsnNode m, Body b) {
        if (m.getOpcode() == INVOKESTATIC) return;
        if (m.name.equals("<init>")) made(m, b);
        else if (m.desc.equals("()Ljava/lang/String;") && reads(m, b.world)) {
            b.op(DUP);
            read(b);
        } else if (m.name.equals("printStackTrace") && m.desc.startsWith("(Ljava/io/Print")) {
            int to = b.keep(Type.getArgumentTypes(m.desc)[0], 0);
            b.op(DUP);
            read(b);
            b.add(new VarInsnNode(ALOAD, to));
        }
    }

    private static boolean reads(MethodInsnNode m, World world) {
        if (m.name.equals("toString")) return m.owner.equals("java/lang/Object") || isThrowable(m.owner, world);
        return m.name.equals("getMessage") || m.name.equals("getLocalizedMessage");
    }

    /** Whether a class is one of exceptions, as far as that is known of those that are not woven. */
    private static boolean isThrowable(String name, World world) {
        for (World.Info info = world.info(name); info != null; info = world.info(name)) name = info.superName;
        return name != null && (name.equals(THROWABLE) || name.endsWith("Error") || name.endsWith("Exception"));
    }

    private static void read(Body b) {
        b.context();
        b.rt("message", "(Ljava/lang/Object;" + Twins.CTX_DESC + ")V");
    }

    /** `Throwable(cause)` makes a message of the cause's. */
    private static void made(MethodInsnNode m, Body b) {
        if (!m.owner.equals(THROWABLE) || !m.desc.equals("(L" + THROWABLE + ";)V") || !b.method.name.equals("<init>")) return;
        int cause = b.keep(Type.getObjectType(THROWABLE), 0);
        b.add(new VarInsnNode(ALOAD, cause));
        b.behind(() -> {
            b.add(new VarInsnNode(ALOAD, 0));
            b.add(new VarInsnNode(ALOAD, cause));
            b.context();
            b.rt("wrapped", "(L" + THROWABLE + ";L" + THROWABLE + ";" + Twins.CTX_DESC + ")V");
        });
        b.needs(4);
    }
}
