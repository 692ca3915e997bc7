package polypath.weave;

import org.objectweb.asm.Type;

/**
 * The woven form of a method: the same name, and behind its parameters an int for each primitive one (the id of its
 * value) and the context. Who calls a method in its original form comes to a stub that passes ids of 0, so code that is
 * not woven can hand on no stale id. The id of a primitive result is in the context.
 */
final class Twins {
    private Twins() {}

    static final String CTX = "polypath/Ctx";
    static final String CTX_DESC = "Lpolypath/Ctx;";
    private static final int MOST_WORDS = 255;

    static boolean isPrimitive(Type t) {
        return t.getSort() < Type.ARRAY && t.getSort() != Type.VOID;
    }

    static int ids(String desc) {
        int n = 0;
        for (Type t : Type.getArgumentTypes(desc)) if (isPrimitive(t)) n++;
        return n;
    }

    static String desc(String desc) {
        int end = desc.indexOf(')');
        return desc.substring(0, end) + "I".repeat(ids(desc)) + CTX_DESC + desc.substring(end);
    }

    /** Whether a method of this type has a twin. */
    static boolean has(String name, String desc) {
        return !name.equals("<clinit>") && (Type.getArgumentsAndReturnSizes(desc) >> 2) + ids(desc) + 1 <= MOST_WORDS;
    }
}
