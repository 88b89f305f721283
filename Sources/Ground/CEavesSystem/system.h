// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The functions of the C library that we need and Swift's Glibc module leaves out.

#ifndef EAVES_SYSTEM_H
#define EAVES_SYSTEM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

/* These three stand in <unistd.h> and <spawn.h>, which Swift's module has read without _GNU_SOURCE; read
 * again, they would contradict it. The actions are a posix_spawn_file_actions_t. */
int pipe2(int ends[2], int flags) __attribute__((nothrow));
int posix_spawn_file_actions_addchdir_np(void *actions, const char *path) __attribute__((nothrow));
int posix_spawn_file_actions_addclosefrom_np(void *actions, int first) __attribute__((nothrow));

/* From <sys/xattr.h>, which reads headers that Swift's module has read without _GNU_SOURCE, too. */
long getxattr(const char *path, const char *name, void *value, unsigned long size) __attribute__((nothrow));
int setxattr(const char *path, const char *name, const void *value, unsigned long size, int flags)
    __attribute__((nothrow));
long listxattr(const char *path, char *names, unsigned long size) __attribute__((nothrow));
int removexattr(const char *path, const char *name) __attribute__((nothrow));

/* From <stdio.h>, with the flag of <linux/fs.h> that exchanges two names. */
int renameat2(int folder, const char *path, int other, const char *target, unsigned flags)
    __attribute__((nothrow));
enum { EAVES_RENAME_EXCHANGE = 2 };

/* From <sys/fsuid.h>: the tests race with them. */
int setfsuid(unsigned user) __attribute__((nothrow));
int setfsgid(unsigned group) __attribute__((nothrow));

/* From <sys/eventfd.h>: a descriptor by which one thread wakes another. Its flags are those of `open`. */
int eventfd(unsigned count, int flags) __attribute__((nothrow));

/* From <sys/epoll.h>, which reads headers that Swift's module has read without _GNU_SOURCE, too. */
struct epoll_event {
    unsigned events;
    unsigned long long data;
}
#ifdef __x86_64__
__attribute__((packed))
#endif
;
enum { EAVES_EPOLL_ADD = 1, EAVES_EPOLL_CHANGE = 3, EAVES_EPOLL_SHUT = 0x2000 };
int epoll_create1(int flags) __attribute__((nothrow));
int epoll_ctl(int queue, int operation, int descriptor, struct epoll_event *event) __attribute__((nothrow));
int epoll_wait(int queue, struct epoll_event *events, int most, int milliseconds);

/* From <sys/pidfd.h>, which the oldest supported glibc does not have: a descriptor that names one process for ever,
 * and the signals that go to it. */
#include <sys/syscall.h>
long syscall(long number, ...) __attribute__((nothrow));
static inline int eaves_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }
static inline int eaves_pidfd_signal(int descriptor, int number) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, number, (void *)0, 0);
}

/* From <stdio.h>: the stream of `print` and `puts`, a variable of C that Swift lets no thread use. */
#include <stdio.h>
#include <stdio_ext.h>
static inline FILE *_Nonnull eaves_printed(void) { return stdout; }

/* Lets each line that this process prints be seen when it is printed. */
static inline void eaves_print_by_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

/* From <stdio_ext.h>: whether a stream keeps something back, and a way to drop that after an error. */
static inline int eaves_keeps_back(FILE *_Nonnull stream) { return __fpending(stream) > 0; }
static inline void eaves_drop_kept(FILE *_Nonnull stream) {
    __fpurge(stream);
    clearerr(stream);
}

/* From <string.h>: one compares texts, and numbers in them by their values, and one finds bytes in others. */
int strverscmp(const char *left, const char *right) __attribute__((nothrow));
void *memmem(const void *bytes, size_t size, const void *part, size_t count) __attribute__((nothrow));

/* Serves the main queue, and so the main actor, on the first thread, by the functions that Foundation's run loop uses.
 * `dispatch_main` would give the thread up, and other threads would serve the queue. Swift's own module for them would make every
 * start of the command load another library. */
#include <errno.h>
#include <unistd.h>
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);
void dispatch_main(void) __attribute__((noreturn));
static inline __attribute__((noreturn)) void eaves_serve_main_queue(void) {
    /* As <poll.h> has it, whose own belongs to Swift's module of the C library. */
    struct {
        int fd;
        short events, revents;
    } queue = {.fd = _dispatch_get_main_queue_handle_4CF(), .events = 1};
    unsigned long long count;
    for (;;) {
        if (syscall(SYS_ppoll, &queue, 1, (void *)0, (void *)0, 0) < 0) continue;
        /* A module may have closed the descriptor. */
        if (read(queue.fd, &count, sizeof count) < 0 && errno != EAGAIN && errno != EINTR) dispatch_main();
        _dispatch_main_queue_callback_4CF((void *)0);
    }
}

#endif
