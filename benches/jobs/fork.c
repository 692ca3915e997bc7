/* Nineteen independent checks of a symbolic byte each: 2^19 paths. */
#include "klee/klee.h"
int main(void){ unsigned char b[19]; klee_make_symbolic(b,sizeof b,"b"); unsigned c=0;
  for(int i=0;i<19;i++) if(b[i]>'m') c+=i+1; else c^=i;
  return c&0x7f; }
