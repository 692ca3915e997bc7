// What `new` does where there is no memory.
#include <new>

extern "C" void __polypath_no_memory()
{
    std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
}

// A program's own operator may throw where the one that calls it must not.
extern "C" void *__polypath_nothrow(void *(*operator_new)(std::size_t), std::size_t size) noexcept
{
    try {
        return operator_new(size);
    } catch (...) {
        return nullptr;
    }
}

extern "C" void *__polypath_nothrow_aligned(void *(*operator_new)(std::size_t, std::size_t), std::size_t size, std::size_t alignment) noexcept
{
    try {
        return operator_new(size, alignment);
    } catch (...) {
        return nullptr;
    }
}
