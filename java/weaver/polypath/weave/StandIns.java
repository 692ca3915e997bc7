package polypath.weave;

import java.util.Set;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * Classes of other tools by which programs ask for input. Ours of the same names stand in for them (`java/standins`), whether or
 * not the class path has them; they are no part of the program.
 */
public final class StandIns {
    private StandIns() {}

    /** What a fuzz target of Jazzer takes its input from, and the class that stands for it. */
    public static final String PROVIDER = "com/code_intelligence/jazzer/api/FuzzedDataProvider";
    public static final String OUR_PROVIDER = "polypath/jazzer/Provider";

    private static final Set<String> NAMES = Set.of("org/sosy_lab/sv_benchmarks/Verifier",
            "org/sosy_lab/sv_benchmarks/ObjectFactory", "gov/nasa/jpf/symbc/Debug",
            "org/cprover/CProver", PROVIDER, OUR_PROVIDER);

    public static boolean has(String name) {
        return NAMES.contains(name);
    }

    /** A call of a method that ours has not: the run ends by its name, and not with an error of the program. */
    static void check(MethodInsnNode m, Body b) {
        if (b.world.declares(m.owner, m.name + m.desc) != null) return;
        b.add(new LdcInsnNode("input: " + m.owner.replace('/', '.') + "." + m.name));
        b.rt("end", "(Ljava/lang/String;)V");
    }
}
