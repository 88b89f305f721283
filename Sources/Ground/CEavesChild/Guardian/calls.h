/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * calls.h: the system calls of a process that shares its caller's memory. The C library's functions would set errno,
 * which belongs to a thread of the caller that goes on meanwhile; these touch nothing, and return an error as its
 * negative number.
 */
#ifndef EAVES_CALLS_H
#define EAVES_CALLS_H

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static inline long call(long number, long a, long b, long c, long d, long e) {
#if defined(__x86_64__)
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long called __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register long fifth __asm__("x4") = e;
    __asm__ volatile("svc #0"
                     : "+r"(first)
                     : "r"(called), "r"(second), "r"(third), "r"(fourth), "r"(fifth)
                     : "memory");
    return first;
#else
#error "A guardian can be started on x86-64 and on 64-bit ARM."
#endif
}

/** Starts a process, as clone does, that runs a function on a stack of its own and with a thread pointer of its own. The
 *  function must not return. */
static inline long call_clone(unsigned long flags, char *stack_end, void *thread_pointer,
                              void (*function)(void *argument), void *argument) {
#if defined(__x86_64__)
    register long child __asm__("r10") = 0;
    register void *pointer __asm__("r8") = thread_pointer;
    register void (*started)(void *) __asm__("r12") = function;
    register void *passed __asm__("r13") = argument;
    long result;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "mov %%r13, %%rdi\n\t"
                     "call *%%r12\n\t"
                     "ud2\n"
                     "1:"
                     : "=a"(result)
                     : "a"((long)SYS_clone), "D"(flags), "S"(stack_end), "d"(0l), "r"(child), "r"(pointer),
                       "r"(started), "r"(passed)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long called __asm__("x8") = SYS_clone;
    register long result __asm__("x0") = (long)flags;
    register char *stack __asm__("x1") = stack_end;
    register long parent __asm__("x2") = 0;
    register void *pointer __asm__("x3") = thread_pointer;
    register long child __asm__("x4") = 0;
    register void (*started)(void *) __asm__("x20") = function;
    register void *passed __asm__("x21") = argument;
    __asm__ volatile("svc #0\n\t"
                     "cbnz x0, 1f\n\t"
                     "mov x29, #0\n\t"
                     "mov x30, #0\n\t"
                     "mov x0, x21\n\t"
                     "blr x20\n\t"
                     "brk #1\n"
                     "1:"
                     : "+r"(result)
                     : "r"(called), "r"(stack), "r"(parent), "r"(pointer), "r"(child), "r"(started), "r"(passed)
                     : "memory");
    return result;
#endif
}

/* The size of a set of signals in the kernel, whose 64 signals are the first bits of a sigset_t. */
enum { signal_set_size = 8 };

static inline int call_open(const char *path, int flags) {
    return (int)call(SYS_openat, AT_FDCWD, (long)path, flags, 0, 0);
}
static inline ssize_t call_read(int descriptor, void *bytes, size_t count) {
    return call(SYS_read, descriptor, (long)bytes, (long)count, 0, 0);
}
static inline long call_read_folder(int folder, void *entries, size_t size) {
    return call(SYS_getdents64, folder, (long)entries, (long)size, 0, 0);
}
static inline long call_read_link(const char *path, char *text, size_t size) {
    return call(SYS_readlinkat, AT_FDCWD, (long)path, (long)text, (long)size, 0);
}
static inline void call_close(int descriptor) { call(SYS_close, descriptor, 0, 0, 0, 0); }
static inline int call_copy_descriptor(int descriptor, int least) {
    return (int)call(SYS_fcntl, descriptor, F_DUPFD, least, 0, 0);
}
static inline void call_move_descriptor(int descriptor, int number) { call(SYS_dup3, descriptor, number, 0, 0, 0); }
static inline bool call_close_range(int first) {
    return call(436 /* close_range */, first, (long)~0u, 0, 0, 0) == 0;
}
/* The time is that which is left, afterwards; NULL for no limit. */
static inline long call_poll(struct pollfd *watched, long count, struct timespec *time) {
    return call(SYS_ppoll, (long)watched, count, (long)time, 0, signal_set_size);
}
static inline pid_t call_wait(int *status, int options) {
    return (pid_t)call(SYS_wait4, -1, (long)status, options, 0, 0);
}
static inline void call_kill(pid_t process, int number) { call(SYS_kill, process, number, 0, 0, 0); }
static inline void call_sleep(const struct timespec *time) { call(SYS_nanosleep, (long)time, 0, 0, 0, 0); }
static inline pid_t call_process(void) { return (pid_t)call(SYS_getpid, 0, 0, 0, 0, 0); }
static inline pid_t call_parent(void) { return (pid_t)call(SYS_getppid, 0, 0, 0, 0, 0); }
static inline void call_lead_group(void) { call(SYS_setpgid, 0, 0, 0, 0, 0); }
static inline void call_lead_session(void) { call(SYS_setsid, 0, 0, 0, 0, 0); }
static inline long call_prctl(int option, long value) { return call(SYS_prctl, option, value, 0, 0, 0); }
static inline long call_enter(const char *folder) { return call(SYS_chdir, (long)folder, 0, 0, 0, 0); }
static inline long call_execute(const char *path, char *const *arguments, char *const *environment) {
    return call(SYS_execve, (long)path, (long)arguments, (long)environment, 0, 0);
}
static inline void call_set_mask(const uint64_t *signals) {
    call(SYS_rt_sigprocmask, SIG_SETMASK, (long)signals, 0, signal_set_size, 0);
}
static inline int call_signal_descriptor(const uint64_t *signals, int flags) {
    return (int)call(SYS_signalfd4, -1, (long)signals, signal_set_size, flags, 0);
}
static inline _Noreturn void call_exit(int code) {
    while (1) call(SYS_exit_group, code, 0, 0, 0, 0);
}

#endif
