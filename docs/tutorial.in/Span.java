/** A span of days, both ends included. */
public class Span {
    /** How many meetings it has, one every so many days. */
    public static int meetings(int first, int last, int every) {
        if (every < 0 || last < first) throw new IllegalArgumentException("no such span");
        return (last - first) / every + 1;
    }
}
