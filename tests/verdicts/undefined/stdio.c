// run: --check memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,pedantic,overflow,bounds,uninit,function-type,memcmp,fp-cast,fp-overflow
/* C11 Annex J.2, clauses 7.21: streams. How the rows are written: crates/cli/tests/undefined.rs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "klee/klee.h"

static volatile int sink;

int main(void) {
    int row = klee_range(0, 40, "row");
    int bad = klee_range(0, 2, "bad");
    FILE *f = fopen("/tmp/stream", "w+");
    if (!f) return 0;
    fputs("some text\n", f);
    fflush(f);
    rewind(f);

    switch (row) {
    //# 7.21.2 | A function for bytes is used on a wide stream | native: musl reads the bytes, glibc returns EOF
    case 1: {
        if (bad) fwide(f, 1);
        sink = fgetc(f);
        break;
    }
    //# 7.21.2 | A function for wide characters is used on a stream of bytes | native: musl reads the characters, glibc returns WEOF
    case 2: {
        if (bad) fgetc(f);
        sink = (int)fgetwc(f);
        break;
    }
    //# 7.21.2 | What lies behind the last character written to a wide stream is used | not: it is what the file had before
    //# 7.21.3 | A stream is read after fclose
    case 3: {
        if (bad) fclose(f);
        sink = fgetc(f); //~ use_after_free
        if (bad) return 0;
        break;
    }
    //# 7.21.3 | A stream is written after fclose
    case 4: {
        if (bad) fclose(f);
        fputs("x", f); //~ use_after_free
        break;
    }
    //# 7.21.3 | A stream is closed twice
    case 5: {
        if (bad) fclose(f);
        fclose(f); //~ use_after_free
        return 0;
    }
    //# 7.21.3 | A standard stream is used after fclose
    case 6: {
        if (bad) fclose(stdin);
        sink = getchar(); //~ misuse
        break;
    }
    //# 7.21.3 | A standard stream is closed twice
    case 7: {
        if (bad) fclose(stdin);
        fclose(stdin); //~ misuse
        break;
    }
    //# 7.21.3 | A copy of a FILE is used | not: nothing tells it from the stream
    //# 7.21.5.2 | fflush of a stream that was read last | not: POSIX defines it
    case 8: {
        sink = fgetc(f);
        if (bad) fflush(f);
        break;
    }
    //# 7.21.5.3 | fopen with a mode that C does not have | not: it returns null with EINVAL, as POSIX defines it
    case 9: {
        FILE *g = fopen("/tmp/other", bad ? "q" : "w");
        if (g) fclose(g);
        break;
    }
    //# 7.21.5.3 | Output is followed by input without fflush or a function that sets the position
    case 10: {
        fseek(f, 0, SEEK_END);
        fputc('x', f);
        if (!bad) fflush(f);
        sink = fgetc(f); //~ misuse
        break;
    }
    //# 7.21.5.3 | Input is followed by output without a function that sets the position
    case 11: {
        sink = fgetc(f);
        if (!bad) fseek(f, 0, SEEK_CUR);
        fputc('x', f); //~ misuse
        break;
    }
    //# 7.21.5.6 | setvbuf after the stream was used
    case 12: {
        static char buffer[256];
        if (bad) fgetc(f);
        setvbuf(f, buffer, _IOFBF, sizeof buffer); //~ misuse
        break;
    }
    //# 7.21.5.6 | The buffer given to setvbuf is gone while the stream uses it
    case 13: {
        char *buffer = malloc(256);
        if (!buffer) break;
        memset(buffer, 0, 256);
        setvbuf(f, buffer, _IOFBF, 256);
        if (bad) free(buffer);
        sink = fgetc(f); //~ use_after_free
        fclose(f);
        if (!bad) free(buffer);
        return 0;
    }
    //# 7.21.5.6 | The contents of the buffer given to setvbuf are used | not: they are what the library put there
    //# 7.21.7.2 | The array of fgets is used after a read error
    case 14: {
        char line[8];
        FILE *g = fopen("/tmp/unreadable", "w");
        if (!g) break;
        if (!bad) strcpy(line, "x");
        fgets(line, sizeof line, g);
        sink = line[0]; //~ uninitialized
        fclose(g);
        break;
    }
    //# 7.21.7.2 | fgets has a size larger than the array
    case 15: {
        char line[8];
        if (fgets(line, bad ? 16 : 8, f)) sink = line[0]; //~ out_of_bounds
        break;
    }
    //# 7.21.7.10 | The position of a binary stream is used after ungetc at its start | not: ftell gives -1, as musl and glibc define it
    //# 7.21.7.10 | More characters are pushed back than there is room for | not: ungetc returns EOF, which C defines
    case 16: {
        for (int i = 0; i < (bad ? 12 : 1); i++) sink = ungetc('x', f);
        break;
    }
    //# 7.21.8.1 | The position is used after an error of fread or fwrite | not: it is where the kernel left it
    //# 7.21.8.1 | An element is used that fread read in part
    case 17: {
        int numbers[4];
        fread(numbers, sizeof(int), 4, f);
        sink = numbers[bad ? 3 : 0]; //~ uninitialized
        break;
    }
    //# 7.21.8.1 | fread has a size larger than the array
    case 18: {
        char bytes[4];
        sink = (int)fread(bytes, 1, bad ? 8 : 4, f); //~ out_of_bounds
        break;
    }
    //# 7.21.8.2 | fwrite has a size larger than the array
    case 19: {
        static char bytes[4];
        sink = (int)fwrite(bytes, 1, bad ? 8 : 4, stderr); //~ out_of_bounds
        break;
    }
    //# 7.21.9.2 | fseek on a text stream to a place that ftell did not give | not: text and binary streams are the same
    case 20: sink = fseek(f, bad ? 3 : 0, SEEK_END); break;
    //# 7.21.9.3 | fsetpos with a position that fgetpos did not give
    case 21: {
        fpos_t where;
        if (!bad) fgetpos(f, &where);
        sink = fsetpos(f, &where); //~ uninitialized
        break;
    }
    //# 7.21.3 | A function of a stream is given a null pointer
    case 22: sink = fgetc(bad ? NULL : f); break; //~ null
    //# 7.21.7.9 | puts is given an array without a NUL
    case 23: {
        char text[4] = {'a', 'b', 'c', bad ? 'd' : 0};
        fputs(text, stderr); //~ out_of_bounds
        break;
    }
    //# 7.21.4.3 | The file of a stream is read from a stream that was opened for writing only | not: C and POSIX let the call fail
    }
    fclose(f);
    return 0;
}
