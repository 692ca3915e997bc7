/* The number behind the colon of a text such as "port: 80". */
int field(const char *text) {
    int n = 0;
    while (*text != ':') text++;
    for (text++; *text >= '0' && *text <= '9'; text++) n = 10 * n + *text - '0';
    return n;
}
