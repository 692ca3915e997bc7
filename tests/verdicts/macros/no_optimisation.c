/* A source is compiled as `polypath cc` compiles it: without -O nothing says that it is optimised. */
#ifdef __OPTIMIZE__
#error "not asked for"
#endif
#ifndef __NO_INLINE__
#error "nothing is inlined"
#endif
int main(void) { return 0; }
