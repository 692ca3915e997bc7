/* Splits nine bytes into words and numbers. */
#include "klee/klee.h"
int main(void) {
  unsigned char in[9]; klee_make_symbolic(in, sizeof in, "in");
  int words = 0, numbers = 0, state = 0;
  for (int i = 0; i < 9; i++) {
    int c = in[i], next = c >= 'a' && c <= 'z' ? 1 : c >= '0' && c <= '9' ? 2 : 0;
    if (next == 1 && state != 1) words++;
    if (next == 2 && state != 2) numbers += c - '0';
    state = next; }
  return words * 4 + (numbers & 3); }
