package polypath.jazzer;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import polypath.Symbolic;

/**
 * Each value that a fuzz target of Jazzer asks for is input of its own; so tests are values and no files of bytes. How much
 * there is left depends on nothing.
 */
public final class Provider implements FuzzedDataProvider {
    private static int length(int most) {
        return Symbolic.length("length", most);
    }

    @Override public boolean consumeBoolean() { return Symbolic.booleanValue("boolean"); }
    @Override public byte consumeByte() { return Symbolic.byteValue("byte"); }
    @Override public short consumeShort() { return Symbolic.shortValue("short"); }
    @Override public int consumeInt() { return Symbolic.intValue("int"); }
    @Override public long consumeLong() { return Symbolic.longValue("long"); }
    @Override public float consumeFloat() { return Symbolic.floatValue("float"); }
    @Override public double consumeDouble() { return Symbolic.doubleValue("double"); }
    @Override public char consumeChar() { return Symbolic.charValue("char"); }

    @Override
    public byte consumeByte(byte least, byte most) {
        byte value = consumeByte();
        Symbolic.assume(least <= value && value <= most);
        return value;
    }

    @Override
    public short consumeShort(short least, short most) {
        short value = consumeShort();
        Symbolic.assume(least <= value && value <= most);
        return value;
    }

    @Override
    public int consumeInt(int least, int most) {
        int value = consumeInt();
        Symbolic.assume(least <= value && value <= most);
        return value;
    }

    @Override
    public long consumeLong(long least, long most) {
        long value = consumeLong();
        Symbolic.assume(least <= value && value <= most);
        return value;
    }

    @Override
    public char consumeChar(char least, char most) {
        char value = consumeChar();
        Symbolic.assume(least <= value && value <= most);
        return value;
    }

    @Override
    public char consumeCharNoSurrogates() {
        char value = consumeChar();
        Symbolic.assume(value < '\ud800' || value > '\udfff');
        return value;
    }

    @Override
    public float consumeRegularFloat() {
        return consumeRegularFloat(-Float.MAX_VALUE, Float.MAX_VALUE);
    }

    @Override
    public float consumeRegularFloat(float least, float most) {
        float value = consumeFloat();
        Symbolic.assume(least <= value && value <= most);
        return value;
    }

    @Override
    public float consumeProbabilityFloat() {
        return consumeRegularFloat(0, 1);
    }

    @Override
    public double consumeRegularDouble() {
        return consumeRegularDouble(-Double.MAX_VALUE, Double.MAX_VALUE);
    }

    @Override
    public double consumeRegularDouble(double least, double most) {
        double value = consumeDouble();
        Symbolic.assume(least <= value && value <= most);
        return value;
    }

    @Override
    public double consumeProbabilityDouble() {
        return consumeRegularDouble(0, 1);
    }

    @Override
    public byte[] consumeBytes(int most) {
        return Symbolic.bytes("bytes", length(most));
    }

    @Override
    public byte[] consumeRemainingAsBytes() {
        return consumeBytes(Integer.MAX_VALUE);
    }

    @Override
    public int[] consumeInts(int most) {
        return Symbolic.ints("ints", length(most));
    }

    @Override
    public boolean[] consumeBooleans(int most) {
        boolean[] all = new boolean[length(most)];
        for (int k = 0; k < all.length; k++) all[k] = consumeBoolean();
        return all;
    }

    @Override
    public short[] consumeShorts(int most) {
        short[] all = new short[length(most)];
        for (int k = 0; k < all.length; k++) all[k] = consumeShort();
        return all;
    }

    @Override
    public long[] consumeLongs(int most) {
        long[] all = new long[length(most)];
        for (int k = 0; k < all.length; k++) all[k] = consumeLong();
        return all;
    }

    @Override
    public String consumeString(int most) {
        return Symbolic.string("string", most);
    }

    @Override
    public String consumeRemainingAsString() {
        return consumeString(Integer.MAX_VALUE);
    }

    @Override
    public String consumeAsciiString(int most) {
        byte[] all = Symbolic.bytes("ascii", length(most));
        for (byte b : all) Symbolic.assume(b >= 0);
        return new String(all, java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    @Override
    public String consumeRemainingAsAsciiString() {
        return consumeAsciiString(Integer.MAX_VALUE);
    }

    @Override
    public int remainingBytes() {
        int value = Symbolic.intValue("remaining");
        Symbolic.assume(value >= 0);
        return value;
    }
}
