package polypath;

/**
 * Choices that the driver has made and nobody has been told of: how the value of each parameter came about (null or not, its class, how many elements). They become
 * decisions of the path when the method under test first reads the parameter ({@link RT#reads}). On a path that ends before that, all that the parameter could be is one.
 *
 * That holds for values which come about without any other decision: the run comes to its reads in the same way, whatever was chosen.
 */
public final class Pending {
    /** One of them, and those of the same parameter that came after it. */
    private static final class Told {
        /** How it is recorded; or a length, which knows that itself. */
        private int record;
        private int id;
        private int value;
        private Lengths.Length length;
        private Told next;
    }

    private final Told[] first;
    private final Told[] last;
    /** The parameter whose value is made; -1 for none. */
    private int making = -1;

    /** Name and descriptor of the method, as a constant of its class is: one text is one object. */
    private final String method;

    /** Of a method with so many parameters; `method` is its name and descriptor. */
    public Pending(String method, int parameters) {
        this.method = method.intern();
        first = new Told[parameters];
        last = new Told[parameters];
    }

    /** What is chosen from here on is about this parameter. */
    public void begin(int parameter) {
        making = parameter;
    }

    /** The end of that. */
    public void end() {
        making = -1;
    }

    boolean isMaking() {
        return making >= 0;
    }

    void choice(int record, int id, int value) {
        Told told = add();
        told.record = record;
        told.id = id;
        told.value = value;
    }

    void length(Lengths.Length length) {
        add().length = length;
    }

    private Told add() {
        Told told = new Told();
        if (first[making] == null) first[making] = told;
        else last[making].next = told;
        last[making] = told;
        return told;
    }

    /** A method reads its parameter; only that of the method under test is what was chosen. */
    void tell(int parameter, String method, Ctx c) {
        if (method != this.method) return;
        Told told = first[parameter];
        first[parameter] = null;
        for (; told != null; told = told.next) {
            if (told.length != null) told.length.settle(c);
            else c.put(told.record, -1, told.id, told.value);
        }
    }
}
