// complete
import java.io.ByteArrayInputStream;

public class Wraps {
    static int path(byte a) {
        byte[] bytes = new byte[2];
        ByteArrayInputStream in = new ByteArrayInputStream(bytes);
        bytes[1] = a;
        in.read();
        return in.read() == 42 ? 1 : 0;
    }
}
