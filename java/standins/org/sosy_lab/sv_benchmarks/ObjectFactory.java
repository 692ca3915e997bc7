package org.sosy_lab.sv_benchmarks;

/** How a program of SV-COMP makes an object of input: with other input, mostly. */
public interface ObjectFactory<T> {
    /** May be null. */
    T createObject();
}
