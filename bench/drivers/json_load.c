/* Loads JSON from a file and prints it: a workload on jansson. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *value = json_load_file(argv[1], JSON_DECODE_ANY, &error);
    if (!value) {
        printf("%d: %s\n", error.line, error.text);
        return 1;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS);
    if (text) puts(text);
    free(text);
    json_decref(value);
    return 0;
}
