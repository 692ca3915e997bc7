#!/bin/bash -eu
$CC $CFLAGS -c kv.c -o $WORK/kv.o
ar rcs $WORK/libkv.a $WORK/kv.o
for target in fuzz/*_fuzzer.c; do
    name=$(basename $target .c)
    $CC $CFLAGS -I. -c $target -o $WORK/$name.o
    $CXX $CXXFLAGS $WORK/$name.o -o $OUT/$name $LIB_FUZZING_ENGINE $WORK/libkv.a
done
