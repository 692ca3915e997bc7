/* Twelve bytes of three classes each: 3^12 paths, with addresses that may mean two objects. */
#include "klee/klee.h"
int main(void) {
  unsigned char in[12], a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 }; int sum = 0;
  klee_make_symbolic(in, sizeof in, "in");
  for (int i = 0; i < 12; i++) if (in[i] < 100) sum++; else sum += (in[i] < 200 ? a : b)[2];
  return sum & 63; }
