import org.sosy_lab.sv_benchmarks.Verifier;

/** Input as SV-COMP's programs ask for it. */
public class Sv {
    static int path() {
        String s = Verifier.nondetString();
        if (s.startsWith("ab")) return 1;
        if (s.isEmpty()) return 2;
        return s.charAt(0) > 255 ? 4 : 3;
    }

    /** By a factory of the program, which says all that there is. */
    static int made() {
        Integer n = Verifier.nondetObject(Integer.class, () -> Verifier.nondetBoolean() ? null : Verifier.nondetInt());
        return n == null ? 1 : n == 77 ? 2 : 3;
    }

    static int object() {
        Object o = Verifier.nondetObject();
        return o == null ? 1 : 2;
    }
}
