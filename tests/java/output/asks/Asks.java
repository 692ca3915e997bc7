import org.sosy_lab.sv_benchmarks.Verifier;
import polypath.Symbolic;

/** A program that asks for its input itself, several times under one name. */
public class Asks {
    public static void main(String[] args) {
        int a = Verifier.nondetInt();
        short b = Verifier.nondetShort();
        Verifier.assume(a > 1000 && b < 0);
        double c = Symbolic.doubleValue("c \"\\");
        byte[] bytes = Symbolic.bytes("bytes", 3);
        if (bytes[2] == 'x' && c == 2.5) System.out.println("found " + bytes[2]);
        assert a + b != 1234567;
    }
}
