package polypath;

/**
 * What an exception of the library may be about: the value that the program handed last to one of its methods that ask something of what they are
 * given (a text that is a number), and the array past whose end it wrote last.
 */
public final class Asked {
    /** Which method, and of what it asks something: a row of the weaver's table; -1 for none. */
    public int row = -1;
    /** The value; null for a number, which has an id instead. */
    public Object subject;
    public int id;
    /** Null for none. */
    public Object overrun;

    void clear() {
        row = -1;
        subject = null;
        id = 0;
        overrun = null;
    }

    void asks(int row, Object subject, int id) {
        this.row = row;
        this.subject = subject;
        this.id = id;
    }

    void overruns(Object array) {
        overrun = array;
    }
}
