/* A recursive descent parser of sums, products and parentheses over eleven bytes. */
#include "klee/klee.h"
static unsigned char text[11]; static int at;
static int expression(void);
static int atom(void) {
  int c = at < 11 ? text[at++] : 0;
  if (c == '(') { int v = expression(); if (at < 11 && text[at] == ')') at++; else klee_silent_exit(2); return v; }
  if (c >= '0' && c <= '9') return c - '0';
  if (c == '-') return -atom();
  klee_silent_exit(1); return 0; }
static int expression(void) {
  int v = atom();
  while (at < 11 && (text[at] == '+' || text[at] == '*')) if (text[at++] == '+') v += atom(); else v *= atom();
  return v; }
int main(void) { klee_make_symbolic(text, sizeof text, "text"); int v = expression(); return v == 42 ? 1 : v > 9 ? 2 : 0; }
