package reading;

import java.io.ByteArrayInputStream;
import java.io.InputStream;

/** The readers of Table 5 that Debian has, each over the bytes of a file. */
public final class Subjects {
    private Subjects() {}

    /** Headers and sound of an MPEG file (JLayer). */
    public static int mp3(byte[] file) throws Exception {
        javazoom.jl.decoder.Bitstream in = new javazoom.jl.decoder.Bitstream(new ByteArrayInputStream(file));
        javazoom.jl.decoder.Decoder decoder = new javazoom.jl.decoder.Decoder();
        int frames = 0;
        for (javazoom.jl.decoder.Header h = in.readFrame(); h != null; h = in.readFrame()) {
            decoder.decodeFrame(h, in);
            in.closeFrame();
            frames++;
        }
        return frames;
    }

    /** Headers only, without the arithmetic on samples. */
    public static int mp3Headers(byte[] file) throws Exception {
        javazoom.jl.decoder.Bitstream in = new javazoom.jl.decoder.Bitstream(new ByteArrayInputStream(file));
        int frames = 0;
        for (javazoom.jl.decoder.Header h = in.readFrame(); h != null; h = in.readFrame()) {
            frames += h.toString().length();
            in.closeFrame();
        }
        return frames;
    }

    /** A class file (BCEL). */
    public static Object classFile(byte[] file) throws Exception {
        return new org.apache.bcel.classfile.ClassParser(new ByteArrayInputStream(file), "A.class").parse();
    }

    /** A WAV file (Tritonus). */
    public static Object wav(byte[] file) throws Exception {
        InputStream in = new ByteArrayInputStream(file);
        return new org.tritonus.sampled.file.WaveAudioFileReader().getAudioFileFormat(in);
    }
}
