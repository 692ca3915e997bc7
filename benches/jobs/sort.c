/* Insertion sort of nine bytes: one path for each order. */
#include "klee/klee.h"
int main(void) {
  unsigned char a[9]; klee_make_symbolic(a, sizeof a, "a");
  for (int i = 1; i < 9; i++) for (int j = i; j > 0 && a[j - 1] > a[j]; j--) { unsigned char t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; }
  return a[0] & 63; }
