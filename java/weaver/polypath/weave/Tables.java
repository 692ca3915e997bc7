package polypath.weave;

import static org.objectweb.asm.Opcodes.*;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.*;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * Tables of constants: private static final arrays of numbers or strings that are the same in all runs, as those of scanners. Proved from the class file,
 * and wherever the proof fails, an array is no table:
 *
 * - The beginning of the class, with the methods of its own that it calls, is <em>closed</em>: all that it does is to compute with numbers, strings and
 *   arrays that it makes. So what it puts into static fields depends on nothing but the class file, and nobody else has these arrays.
 * - The other methods that can name the field, which are those of the class, use its value to read elements and to ask for its length, and for nothing else.
 *
 * Nobody can get at a private field from elsewhere but by looking into classes, which {@link #looks} tells.
 */
final class Tables {
    private static final String STRING = "Ljava/lang/String;";
    /** Classes of the library whose static methods compute numbers from numbers. */
    private static final Set<String> NUMBERS = Set.of("java/lang/Math", "java/lang/StrictMath", "java/lang/Byte", "java/lang/Character",
            "java/lang/Double", "java/lang/Float", "java/lang/Integer", "java/lang/Long", "java/lang/Short");
    /** By these a program can come to fields that it cannot name. */
    private static final List<String> LOOKS = List.of("java/lang/reflect/Field", "java/lang/reflect/AccessibleObject", "java/lang/reflect/Method",
            "java/lang/invoke/MethodHandles$Lookup", "java/lang/invoke/VarHandle", "sun/misc/Unsafe", "jdk/internal/misc/Unsafe");

    private final ClassNode c;
    /** Methods that were looked at, and whether they are closed. */
    private final Map<String, Boolean> closed = new HashMap<>();

    private Tables(ClassNode c) {
        this.c = c;
    }

    /** The names of the fields that are tables. */
    static Set<String> of(ClassNode c) {
        Set<String> tables = new HashSet<>();
        for (FieldNode f : c.fields) if (isCandidate(f)) tables.add(f.name);
        // Classes that share its private members could write there.
        boolean isAlone = c.nestHostClass == null && (c.nestMembers == null || c.nestMembers.isEmpty());
        if (tables.isEmpty()) return tables;
        if (!isAlone || !new Tables(c).isClosed("<clinit>", "()V")) return Set.of();
        for (MethodNode m : c.methods) {
            if (!m.name.equals("<clinit>")) tables.removeAll(handedOn(c, m, tables));
        }
        return tables;
    }

    private static boolean isCandidate(FieldNode f) {
        int needed = ACC_PRIVATE | ACC_STATIC | ACC_FINAL;
        return (f.access & needed) == needed && isArrayOfValues(f.desc);
    }

    private static boolean isArrayOfValues(String desc) {
        Type type = Type.getType(desc);
        return type.getSort() == Type.ARRAY && (Twins.isPrimitive(type.getElementType()) || type.getElementType().getDescriptor().equals(STRING));
    }

    /** Whether a class can look into others: it names what fields are found by, or has code that we do not see. */
    static boolean looks(ClassNode c) {
        for (MethodNode m : c.methods) {
            if ((m.access & ACC_NATIVE) != 0) return true;
            for (AbstractInsnNode i : m.instructions) {
                String named = i instanceof MethodInsnNode ? ((MethodInsnNode) i).owner + ((MethodInsnNode) i).desc
                        : i instanceof FieldInsnNode ? ((FieldInsnNode) i).owner + ((FieldInsnNode) i).desc
                        : i instanceof TypeInsnNode ? ((TypeInsnNode) i).desc : "";
                for (String look : LOOKS) if (named.contains(look)) return true;
            }
        }
        return false;
    }

    // ------------------------------------------------------------------ closed methods

    private boolean isClosed(String name, String desc) {
        Boolean known = closed.get(name + desc);
        if (known != null) return known;
        // While it is looked at: a call of itself changes nothing.
        closed.put(name + desc, true);
        boolean is = false;
        for (MethodNode m : c.methods) {
            if (m.name.equals(name) && m.desc.equals(desc)) is = isClosed(m);
        }
        closed.put(name + desc, is);
        return is;
    }

    private boolean isClosed(MethodNode m) {
        if ((m.access & ACC_STATIC) == 0 || (m.access & (ACC_NATIVE | ACC_SYNCHRONIZED)) != 0) return false;
        boolean begins = m.name.equals("<clinit>");
        for (AbstractInsnNode i : m.instructions) {
            int op = i.getOpcode();
            if (op >= 0 && !isClosed(i, op, begins)) return false;
        }
        return true;
    }

    private boolean isClosed(AbstractInsnNode i, int op, boolean begins) {
        switch (op) {
            case GETSTATIC: return isOwn((FieldInsnNode) i);
            case PUTSTATIC: return begins && isOwn((FieldInsnNode) i);
            case INVOKESTATIC: return isClosedCall((MethodInsnNode) i);
            case INVOKEVIRTUAL: return isReading((MethodInsnNode) i);
            case ANEWARRAY: return isValue(Type.getObjectType(((TypeInsnNode) i).desc));
            case MULTIANEWARRAY: return isArrayOfValues(((MultiANewArrayInsnNode) i).desc);
            case CHECKCAST: return isValue(Type.getObjectType(((TypeInsnNode) i).desc));
            case LDC: return isConstant(((LdcInsnNode) i).cst);
            case NEW: case ATHROW: case GETFIELD: case PUTFIELD: case INVOKESPECIAL: case INVOKEINTERFACE: case INVOKEDYNAMIC:
            case INSTANCEOF: case MONITORENTER: case MONITOREXIT:
                return false;
            default:
                return true;
        }
    }

    private static boolean isValue(Type type) {
        return type.getDescriptor().equals(STRING) || type.getSort() == Type.ARRAY && isArrayOfValues(type.getDescriptor());
    }

    private static boolean isConstant(Object constant) {
        return constant instanceof Number || constant instanceof String || constant instanceof Type && ((Type) constant).getSort() == Type.OBJECT;
    }

    /** Only fields of the class that are final: what closed code reads, closed code has written. */
    private boolean isOwn(FieldInsnNode i) {
        for (FieldNode f : c.fields) {
            if (f.name.equals(i.name) && f.desc.equals(i.desc)) {
                return i.owner.equals(c.name) && (f.access & ACC_FINAL) != 0 && (State.isValue(f) || isCandidate(f));
            }
        }
        return false;
    }

    private boolean isClosedCall(MethodInsnNode call) {
        if (call.owner.equals(c.name)) return isClosed(call.name, call.desc);
        if (!NUMBERS.contains(call.owner) || call.name.equals("random")) return false;
        boolean isNumeric = Twins.isPrimitive(Type.getReturnType(call.desc));
        for (Type t : Type.getArgumentTypes(call.desc)) isNumeric &= Twins.isPrimitive(t);
        return isNumeric;
    }

    /** Calls of objects that answer the same always, or with an array of their own. */
    private static boolean isReading(MethodInsnNode call) {
        switch (call.owner + "." + call.name) {
            case "java/lang/String.charAt":
            case "java/lang/String.length":
            case "java/lang/String.toCharArray":
            case "java/lang/Class.desiredAssertionStatus":
                return true;
            default:
                return call.name.equals("clone") && call.owner.startsWith("[") && isArrayOfValues(call.owner);
        }
    }

    // ------------------------------------------------------------------ readers

    /** The fields among these whose value the method uses for more than to read what is in them. */
    private static Set<String> handedOn(ClassNode c, MethodNode m, Set<String> tables) {
        boolean isReader = false;
        for (AbstractInsnNode i : m.instructions) isReader |= isNamed(i, c, tables);
        if (!isReader) return Set.of();
        Uses uses = new Uses(c, tables);
        for (AbstractInsnNode i : m.instructions) {
            // Old class files may write a final field anywhere in its class.
            if (i.getOpcode() == PUTSTATIC && isNamed(i, c, tables)) uses.handedOn.add(((FieldInsnNode) i).name);
        }
        try {
            new Analyzer<>(uses).analyze(c.name, m);
        } catch (AnalyzerException e) {
            // What cannot be followed proves nothing.
            return new HashSet<>(tables);
        }
        return uses.handedOn;
    }

    private static boolean isNamed(AbstractInsnNode i, ClassNode c, Set<String> tables) {
        if (i.getOpcode() != GETSTATIC && i.getOpcode() != PUTSTATIC) return false;
        FieldInsnNode field = (FieldInsnNode) i;
        return field.owner.equals(c.name) && tables.contains(field.name);
    }

    /** Follows the values of tables through locals and the stack. A value is known by the instructions that read the field it is from. */
    private static final class Uses extends SourceInterpreter {
        private final ClassNode c;
        private final Set<String> tables;
        final Set<String> handedOn = new HashSet<>();

        Uses(ClassNode c, Set<String> tables) {
            super(ASM9);
            this.c = c;
            this.tables = tables;
        }

        private void handOn(SourceValue value) {
            for (AbstractInsnNode i : value.insns) if (isNamed(i, c, tables)) handedOn.add(((FieldInsnNode) i).name);
        }

        /** Whether elements of the value may be arrays of a table. */
        private boolean hasRows(SourceValue value) {
            for (AbstractInsnNode i : value.insns) {
                if (isNamed(i, c, tables) && ((FieldInsnNode) i).desc.startsWith("[[")) return true;
            }
            return false;
        }

        @Override
        public SourceValue copyOperation(AbstractInsnNode i, SourceValue value) {
            return value;
        }

        @Override
        public SourceValue unaryOperation(AbstractInsnNode i, SourceValue value) {
            int op = i.getOpcode();
            if (op == CHECKCAST) return value;
            if (op != ARRAYLENGTH && op != IFNULL && op != IFNONNULL && op != INSTANCEOF) handOn(value);
            return super.unaryOperation(i, value);
        }

        @Override
        public SourceValue binaryOperation(AbstractInsnNode i, SourceValue first, SourceValue second) {
            int op = i.getOpcode();
            if (op == AALOAD && hasRows(first)) return first;
            boolean isRead = op >= IALOAD && op <= SALOAD || op == IF_ACMPEQ || op == IF_ACMPNE;
            if (!isRead) {
                handOn(first);
                handOn(second);
            }
            return super.binaryOperation(i, first, second);
        }

        @Override
        public SourceValue ternaryOperation(AbstractInsnNode i, SourceValue array, SourceValue index, SourceValue value) {
            handOn(array);
            handOn(value);
            return super.ternaryOperation(i, array, index, value);
        }

        @Override
        public SourceValue naryOperation(AbstractInsnNode i, List<? extends SourceValue> values) {
            for (SourceValue value : values) handOn(value);
            return super.naryOperation(i, values);
        }
    }
}
