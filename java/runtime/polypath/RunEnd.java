package polypath;

/** Ends a run from inside the program. Woven handlers pass it on, so that the program cannot catch it. */
public final class RunEnd extends Error {
    private static final long serialVersionUID = 1L;

    /** How the run ended: a word, and what belongs to it. */
    public final String how;

    public RunEnd(String how) {
        super(how, null, false, false);
        this.how = how;
        Threads.ends(this);
    }
}
