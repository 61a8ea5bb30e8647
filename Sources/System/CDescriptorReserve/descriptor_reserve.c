#define _GNU_SOURCE
#include "descriptor_reserve.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(__linux__) && !defined(SANITIZED)

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 16 };

// A slot holds a descriptor plus one; 0 is an empty slot. Slots change by atomic exchange alone: `open` may be called in a
// signal handler and after fork, where a lock could stand for ever.
static atomic_int slots[MOST];
static atomic_int wanted, held;
static atomic_ulong used;

static int kernel_open(const char *path, int flags, mode_t mode) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void fill(void) {
    int saved = errno;
    int most = atomic_load(&wanted);
    for (int i = 0; i < most; i++) {
        if (atomic_load(&slots[i]) != 0) continue;
        int fd = kernel_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
        if (fd < 0) break;
        int empty = 0;
        if (atomic_compare_exchange_strong(&slots[i], &empty, fd + 1)) {
            atomic_fetch_add(&held, 1);
        } else {
            close(fd);
        }
    }
    errno = saved;
}

static int kernel_open_from_reserve(const char *path, int flags, mode_t mode) {
    // Another thread may take the descriptor between close and open: then the next one is given.
    for (int i = 0; i < MOST; i++) {
        int fd = atomic_exchange(&slots[i], 0) - 1;
        if (fd < 0) continue;
        atomic_fetch_sub(&held, 1);
        atomic_fetch_add(&used, 1);
        close(fd);
        int opened = kernel_open(path, flags, mode);
        if (opened >= 0 || errno != EMFILE) return opened;
    }
    errno = EMFILE;
    return -1;
}

// Defined in the executable, this stands before the C library's `open` for every library of the process.
__attribute__((visibility("default"))) int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    int fd = kernel_open(path, flags, mode);
    if (atomic_load(&wanted) == 0) return fd;
    if (fd < 0 && errno == EMFILE && strncmp(path, "/proc/", 6) == 0) {
        return kernel_open_from_reserve(path, flags, mode);
    }
    if (fd >= 0 && atomic_load(&held) < atomic_load(&wanted)) fill();
    return fd;
}

int descriptor_reserve_hold(int count) {
    atomic_store(&wanted, count < 0 ? 0 : count > MOST ? MOST : count);
    fill();
    return atomic_load(&held);
}

int descriptor_reserve_held(void) { return atomic_load(&held); }

unsigned long descriptor_reserve_used(void) { return atomic_load(&used); }

#else

int descriptor_reserve_hold(int count) {
    (void)count;
    return 0;
}

int descriptor_reserve_held(void) { return 0; }

unsigned long descriptor_reserve_used(void) { return 0; }

#endif
