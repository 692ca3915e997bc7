/* Where the unwinder finds the program's tables: by the headers of the file, which the linker names. The auxiliary vector, by which
 * the C library finds them, is that of the modelled kernel in a modelled replay. */
#include <elf.h>
#include <link.h>

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

int __polypath_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
    struct dl_phdr_info info = {
        .dlpi_name = "",
        .dlpi_phdr = (const void *)((const char *)&__ehdr_start + __ehdr_start.e_phoff),
        .dlpi_phnum = __ehdr_start.e_phnum,
    };
    return callback(&info, sizeof info, data);
}
