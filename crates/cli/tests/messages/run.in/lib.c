int f(int x) { return 6 / x; }
