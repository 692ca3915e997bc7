package polypath;

/**
 * What the stream of records to Polypath consists of: words of 32 bits, the first of which has the operation in its low
 * byte. Operations below 200 are the opcodes of the JVM; the others stand here, and in `crates/jvm/src/wire.rs`.
 */
public final class Wire {
    private Wire() {}

    /** Flags of the first word: the first or second operand is a constant and no id; a condition holds. */
    public static final int FIRST_CONSTANT = 1 << 8;
    public static final int SECOND_CONSTANT = 1 << 9;
    public static final int HOLDS = 1 << 10;
    /** Of {@link #VALUE} and {@link #ALL_WITHIN}: other values can wait until nothing else brings anything new. */
    public static final int CAN_WAIT = 1 << 11;

    /** kind, count, name: input; makes that many ids. */
    public static final int SYMBOL = 210;
    /** kind, length, values, number of ids, (index, id)…: an array as it is; makes an array. */
    public static final int ARRAY = 211;
    /** array, id of the index: makes an id. */
    public static final int SELECT = 212;
    /** array, index, value: makes an array. */
    public static final int STORE = 213;
    /** site, id of the index, length: whether the index is inside. */
    public static final int BOUNDS = 214;
    /** site, id, value: one value of many. */
    public static final int VALUE = 215;
    /** site, id: the program assumes that it is not zero. */
    public static final int ASSUME = 216;
    /** kind, id, value: what the JVM computed, to be compared with the term. */
    public static final int CHECK = 217;
    /** site: a block that runs for the first time. */
    public static final int COVER = 218;
    /** what, site: something was left out. */
    public static final int LOSS = 219;
    /** text: what the weaver says of a class. */
    public static final int META = 220;
    /** text: the run is over. */
    public static final int END = 221;
    /** text: an answer of the driver. */
    public static final int ANSWER = 222;
    /** id, first value, last value: the program's parameter is within. */
    public static final int RANGE = 223;
    /** text: what the program printed. */
    public static final int OUTPUT = 224;

    /** Operations on one number that are no instructions: exact functions of a double, and absolute values. */
    public static final int SQRT = 200;
    public static final int FLOOR = 201;
    public static final int CEIL = 202;
    public static final int RINT = 203;
    public static final int FLOAT_ABS = 204;
    public static final int ABS = 205;
    /** kind, number of digits, least and greatest exponent, digits as a long, exponent: a number in text as a float or double; makes an id. */
    public static final int DECIMAL = 206;
    /** The lesser and the greater of two numbers: of ints, and by the next numbers of longs, floats, doubles. */
    public static final int MIN = 226;
    public static final int MAX = 230;

    /**
     * Functions of one double of which only the JVM knows the last bit, by the next numbers: sin, cos, tan, asin, acos, atan, sinh, cosh, tanh,
     * exp, expm1, log, log10, log1p; and those of two.
     */
    public static final int FUNCTION = 234;
    public static final int ATAN2 = 248;
    public static final int POWER = 249;

    /** site: the block of the program that the run is in, before decisions in the JDK. */
    public static final int AT = 250;
    /** site, count, (id, id or 0, value)…: whether all pairs are equal, of which the second is a value if its id is 0. */
    public static final int ALL_EQUAL = 251;
    /** site, first id, count, value: whether each of these ids is at most the value. */
    public static final int ALL_WITHIN = 252;
    /** The number of the first place in the JDK: those of programs are below. */
    public static final int JDK = 1 << 24;

    /** id: the first of a run. */
    public static final int FIRST = 225;

    /** What was left out. */
    public static final int LOST_CALL = 0;
    public static final int LOST_RESULT = 1;
    public static final int LOST_THREAD = 2;
    public static final int LOST_FIELD = 3;
    public static final int LOST_INDY = 4;
    public static final int LOST_OVERRIDE = 5;
    public static final int LOST_INPUT = 6;
    public static final int LOST_METHOD = 7;
    public static final int LOST_FILE = 8;
    public static final int LOST_ORDER = 9;
    public static final int LOST_FUNCTION = 10;
    public static final int END_OF_INPUT = 11;
    public static final int BOUNDED_LENGTH = 12;
    public static final int UNSTEADY = 13;
    public static final int UNSET = 14;
    public static final int MISSING = 15;
}
