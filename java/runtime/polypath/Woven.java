package polypath;

/** A woven class says so itself: a class below it that is not woven inherits the answer of another class. */
public interface Woven {
    /** The class that is woven. */
    Class<?> polypath$class();
}
