package polypath.driver;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import polypath.Ctx;
import polypath.RT;

/** What a whole program gets: the arguments of its method main, and standard input. */
final class Arguments {
    /** Each is "=TEXT", an argument as it stands, or "MIN,MAX,LENGTH": so many of at most that many characters. */
    private final List<String> forms = new ArrayList<>();
    /** Bytes of standard input, all symbolic; -1 for none. */
    private final int stdin;

    private Arguments(int stdin) {
        this.stdin = stdin;
    }

    /** Null if the entry point is a method like others. */
    static Arguments read(DataInputStream in) throws IOException {
        if (!in.readBoolean()) return null;
        Arguments all = new Arguments(in.readInt());
        for (int n = in.readInt(); n > 0; n--) all.forms.add(in.readUTF());
        return all;
    }

    boolean hasInput() {
        return stdin >= 0;
    }

    /** The arguments of a run. */
    Inputs.Made make(Inputs inputs, Ctx c) throws ReflectiveOperationException {
        if (hasInput()) {
            byte[] bytes = new byte[stdin];
            inputs.asked++;
            RT.symbols(bytes, "stdin", c);
            // By the woven constructor, or the array would lose its ids.
            System.setIn(ByteArrayInputStream.class.getDeclaredConstructor(byte[].class, Ctx.class).newInstance(bytes, c));
        }
        List<Inputs.Made> all = new ArrayList<>();
        for (String form : forms) {
            if (form.startsWith("=")) {
                all.add(inputs.constant(form.substring(1)));
                continue;
            }
            String[] part = form.split(",");
            int least = Integer.parseInt(part[0]);
            int most = Integer.parseInt(part[1]);
            Inputs.Sizes size = new Inputs.Sizes(0, Integer.parseInt(part[2]));
            int n = inputs.size("n_args", new Inputs.Sizes(least, most), c);
            for (int k = 0; k < n; k++) all.add(inputs.string("arg" + all.size(), size, c));
        }
        return inputs.strings(all);
    }
}
