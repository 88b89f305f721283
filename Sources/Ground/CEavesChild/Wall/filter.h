/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * filter.h: writes a filter of system calls, a program for the kernel's seccomp. Each file that includes this
 * writes one, from begin_filter to install_filter.
 */
#ifndef EAVES_FILTER_H
#define EAVES_FILTER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { filter_machine = AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { filter_machine = AUDIT_ARCH_AARCH64 };
#else
enum { filter_machine = 0 };
#endif

enum { most_filter_steps = 1024 };
static struct sock_filter filter_steps[most_filter_steps];
static unsigned short filter_count;

static inline void add_step(struct sock_filter step) { filter_steps[filter_count++] = step; }

static inline void load(size_t offset) {
    add_step((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Half of an argument. */
static inline void load_half(int index, bool is_high) {
    bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    load(offsetof(struct seccomp_data, args) + 8 * index + (is_high == is_big ? 0 : 4));
}

/* The low half of an argument; numbers of processes, descriptors and flags are no longer. */
static inline void load_argument(int index) { load_half(index, false); }

static inline void end_with(uint32_t action) {
    add_step((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Ends with an action if the loaded number is this one. */
static inline void end_if(uint32_t number, uint32_t action) {
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    end_with(action);
}

/* Ends with an action if the loaded number has one of these bits. */
static inline void end_if_any(uint32_t bits, uint32_t action) {
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    end_with(action);
}

/* Begins the rules for a call, which have to end with an action. Returns what end_rules takes. */
static inline unsigned short begin_rules(int number) {
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 0));
    return filter_count - 1;
}

/* Another call goes on behind the rules, with its number, which is still loaded. */
static inline void end_rules(unsigned short start) {
    filter_steps[start].jf = (unsigned char)(filter_count - start - 1);
}

/* Begins a filter with the number of the call loaded. A call in the manner of another machine, which has other
 * numbers, ends the process. Returns whether a filter can be written for this machine. */
static inline bool begin_filter(void) {
    if (!filter_machine) return false;
    filter_count = 0;
    load(offsetof(struct seccomp_data, arch));
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, filter_machine, 1, 0));
    end_with(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    end_with(SECCOMP_RET_KILL_PROCESS);
#endif
    return true;
}

/* Installs the filter for the calling thread and all that it starts, for good. Returns what the system call does: with
 * the flag of a listener, its descriptor; -1 with errno set. */
static inline int install_filter(unsigned flags) {
    struct sock_fprog program = {filter_count, filter_steps};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

#endif
