/* The sieve of Eratosthenes over 6.5 MB: concrete loads and stores.
   -DSYMBOLIC: one symbolic byte that nothing looks at; -DPLANTED: the inner loop runs one too far. */
#include <stdint.h>
#ifdef SYMBOLIC
#include "klee/klee.h"
static unsigned char untouched;
#endif
#ifdef PLANTED
#define LAST <=
#else
#define LAST <
#endif
#define N 6500000u
static uint8_t s[N];
int main(void){
#ifdef SYMBOLIC
  klee_make_symbolic(&untouched,sizeof untouched,"untouched");
#endif
  unsigned cnt=0; volatile unsigned iters=0;
  for(unsigned i=2;i<N;i++){ if(!s[i]){cnt++; for(uint64_t j=(uint64_t)i*i;j LAST N;j+=i) s[j]=1;} }
  return cnt&0xff; }
