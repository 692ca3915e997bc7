package reading;

import ij.plugin.PGM_Reader;
import java.io.IOException;

/** ImageJ's reader of grey maps, which opens its file itself. */
public final class Pgm {
    private Pgm() {}

    public static void main(String[] args) throws IOException {
        new PGM_Reader().openFile("A");
    }
}
