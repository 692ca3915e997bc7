package polypath.weave;

/** Places of the program have numbers; Polypath hears what a number means when it is given out. */
public final class Sites {
    private Sites() {}

    /** Hears of places: number, method, instruction, what it is. */
    public interface Listener {
        void site(int number, String method, int instruction, String what);
    }

    private static Listener listener = (number, method, instruction, what) -> {};

    public static void to(Listener l) {
        listener = l;
    }

    static int number(World world, String method, int instruction, String what) {
        String word = what.substring(0, what.indexOf(' '));
        int number = world.site(method + " " + instruction + " " + word);
        if (world.isNew(number)) listener.site(number, Flow.word(method), instruction, what);
        return number;
    }
}
