void count(const char *word);
int most(void);
