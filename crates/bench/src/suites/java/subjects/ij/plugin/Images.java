package ij.plugin;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.StreamTokenizer;

/** Readers of ImageJ, which only its own package may call. */
public final class Images {
    private Images() {}

    public static void bmp(byte[] file) throws Exception {
        new BMPDecoder().read(new ByteArrayInputStream(file));
    }

    public static int gif(byte[] file) {
        return new GifDecoder().read(new BufferedInputStream(new ByteArrayInputStream(file)));
    }
}
