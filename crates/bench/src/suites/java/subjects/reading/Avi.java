package reading;

import ij.plugin.AVI_Reader;

/** ImageJ's reader of films, which opens its file itself. */
public final class Avi {
    private Avi() {}

    public static void main(String[] args) {
        new AVI_Reader().makeStack("A", 1, 0, false, false, false);
    }
}
