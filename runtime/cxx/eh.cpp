// The search for a handler where the engine runs: what the unwinder and the personality routine do natively, in which the
// engine only walks its frames. The types are matched by libc++abi. There is no machine code of this file.
#include "cxa_exception.h"
#include "cxa_handlers.h"
#include "private_typeinfo.h"

#include <exception>
#include <stdint.h>

using namespace __cxxabiv1;

extern "C" {

// The innermost call below frame `frame` that has a landing pad: the frame that made it, counted from the outermost, 1 being the
// first; 0 if there is none. Frame -1 is beyond all.
long __polypath_unwind_next(long frame);

// A word of the table of the landing pad at which the call of this frame ends. Word 0 are the flags below. Clauses follow, in the
// order in which they count: the selector of a type that is caught and the address of its type_info, or minus the number of types
// of a filter, less one, and their addresses. A selector of 0 ends the table.
long __polypath_unwind_word(long frame, long index);

// Leaves the calls in progress, those of this frame excepted, and goes on at its landing pad.
[[noreturn]] void __polypath_unwind_land(long frame, void *exception, long selector);

// The exception has no handler. `frame` is that of a function that lets none out, 0 if there is none.
void __polypath_uncaught(const char *type, const char *what, long frame);

// A handler for unexpected exceptions that ends by an exception, as C++98 allows, is not supported.
[[noreturn]] void __polypath_unexpected_handler_that_throws();
}

namespace
{

enum { CLEANUP = 1, TERMINATES = 2 };

// A type of a clause; a null pointer is that of `catch (...)`.
const __shim_type_info *type_at(long frame, long index)
{
    return reinterpret_cast<const __shim_type_info *>(__polypath_unwind_word(frame, index));
}

struct Thrown {
    const __shim_type_info *type; // null for an exception of another language
    void *object;

    explicit Thrown(_Unwind_Exception *e) : type(nullptr), object(e + 1)
    {
        if (!__isOurExceptionClass(e)) return;
        type = static_cast<const __shim_type_info *>((reinterpret_cast<__cxa_exception *>(e + 1) - 1)->exceptionType);
        if (__getExceptionClass(e) == kOurDependentExceptionClass)
            object = (reinterpret_cast<__cxa_dependent_exception *>(e + 1) - 1)->primaryException;
    }

    // Whether the clause takes it; then `adjusted` is the object that the handler sees.
    bool is_caught(const __shim_type_info *clause, void *&adjusted) const
    {
        adjusted = object;
        return !clause || (type && clause->can_catch(type, adjusted));
    }
};

// The selector with which the landing pad of this frame handles the exception; 0 if it does not.
long handles(long frame, const Thrown &thrown, void *&adjusted)
{
    for (long i = 1;;) {
        long selector = __polypath_unwind_word(frame, i);
        if (!selector) return 0;
        if (selector > 0) {
            if (thrown.is_caught(type_at(frame, i + 1), adjusted)) return selector;
            i += 2;
            continue;
        }
        long count = -selector - 1;
        bool is_allowed = false;
        for (long n = 0; n < count && !is_allowed; n++) is_allowed = thrown.is_caught(type_at(frame, i + 1 + n), adjusted);
        adjusted = thrown.object;
        if (!is_allowed) return selector;
        i += 1 + count;
    }
}

void tell(const Thrown &thrown, long frame)
{
    void *object = thrown.object;
    auto base = static_cast<const __shim_type_info *>(&typeid(std::exception));
    bool is_standard = thrown.type && base->can_catch(thrown.type, object);
    const char *what = is_standard ? static_cast<std::exception *>(object)->what() : nullptr;
    __polypath_uncaught(thrown.type ? thrown.type->name() : nullptr, what, frame);
}

// Enters the next landing pad on the way to that of frame number `handler`, which is entered with this selector.
[[noreturn]] void go_on(_Unwind_Exception *e, long handler, long selector)
{
    long frame = -1;
    do frame = __polypath_unwind_next(frame);
    while (frame > handler && !(__polypath_unwind_word(frame, 0) & CLEANUP));
    __polypath_unwind_land(frame, e, frame == handler ? selector : 0);
}

} // namespace

extern "C" {

// They stand for the functions of the unwinder: _Unwind_RaiseException, _Unwind_Resume and so on (`polypath_llvm::lower::unwind`).

_Unwind_Reason_Code __polypath_unwind_raise(_Unwind_Exception *e)
{
    const Thrown thrown(e);
    void *adjusted = thrown.object;
    long frame = -1, selector = 0;
    while ((frame = __polypath_unwind_next(frame)) && !(selector = handles(frame, thrown, adjusted))) {}
    if (!frame || __polypath_unwind_word(frame, 0) & TERMINATES) tell(thrown, frame);
    if (!frame) return _URC_END_OF_STACK;
    if (thrown.type) {
        auto header = reinterpret_cast<__cxa_exception *>(e + 1) - 1;
        header->handlerSwitchValue = static_cast<int>(selector);
        header->adjustedPtr = adjusted;
    }
    // Free for the unwinder.
    e->private_1 = static_cast<uintptr_t>(frame);
    e->private_2 = static_cast<uintptr_t>(selector);
    go_on(e, frame, selector);
}

void __polypath_unwind_resume(_Unwind_Exception *e)
{
    go_on(e, static_cast<long>(e->private_1), static_cast<long>(e->private_2));
}

void __polypath_unwind_delete(_Unwind_Exception *e)
{
    if (e->exception_cleanup) e->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, e);
}

void __polypath_unwind_unexpected(void *e)
{
    __cxa_begin_catch(e);
    try {
        std::__unexpected(std::get_unexpected());
    } catch (...) {
        __polypath_unexpected_handler_that_throws();
    }
}
}
