import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Numbers that stand in texts. The first character says of which type. */
public class Numbers {
    static long read(String s) {
        char type = s.charAt(0);
        String text = plain(s.substring(1));
        // An operation on what was read: check mode compares its terms with what the JVM computes.
        switch (type) {
            case 'd': return Double.doubleToRawLongBits(Double.parseDouble(text) * 1.0);
            case 'f': return Float.floatToRawIntBits(Float.parseFloat(text) * 1.0f);
            case 'i': return Integer.parseInt(text) + 0;
            default: return Long.parseLong(text) ^ 0L;
        }
    }

    /** The bytes from 128 on are digits and letters of other scripts. */
    private static String plain(String s) {
        char[] all = s.toCharArray();
        for (int i = 0; i < all.length; i++) if (all[i] >= 128) all[i] += 0x660 - 128;
        return new String(all);
    }

    /** The number, or what the message of the exception is. */
    static long outcome(String s) {
        try {
            return read(s);
        } catch (NumberFormatException e) {
            return e.getMessage().hashCode() - (1L << 40);
        }
    }

    /** The same for each line, whose characters are bytes in hexadecimal. */
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            byte[] bytes = new byte[line.length() / 2];
            for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(line.substring(2 * i, 2 * i + 2), 16);
            System.out.println(outcome(new String(bytes, StandardCharsets.ISO_8859_1)));
        }
    }
}
