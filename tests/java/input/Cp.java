import org.cprover.CProver;

/** Input as JBMC's programs ask for it. */
public class Cp {
    static int path() {
        int a = CProver.nondetInt();
        CProver.assume(a > 10);
        assert a * 3 != 33;
        return 1;
    }

    static int object() {
        Object o = CProver.nondetWithNull("x");
        return o == null ? 1 : 2;
    }
}
