import gov.nasa.jpf.symbc.Debug;

public class Gauge {
    public static void main(String[] args) {
        int level = Debug.makeSymbolicInteger("level");
        Debug.assume(level > 0 && level < 1000);
        assert level * level != 6241 : "the ninth mark";
    }
}
