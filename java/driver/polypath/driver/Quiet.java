package polypath.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Types whose values come about by choices of the driver's and nothing else: no code that could decide by input, throw or refuse runs when one is made, whatever is chosen.
 * Of such a parameter nothing need be decided before it is read ({@link polypath.Pending}).
 */
final class Quiet {
    private Quiet() {}

    /** `depth`: how many objects are around it. */
    static boolean is(Type type, int depth, Inputs inputs) {
        Class<?> t = Types.raw(type);
        if (t.isPrimitive() || t == String.class || t.isEnum() || isBox(t)) return true;
        if (t.isArray()) return is(Types.elementOf(type), depth + 1, inputs);
        Class<?> collection = Types.COLLECTIONS.get(t);
        if (collection != null) {
            // Others compare their elements, or refuse null.
            boolean isList = collection == ArrayList.class || collection == LinkedList.class;
            for (Type of : Types.arguments(type)) isList &= is(of, depth + 1, inputs);
            return isList;
        }
        if (Library.constants(t) != null || t == Class.class) return true;
        Class<?>[] kinds = Library.kinds(t);
        if (kinds != null) {
            boolean are = true;
            for (Class<?> kind : kinds) are &= kind == String.class || isBox(kind);
            return are;
        }
        return t.getClassLoader() instanceof AppLoader ? isObject(t, depth, inputs) : Stubs.isFunction(t);
    }

    /** There are two objects of Boolean, between which its value decides. */
    private static boolean isBox(Class<?> t) {
        return Types.BOXES.containsKey(t) && t != Boolean.class;
    }

    /** The same of an object of the program. */
    private static boolean isObject(Class<?> t, int depth, Inputs inputs) {
        if (t.isEnum()) return true;
        if (Types.isAbstract(t)) {
            List<Class<?>> all = inputs.makers.concrete(t, depth);
            boolean are = !all.isEmpty();
            for (Class<?> c : all) are &= isObject(c, depth, inputs);
            return are;
        }
        List<Executable> makers = inputs.makers.ways(t, depth).all;
        boolean are = !makers.isEmpty() && (depth > 0 || !inputs.isChanged(t));
        for (Executable k : makers) {
            are &= k instanceof Constructor && isPlain(k);
            for (Type parameter : k.getGenericParameterTypes()) are &= is(parameter, depth + 1, inputs);
        }
        return are;
    }

    /** Whether a constructor does nothing but keep what it is given, and constants, in fields of its own. */
    private static boolean isPlain(Executable k) {
        MethodNode code = new MethodNode(Opcodes.ASM9);
        MethodFile.walk(k, code);
        // The last two instructions.
        AbstractInsnNode before = null;
        AbstractInsnNode last = null;
        for (AbstractInsnNode i : code.instructions) {
            int op = i.getOpcode();
            if (op < 0) continue;
            boolean isOf = op != Opcodes.PUTFIELD || before instanceof VarInsnNode && ((VarInsnNode) before).var == 0;
            if (!isOf || !isKeeping(i)) return false;
            before = last;
            last = i;
        }
        return last != null;
    }

    private static boolean isKeeping(AbstractInsnNode i) {
        int op = i.getOpcode();
        if (op == Opcodes.INVOKESPECIAL) {
            MethodInsnNode call = (MethodInsnNode) i;
            return call.name.equals("<init>") && (call.owner.equals("java/lang/Object") || call.owner.equals("java/lang/Record"));
        }
        if (i instanceof LdcInsnNode) return ((LdcInsnNode) i).cst instanceof String || ((LdcInsnNode) i).cst instanceof Number;
        return op <= Opcodes.SIPUSH || op >= Opcodes.ILOAD && op <= Opcodes.ALOAD || op == Opcodes.PUTFIELD || op == Opcodes.RETURN;
    }
}
