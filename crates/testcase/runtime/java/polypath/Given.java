package polypath;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** The values that a test gives to a program which asks for input itself. What it does not give is zero, as in the run. */
public final class Given {
    private Given() {}

    private static final Map<String, byte[]> values = new HashMap<>();
    private static final Map<String, Integer> asked = new HashMap<>();

    /** Those of the test that is next: names, and the bytes of each as hexadecimal digits. */
    public static void set(String[] names, String[] digits) {
        values.clear();
        asked.clear();
        for (int k = 0; k < names.length; k++) values.put(names[k], HexFormat.of().parseHex(digits[k]));
    }

    /** Bytes of the next object of a name: the second is NAME#2. */
    static byte[] bytes(String name, int length) {
        int nth = asked.merge(name, 1, Integer::sum);
        byte[] all = new byte[length];
        byte[] given = values.get(nth == 1 ? name : name + "#" + nth);
        if (given != null) System.arraycopy(given, 0, all, 0, Math.min(length, given.length));
        return all;
    }

    /** Is what the program asks for to be said, for a witness? */
    private static final boolean SAYS = Boolean.getBoolean("polypath.asked");

    /** A value that the program asked for: type, value, file and line go to the process's own output. */
    static <T> T said(String type, T value) {
        if (!SAYS) return value;
        StackTraceElement place = StackWalker.getInstance().walk(frames ->
                frames.map(StackWalker.StackFrame::toStackTraceElement).filter(Given::isProgram).findFirst().orElse(null));
        String file = place == null ? "" : place.getFileName();
        int line = place == null ? 0 : place.getLineNumber();
        String text = String.valueOf(value).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t");
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        out.print("asked\t" + type + "\t" + text + "\t" + file + "\t" + line + "\n");
        out.flush();
        return value;
    }

    /** Is it none of the classes by which the program asks? */
    private static boolean isProgram(StackTraceElement frame) {
        String name = frame.getClassName();
        return !name.startsWith("polypath.") && !name.equals("org.sosy_lab.sv_benchmarks.Verifier")
                && !name.equals("org.cprover.CProver") && !name.equals("gov.nasa.jpf.symbc.Debug");
    }

    /** A value of so many bytes, the lowest first. */
    public static long value(String name, int size) {
        byte[] all = bytes(name, size);
        long value = 0;
        for (int k = size - 1; k >= 0; k--) value = value << 8 | all[k] & 255;
        return value;
    }
}
