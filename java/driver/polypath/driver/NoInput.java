package polypath.driver;

import java.io.InputStream;

/** Standard input of a run that is given none: it ends at once, and knows whether the program met its end. */
final class NoInput extends InputStream {
    private boolean isRead;

    /** Whether the program has read. */
    boolean isRead() {
        return isRead;
    }

    @Override
    public int read() {
        isRead = true;
        return -1;
    }
}
