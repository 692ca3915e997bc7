// complete
import java.io.IOException;
import java.io.PushbackReader;
import java.io.StringReader;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

public class Readers {
    static int path(byte a, byte b) throws IOException {
        String s = "" + (char) (a & 127) + (char) (b & 127);
        PushbackReader reader = new PushbackReader(new StringReader(s));
        int first = reader.read();
        if (first == '<') {
            reader.unread('>');
            return reader.read() == '>' && reader.read() == '=' ? 1 : 2;
        }
        if (String.valueOf(b).charAt(0) == '-') return 3;
        if (s.equals("%4")) {
            try {
                return URLDecoder.decode(s, StandardCharsets.UTF_8).length();
            } catch (IllegalArgumentException e) {
                return 4;
            }
        }
        return URLDecoder.decode("%" + (char) ('0' + (a & 7)) + "1+", StandardCharsets.UTF_8).equals("A ") ? 5 : 6;
    }
}
