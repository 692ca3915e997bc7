/* Reads a configuration and writes it again: a workload on libconfig, whose scanner is flex's. */
#include <libconfig.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    config_t config;
    config_init(&config);
    int is_read = config_read_file(&config, argv[1]);
    if (is_read) config_write(&config, stdout);
    else printf("%d: %s\n", config_error_line(&config), config_error_text(&config));
    config_destroy(&config);
    return !is_read;
}
