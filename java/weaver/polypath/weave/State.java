package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.Set;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;

/**
 * Whether a run can leave something behind in the statics of a class. If no class of a program can be changed so, all runs
 * share the loaded classes; otherwise each run loads them anew.
 */
final class State {
    private State() {}

    /** `tables`: the fields that are tables of constants ({@link Tables}). */
    static boolean has(ClassNode c, Set<String> tables) {
        boolean isEnum = (c.access & ACC_ENUM) != 0;
        for (FieldNode f : c.fields) {
            boolean isStatic = (f.access & ACC_STATIC) != 0;
            boolean isFinal = (f.access & ACC_FINAL) != 0;
            if (isStatic ? !isFinal || !isFixed(c, f) && !tables.contains(f.name) : isEnum && !(isFinal && isValue(f))) return true;
        }
        return false;
    }

    /** Numbers, strings, and what the compiler adds: constants of an enum, and tables of switches that nobody writes. */
    private static boolean isFixed(ClassNode c, FieldNode f) {
        boolean synthetic = (f.access & ACC_SYNTHETIC) != 0;
        return isValue(f) || f.desc.equals("L" + c.name + ";") && (f.access & ACC_ENUM) != 0
                || synthetic && (f.name.equals("$VALUES") || f.name.startsWith("$SwitchMap$"));
    }

    static boolean isValue(FieldNode f) {
        return Twins.isPrimitive(Type.getType(f.desc)) || f.desc.equals("Ljava/lang/String;");
    }
}
