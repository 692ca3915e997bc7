package lib;

/** Its constructor is not public, and what it takes is not checked: a public method calls it as it should be called. */
public final class Point {
    private final int[] at;

    Point(int[] at) {
        this.at = at;
    }

    public static Point of(int x) {
        return new Point(new int[] {x});
    }

    public int first() {
        return at[0] == 7 ? 1 : 0;
    }
}
