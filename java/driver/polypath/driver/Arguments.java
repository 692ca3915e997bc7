package polypath.driver;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import polypath.Ctx;
import polypath.Members;
import polypath.InputFiles;
import polypath.RT;
import polypath.Wire;

/** What a whole program gets: the arguments of its method main, standard input, and files. */
final class Arguments {
    /** Each is "=TEXT", an argument as it stands, or "MIN,MAX,LENGTH": so many of at most that many characters. */
    private final List<String> forms = new ArrayList<>();
    /** Bytes of standard input, all symbolic; -1 for none. */
    private final int stdin;
    /** How many files of input there are, and how long each is. */
    private final int files;
    private final int length;

    private Arguments(int stdin, int files, int length) {
        this.stdin = stdin;
        this.files = files;
        this.length = length;
    }

    /** Null if the entry point is a method like others. */
    static Arguments read(DataInputStream in) throws IOException {
        if (!in.readBoolean()) return null;
        Arguments all = new Arguments(in.readInt(), in.readInt(), in.readInt());
        for (int n = in.readInt(); n > 0; n--) all.forms.add(in.readUTF());
        return all;
    }

    boolean hasInput() {
        return stdin >= 0;
    }

    boolean hasFiles() {
        return files > 0;
    }

    /** The names of the files of input, with a space between. */
    String files() {
        return String.join(" ", names());
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        for (int k = 0; k < files; k++) names.add(String.valueOf((char) ('A' + k)));
        return names;
    }

    /** Writes the files of input to the working directory. */
    private void makeFiles(Inputs inputs, Ctx c) {
        if (files == 0) return;
        // What we do with the arrays is no loss.
        boolean paused = RT.pause();
        try {
            Map<String, byte[]> contents = new LinkedHashMap<>();
            for (String name : names()) {
                byte[] bytes = new byte[length];
                inputs.asked++;
                RT.symbols(bytes, name, c);
                contents.put(name, bytes);
            }
            if (!InputFiles.begin(Path.of("").toAbsolutePath(), contents)) RT.lost(1, Wire.LOST_FILE, -1, c);
        } catch (IOException e) {
            throw new IllegalStateException("the files of input cannot be written: " + e, e);
        } finally {
            RT.resume(paused);
        }
    }

    /** The standard input of the run; null if none is symbolic. */
    private ByteArrayInputStream given;

    /** Whether the program has read all of standard input. */
    boolean isReadToEnd() {
        return given != null && given.available() == 0;
    }

    /** The arguments of a run. */
    Inputs.Made make(Inputs inputs, Ctx c) throws ReflectiveOperationException {
        makeFiles(inputs, c);
        if (hasInput()) {
            byte[] bytes = new byte[stdin];
            inputs.asked++;
            RT.symbols(bytes, "stdin", c);
            // By the woven constructor, or the array would lose its ids.
            given = (ByteArrayInputStream) Members.constructor(ByteArrayInputStream.class, byte[].class, Ctx.class).newInstance(bytes, c);
            System.setIn(given);
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
            Inputs.Sizes size = Inputs.Sizes.fixed(0, Integer.parseInt(part[2]));
            int n = least + (least == most ? 0 : inputs.choice("n_args", most - least + 1, c));
            for (int k = 0; k < n; k++) all.add(inputs.string("arg" + all.size(), size, c));
        }
        return inputs.strings(all);
    }
}
