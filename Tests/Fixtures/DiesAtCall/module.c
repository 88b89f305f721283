/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loaded before the command: counts the calls that change files, and kills the process at one of them.
 *
 * EAVES_FAULT is `before 7` to kill it before the seventh call, `after 7` to kill it right after, and `half 7`
 * to kill it in the middle of a write. EAVES_CALLS is a file that gets a line for each call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum moment { NEVER, BEFORE, HALF, AFTER };

static enum moment moment;
static int target;
static int log_file = -1;
static atomic_int count;

__attribute__((constructor)) static void begin(void) {
    const char *fault = getenv("EAVES_FAULT"), *calls = getenv("EAVES_CALLS");
    if (calls) log_file = syscall(SYS_openat, AT_FDCWD, calls, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    char word[8] = "";
    if (fault && sscanf(fault, "%7s %d", word, &target) == 2) {
        moment = !strcmp(word, "before") ? BEFORE : !strcmp(word, "half") ? HALF : AFTER;
    }
    /* The processes that this one starts live on. */
    unsetenv("LD_PRELOAD");
}

static void die(void) {
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    for (;;) pause();
}

/* Counts a call, and kills the process if it is to die before it.
 *
 * Returns the moment at which it is to die instead. */
static enum moment enter(const char *name) {
    int error = errno;
    int number = atomic_fetch_add(&count, 1) + 1;
    if (log_file >= 0) {
        char line[64];
        int length = snprintf(line, sizeof line, "%s\n", name);
        if (syscall(SYS_write, log_file, line, length) < 0) die();
    }
    enum moment now = number == target ? moment : NEVER;
    if (now == BEFORE) die();
    errno = error;
    return now;
}

/* Whether a descriptor is that of a file on the disk, and none of the three that everybody has. */
static bool is_file(int descriptor) {
    struct stat status;
    return descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)
        && status.st_nlink > 0;
}

#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define COUNTED(name, parameters, arguments) \
    int name parameters { \
        NEXT(name); \
        enum moment now = enter(#name); \
        int result = next arguments; \
        if (now == AFTER) die(); \
        return result; \
    }

COUNTED(rename, (const char *a, const char *b), (a, b))
COUNTED(renameat, (int f, const char *a, int g, const char *b), (f, a, g, b))
COUNTED(renameat2, (int f, const char *a, int g, const char *b, unsigned k), (f, a, g, b, k))
COUNTED(link, (const char *a, const char *b), (a, b))
COUNTED(linkat, (int f, const char *a, int g, const char *b, int k), (f, a, g, b, k))
COUNTED(symlink, (const char *a, const char *b), (a, b))
COUNTED(symlinkat, (const char *a, int f, const char *b), (a, f, b))
COUNTED(unlink, (const char *a), (a))
COUNTED(unlinkat, (int f, const char *a, int k), (f, a, k))
COUNTED(rmdir, (const char *a), (a))
COUNTED(mkdir, (const char *a, mode_t m), (a, m))
COUNTED(mkdirat, (int f, const char *a, mode_t m), (f, a, m))
COUNTED(chmod, (const char *a, mode_t m), (a, m))
COUNTED(fchmod, (int f, mode_t m), (f, m))
COUNTED(fchmodat, (int f, const char *a, mode_t m, int k), (f, a, m, k))
COUNTED(fchown, (int f, uid_t u, gid_t g), (f, u, g))
COUNTED(ftruncate, (int f, off_t l), (f, l))
COUNTED(truncate, (const char *a, off_t l), (a, l))
COUNTED(fsync, (int f), (f))
COUNTED(fdatasync, (int f), (f))
COUNTED(futimens, (int f, const struct timespec t[2]), (f, t))
COUNTED(utimensat, (int f, const char *a, const struct timespec t[2], int k), (f, a, t, k))

#define COUNTED_WRITE(name, parameters, arguments, half) \
    ssize_t name parameters { \
        NEXT(name); \
        if (!is_file(f)) return next arguments; \
        enum moment now = enter(#name); \
        if (now == HALF) { \
            if (next half < 0) perror(#name); \
            die(); \
        } \
        ssize_t result = next arguments; \
        if (now == AFTER) die(); \
        return result; \
    }

COUNTED_WRITE(write, (int f, const void *b, size_t n), (f, b, n), (f, b, n / 2))
COUNTED_WRITE(pwrite, (int f, const void *b, size_t n, off_t o), (f, b, n, o), (f, b, n / 2, o))
COUNTED_WRITE(pwrite64, (int f, const void *b, size_t n, off_t o), (f, b, n, o), (f, b, n / 2, o))
COUNTED_WRITE(writev, (int f, const struct iovec *v, int n), (f, v, n), (f, v, n / 2))
COUNTED_WRITE(copy_file_range, (int g, off_t *p, int f, off_t *q, size_t n, unsigned k),
              (g, p, f, q, n, k), (g, p, f, q, n / 2, k))

#define COUNTED_OPEN(name, first, names) \
    int name(first int flags, ...) { \
        NEXT(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (!(flags & (O_CREAT | O_TRUNC))) return next(names flags, mode); \
        enum moment now = enter(#name); \
        int result = next(names flags, mode); \
        if (now == AFTER) die(); \
        return result; \
    }

#define FIRST const char *path,
#define SECOND int folder, const char *path,
#define PATH path,
#define IN_FOLDER folder, path,
COUNTED_OPEN(open, FIRST, PATH)
COUNTED_OPEN(open64, FIRST, PATH)
COUNTED_OPEN(openat, SECOND, IN_FOLDER)
COUNTED_OPEN(openat64, SECOND, IN_FOLDER)
