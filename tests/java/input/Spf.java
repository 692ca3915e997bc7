import gov.nasa.jpf.symbc.Debug;

/** Input as Symbolic PathFinder's programs ask for it. */
public class Spf {
    static int path() {
        int a = Debug.makeSymbolicInteger("a");
        String s = Debug.makeSymbolicString("s");
        Debug.assume(a > 3);
        if (s.length() == 2 && s.charAt(1) == '\u0416') return a / (a - 77);
        return 1;
    }
}
