package com.code_intelligence.jazzer.api;

/** What a fuzz target of Jazzer takes its input from: the methods that such targets call. */
public interface FuzzedDataProvider {
    boolean consumeBoolean();
    boolean[] consumeBooleans(int most);
    byte consumeByte();
    byte consumeByte(byte least, byte most);
    byte[] consumeBytes(int most);
    byte[] consumeRemainingAsBytes();
    short consumeShort();
    short consumeShort(short least, short most);
    short[] consumeShorts(int most);
    int consumeInt();
    int consumeInt(int least, int most);
    int[] consumeInts(int most);
    long consumeLong();
    long consumeLong(long least, long most);
    long[] consumeLongs(int most);
    float consumeFloat();
    float consumeRegularFloat();
    float consumeRegularFloat(float least, float most);
    float consumeProbabilityFloat();
    double consumeDouble();
    double consumeRegularDouble();
    double consumeRegularDouble(double least, double most);
    double consumeProbabilityDouble();
    char consumeChar();
    char consumeChar(char least, char most);
    char consumeCharNoSurrogates();
    String consumeString(int most);
    String consumeRemainingAsString();
    String consumeAsciiString(int most);
    String consumeRemainingAsAsciiString();
    int remainingBytes();

    default <T> T pickValue(T[] values) {
        return values[consumeInt(0, values.length - 1)];
    }

    default <T> T pickValue(java.util.Collection<T> values) {
        int k = consumeInt(0, values.size() - 1);
        for (T value : values) if (k-- == 0) return value;
        throw new IllegalArgumentException("there are no values");
    }

    default int pickValue(int[] values) {
        return values[consumeInt(0, values.length - 1)];
    }

    default char pickValue(char[] values) {
        return values[consumeInt(0, values.length - 1)];
    }
}
