/* The entry point's assembly is src/internal/x86_64sym/start.s, so that crt1's bitcode is plain. */
