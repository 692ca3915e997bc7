package gov.nasa.jpf.symbc;

/** The two methods of SPF's class that the example calls. */
public class Debug {
    public static int makeSymbolicInteger(String name) { return 0; }
    public static void assume(boolean holds) { }
}
