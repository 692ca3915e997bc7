import java.io.IOException;

/** A whole program: arguments, standard input, an exit status. */
public class Tool {
    public static void main(String[] args) throws IOException {
        if (args.length > 1 && args[0].equals("-n") && args[1].startsWith("7")) throw new IllegalStateException("seven");
        int first = System.in.read();
        if (first == 'q') {
            System.out.println("bye");
            System.exit(4);
        }
        if (first == '1') System.out.println(1 / (first - '0'));
        if (first == '0') System.out.println(1 / (first - '0'));
    }
}
