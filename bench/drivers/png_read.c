/* Reads a PNG file row by row, expanded and with eight bits a channel: a workload on libpng. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    FILE *input = argc > 1 ? fopen(argv[1], "rb") : stdin;
    if (!input) return 2;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) return 2;
    png_bytep row = NULL;
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return 1;
    }
    png_set_user_limits(png, 64, 64);
    png_init_io(png, input);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_strip_16(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    row = malloc(png_get_rowbytes(png, info));
    for (int pass = 0; row && pass < passes; pass++)
        for (unsigned y = 0; y < png_get_image_height(png, info); y++) png_read_row(png, row, NULL);
    png_read_end(png, info);
    png_destroy_read_struct(&png, &info, NULL);
    free(row);
    return 0;
}
