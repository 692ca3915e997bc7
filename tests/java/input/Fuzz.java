import com.code_intelligence.jazzer.api.FuzzedDataProvider;

/** A fuzz target of Jazzer. */
public class Fuzz {
    public static void fuzzerTestOneInput(FuzzedDataProvider data) {
        int n = data.consumeInt(1, 9);
        String s = data.consumeAsciiString(3);
        byte[] b = data.consumeBytes(2);
        if (n == 7 && s.equals("key") && b.length == 2 && b[1] == 9) {
            throw new IllegalStateException("found");
        }
    }
}
