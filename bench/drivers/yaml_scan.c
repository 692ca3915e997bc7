/* Scans YAML from a file (or standard input) and prints its tokens: a workload on libyaml's scanner. */
#include <stdio.h>
#include <yaml.h>

int main(int argc, char **argv)
{
    FILE *input = argc > 1 ? fopen(argv[1], "rb") : stdin;
    if (!input) {
        perror(argv[1]);
        return 2;
    }
    yaml_parser_t parser;
    yaml_token_t token;
    if (!yaml_parser_initialize(&parser)) return 2;
    yaml_parser_set_input_file(&parser, input);
    int status = 0, last = 0;
    while (!last) {
        if (!yaml_parser_scan(&parser, &token)) {
            printf("error: %s at line %zu\n", parser.problem, parser.problem_mark.line);
            status = 1;
            break;
        }
        last = token.type == YAML_STREAM_END_TOKEN;
        printf("%d", (int)token.type);
        if (token.type == YAML_SCALAR_TOKEN) printf(" \"%.*s\"", (int)token.data.scalar.length, (char *)token.data.scalar.value);
        putchar('\n');
        yaml_token_delete(&token);
    }
    yaml_parser_delete(&parser);
    if (input != stdin) fclose(input);
    return status;
}
