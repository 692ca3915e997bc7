package polypath.driver;

import java.lang.reflect.Executable;
import java.lang.reflect.MalformedParametersException;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The names of parameters, as far as the class file has them: those that the compiler kept (javac's -parameters), else those of debug information (-g). */
final class ParameterNames {
    private ParameterNames() {}

    /** Ends of names that the driver gives to choices of its own: `this.length` is how long an array is. */
    private static final Set<String> OURS = Set.of("builder", "bytes", "class", "constructor", "empty", "exists", "hidden", "length", "null", "raw", "size", "stub", "value");

    /** Words that are no identifiers (The Java Language Specification 17, 3.9 and 3.10); those that are keywords in some places only are identifiers in others. */
    private static final Set<String> WORDS = Set.of("_", "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
            "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "goto", "if", "implements", "import", "instanceof", "int",
            "interface", "long", "native", "new", "null", "package", "private", "protected", "public", "return", "short", "static", "strictfp", "super", "switch",
            "synchronized", "this", "throw", "throws", "transient", "true", "try", "void", "volatile", "while");

    /** A name for each parameter; null where the class file has none. */
    private static String[] kept(Executable m) {
        String[] names = new String[m.getParameterCount()];
        try {
            for (int k = 0; k < names.length; k++) if (m.getParameters()[k].isNamePresent()) names[k] = m.getParameters()[k].getName();
        } catch (MalformedParametersException e) {
            // What the class file says of its parameters cannot be: they have no names.
            return new String[names.length];
        }
        if (names.length > 0 && names[0] == null) debugNames(m, names);
        // Whoever made the class file may have written anything: a name is one that Java's source can have, and that no other parameter has.
        Set<String> seen = new HashSet<>();
        for (int k = 0; k < names.length; k++) if (names[k] != null && !(isIdentifier(names[k]) && seen.add(names[k]))) names[k] = null;
        return names;
    }

    /** Whether source can name a variable so. Of characters that Java ignores in a name none is taken: with them two names would look alike. */
    private static boolean isIdentifier(String name) {
        if (name.isEmpty() || WORDS.contains(name)) return false;
        int[] all = name.codePoints().toArray();
        boolean isOne = Character.isJavaIdentifierStart(all[0]);
        for (int c : all) isOne &= Character.isJavaIdentifierPart(c) && !Character.isIdentifierIgnorable(c);
        return isOne;
    }

    /** The names of an entry point's parameters; `arg2` for the third one where there is none. */
    static String[] of(Executable m) {
        String[] names = kept(m);
        for (int k = 0; k < names.length; k++) if (names[k] == null || names[k].matches("arg[0-9]+")) names[k] = "arg" + k;
        return names;
    }

    /** The same for an object's part, which has its number where there is none: no name is one that the driver gives itself. */
    static String[] inside(Executable m) {
        String[] names = kept(m);
        for (int k = 0; k < names.length; k++) if (names[k] == null || OURS.contains(names[k]) || names[k].matches("(call|more)[0-9]*")) names[k] = String.valueOf(k);
        return names;
    }

    private static void debugNames(Executable m, String[] names) {
        int[] locals = MethodFile.locals(m);
        MethodFile.walk(m, new MethodVisitor(Opcodes.ASM9) {
            @Override
            public void visitLocalVariable(String variable, String type, String generic, Label start, Label end, int index) {
                // A later variable may have the place of one that is not needed any more.
                for (int k = 0; k < locals.length; k++) if (locals[k] == index && names[k] == null) names[k] = variable;
            }
        });
    }
}
