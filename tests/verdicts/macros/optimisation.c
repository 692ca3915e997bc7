/* With -O2 the macros say so. */
// run: --cc-flag -O2
#ifndef __OPTIMIZE__
#error "asked for"
#endif
int main(void) { return 0; }
