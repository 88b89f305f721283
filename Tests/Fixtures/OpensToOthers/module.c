/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into the command: makes a module writable by everybody after the command has checked who
 * can change it and before it copies the file. Only the copy opens the module through a descriptor that
 * holds it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int opens(const char *name, const char *path, int flags, mode_t mode) {
    char file[4096] = "";
    ssize_t length = strncmp(path, "/proc/self/fd/", 14) == 0 ? readlink(path, file, sizeof file - 1) : 0;
    if (length > 9 && strcmp(file + length - 9, "/users.so") == 0) chmod(file, 0666);
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    return next(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opens("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opens("open64", path, flags, mode);
}
