/* capstan/abi/base.h - versions, macros and the value types that never change.
 *
 * Everything below abi/ is the boundary between the host and a plugin: plain C, the only layout
 * promised across compilers and releases. C11 or C++17 and later, LP64 Linux. This header includes
 * only <stddef.h> and <stdint.h>.
 *
 * Rules that hold for every header of this folder:
 *   - Text is UTF-8 with a length, and need not be NUL-terminated. Exceptions: a parameter of type
 *     `const char *` is NUL-terminated, and a `char` array of a struct is NUL-padded.
 *   - Neither side frees what the other one allocated. Arguments are borrowed until the call returns or,
 *     for an asynchronous call, until its operation is closed. Results are borrowed by the host while
 *     it copies them: inside `complete`, or inside a function of a response struct, such as `keep`.
 *   - A struct that may grow starts with `struct_size`, set by the side that allocates it. Members are only
 *     appended, only behind `#if CAPSTAN_ABI_MINOR >= n`. Such a struct is never embedded in another
 *     one by value and never an array element without a stride.
 *   - Absent is not zero, unless the comment of the member says so: an optional member has a bit in
 *     `present`, or is a pointer that may be NULL.
 *   - An enumerator that the receiver does not know means the default documented beside the enumeration.
 *     Where no default is documented, the struct or call that carries it is refused with an error. It is
 *     never undefined behaviour.
 *
 * Thread tags used throughout:
 *   [strand]   the instance's own strand; never two calls at once; must not block (50 ms watchdog)
 *   [compute]  a decision thread; no I/O; bounded by the call's deadline; several at once on one
 *              instance only if its class says CAPSTAN_CONCURRENCY_PARALLEL
 *   [blocking] a thread of the bounded pool behind capstan.exec/1; may block
 *   [load]     a thread that loads plugins; one call at a time per file; instances of the file may
 *              be running
 *   [any]      any thread, also inside another call
 */
#ifndef CAPSTAN_ABI_BASE_H
#define CAPSTAN_ABI_BASE_H

#include <stddef.h>
#include <stdint.h>

#define CAPSTAN_ABI_MAJOR 1
/** The newest minor these headers describe. */
#define CAPSTAN_ABI_MINOR_LATEST 0
/** The minor this translation unit requires of a host. A higher one makes newer members visible. With the
 *  default, a plugin built with new headers still loads in the oldest 1.x host. */
#ifndef CAPSTAN_ABI_MINOR
#define CAPSTAN_ABI_MINOR 0
#endif
#if CAPSTAN_ABI_MINOR > CAPSTAN_ABI_MINOR_LATEST
#error "CAPSTAN_ABI_MINOR asks for a newer minor than these headers describe"
#endif
/** The SDK release these headers belong to; text in the ELF note, for people. */
#define CAPSTAN_SDK_VERSION "1.0.0"

#ifdef __cplusplus
/** Part of every function pointer's type: a C++ function that may throw does not convert to it. */
#define CAPSTAN_NOEXCEPT noexcept
#define CAPSTAN_BEGIN_DECLS extern "C" {
#define CAPSTAN_END_DECLS }
#else
#define CAPSTAN_NOEXCEPT
#define CAPSTAN_BEGIN_DECLS
#define CAPSTAN_END_DECLS
#endif

#define CAPSTAN_EXPORT __attribute__((visibility("default")))

/** True when the other side's struct is long enough to hold `member`. Says nothing about its
 *  value: a zero is a value. For a function pointer see CAPSTAN_HAS. */
#define CAPSTAN_REACHES(p, type, member) \
    ((p) != NULL && (p)->struct_size >= offsetof(type, member) + sizeof((p)->member))
/** True when the table `p` is long enough to hold the function `member`, and the function is not NULL. */
#define CAPSTAN_HAS(p, type, member) (CAPSTAN_REACHES(p, type, member) && (p)->member != NULL)
/** True when the optional data member is reachable and its presence bit is set. */
#define CAPSTAN_PRESENT(p, type, member, bit) \
    (CAPSTAN_REACHES(p, type, member) && ((p)->present & (bit)) != 0)

CAPSTAN_BEGIN_DECLS

/** Borrowed UTF-8 text. `ptr` may be NULL when `len` is 0. */
typedef struct capstan_str {
    const char *ptr;
    size_t len;
} capstan_str;

/** Borrowed array. Step by `stride`, never by sizeof, since the other side's elements may be longer. */
typedef struct capstan_array {
    const void *data;
    uint32_t count;
    uint32_t stride;
} capstan_array;

typedef struct capstan_kv {
    capstan_str key;
    capstan_str value;
} capstan_kv;

/** An amount of one resource in Kubernetes' own units: thousandths of a core for "cpu", whole units
 *  (bytes, pods, devices) for everything else, rounded up as Kubernetes rounds. */
typedef struct capstan_quantity {
    capstan_str resource;
    int64_t amount;
} capstan_quantity;

enum { CAPSTAN_EFFECT_NO_SCHEDULE = 1, CAPSTAN_EFFECT_PREFER_NO_SCHEDULE = 2, CAPSTAN_EFFECT_NO_EXECUTE = 3 };

typedef struct capstan_taint {
    capstan_str key;
    capstan_str value;
    int32_t effect;   /* CAPSTAN_EFFECT_* */
    int32_t reserved; /* 0 */
} capstan_taint;

/** The id of one asynchronous call: slot and generation. A stale id is ignored, never dereferenced. 0: none.
 *  */
typedef uint64_t capstan_op;

/** CAPSTAN_OK or CAPSTAN_E_*; see error.h. */
typedef int32_t capstan_status;

CAPSTAN_END_DECLS
#endif
