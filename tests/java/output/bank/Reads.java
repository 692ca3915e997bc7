package bank;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;

/** Reads files that it is given. */
public final class Reads {
    private Reads() {}

    public static int first(File file) throws IOException {
        if (file == null || !file.exists()) return -1;
        byte[] all = Files.readAllBytes(file.toPath());
        return all.length == 0 ? 0 : all[0] == 'P' ? 1 : 2;
    }
}
