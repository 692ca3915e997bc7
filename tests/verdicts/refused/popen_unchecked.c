// halted: popen
#include <stdio.h>

int main(void) {
    char line[80];
    FILE *f = popen("date", "r");
    fgets(line, sizeof line, f);
    pclose(f);
    return 0;
}
