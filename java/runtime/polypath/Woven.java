package polypath;

/** A woven class says so itself: a class below it that is not woven inherits the answer of another class. */
public interface Woven {
    /** The class that is woven. */
    Class<?> polypath$class();

    /** The twin of {@link Object#hashCode}, which a class that has its own overrides. */
    default int hashCode(Ctx c) {
        c.ret = 0;
        return hashCode();
    }

    /** The twin of {@link Object#equals}. */
    default boolean equals(Object other, Ctx c) {
        c.ret = 0;
        return equals(other);
    }
}
