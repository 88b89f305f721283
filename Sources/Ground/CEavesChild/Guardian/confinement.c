/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "confinement.h"

#include "../Wall/filter.h"
#include "../Wall/landlock.h"
#include "calls.h"
#include "proc.h"
#include <errno.h>
#include <linux/ioprio.h>
#include <asm/sockios.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static void set(int resource, uint64_t most) {
    struct rlimit limit;
    if (call(SYS_prlimit64, 0, resource, 0, (long)&limit, 0) != 0) return;
    if (limit.rlim_max > most) limit.rlim_max = most;
    if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    call(SYS_prlimit64, 0, resource, (long)&limit, 0, 0);
}

/* The number of threads on this machine, which is at least that of this user: the fourth word of a line
 * like "0.20 0.18 0.12 1/80 11206". */
static uint64_t threads_of_machine(void) {
    char line[128];
    if (!read_text("/proc/loadavg", line, sizeof line)) return 1 << 16;
    const char *rest = line;
    while (*rest && *rest++ != '/') {}
    return (uint64_t)next_number(&rest);
}

void limit(const eaves_guarded_program *asked, long processors) {
    /* One byte instead of none: with a limit of 0, the system still runs a program that takes core files
     * through a pipe. */
    set(RLIMIT_CORE, 1);
    set(RLIMIT_DATA, asked->memory);
    set(RLIMIT_CPU, asked->seconds);
    /* Holds up a bomb until the guardian looks. The system counts the threads of all processes of the user, who may
     * start a build meanwhile that must not take them from the program: as many compilers as there are processors, with
     * their threads. A machine takes the longer to end a bomb, the larger it is. The limit does not stop root. */
    uint64_t room_for_others = 64 + 16 * (uint64_t)(processors > 0 ? processors : 1);
    set(RLIMIT_NPROC, threads_of_machine() + room_for_others + 2 * asked->processes);
}

static bool use_landlock(void) {
    static const struct landlock_rules signals = {.scoped = landlock_scope_signal};
    int rules = make_rules(signals);
    return rules >= 0 && enforce_rules(rules) == 0;
}

static const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;

/* Allows the call if the argument names the calling process, and refuses it for every other one. */
static void allow_oneself(int index) {
    load_argument(index);
    end_if(0, SECCOMP_RET_ALLOW);
    end_if(call_process(), SECCOMP_RET_ALLOW);
    end_with(refuse);
}

/* Lets a call of this number change nothing but the calling process, which its argument at index names.
 *
 * - kind: the value of the first argument by which the other one is the number of a process; -1 if there is none. */
static void judge_change(int number, int index, int kind) {
    unsigned short start = begin_rules(number);
    if (kind >= 0) {
        load_argument(0);
        add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)kind, 1, 0));
        end_with(refuse);
    }
    allow_oneself(index);
    end_rules(start);
}

/* A limit of another process is as good as a signal: one of no time ends it, one of no files blinds it. Only asking
 * for a limit sets none, and has no third argument. */
static void judge_limits(void) {
    unsigned short start = begin_rules(SYS_prlimit64);
    load_half(2, false);
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3));
    load_half(2, true);
    end_if(0, SECCOMP_RET_ALLOW);
    allow_oneself(0);
    end_rules(start);
}

/* A file that becomes ready sends a signal to its owner, which may be any process. */
static void refuse_owners(int number, const uint32_t *commands, int count) {
    unsigned short start = begin_rules(number);
    load_argument(1);
    for (int index = 0; index < count; ++index) end_if(commands[index], refuse);
    end_with(SECCOMP_RET_ALLOW);
    end_rules(start);
}

/* What a call of this number may signal: its first argument names the process, and the argument at
 * signal_index is the signal. A signal 0 only asks whether there is the process. */
static void judge_signals(int number, int signal_index, pid_t guardian, pid_t caller, bool others) {
    unsigned short start = begin_rules(number);
    load_argument(signal_index);
    end_if(0, SECCOMP_RET_ALLOW);
    load_argument(0);
    end_if((uint32_t)-1, SECCOMP_RET_KILL_PROCESS);
    end_if(guardian, SECCOMP_RET_KILL_PROCESS);
    end_if(-guardian, SECCOMP_RET_KILL_PROCESS);
    if (caller) {
        end_if(caller, SECCOMP_RET_KILL_PROCESS);
        end_if(-caller, SECCOMP_RET_KILL_PROCESS);
    }
    if (!others) {
        end_if(0, SECCOMP_RET_ALLOW);
        end_if(call_process(), SECCOMP_RET_ALLOW);
    }
    end_with(others ? SECCOMP_RET_ALLOW : refuse);
    end_rules(start);
}

/* - others: whether something else keeps it from signalling processes outside. */
static bool use_filter(pid_t guardian, pid_t caller, bool others) {
    if (!begin_filter()) return false;
    if (!others) {
        end_if(SYS_tkill, refuse);
        end_if(424 /* pidfd_send_signal */, refuse);
        refuse_owners(SYS_fcntl, (const uint32_t[]){F_SETOWN, F_SETOWN_EX}, 2);
        refuse_owners(SYS_ioctl, (const uint32_t[]){FIOSETOWN, SIOCSPGRP}, 2);
    }
    end_if(SYS_ptrace, refuse);
    end_if(SYS_process_vm_writev, refuse);
    end_if(438 /* pidfd_getfd */, refuse);
    end_if(440 /* process_madvise */, refuse);
    end_if(448 /* process_mrelease */, refuse);
    judge_limits();
    judge_change(SYS_sched_setparam, 0, -1);
    judge_change(SYS_sched_setscheduler, 0, -1);
    judge_change(SYS_sched_setattr, 0, -1);
    judge_change(SYS_sched_setaffinity, 0, -1);
    judge_change(SYS_setpriority, 1, PRIO_PROCESS);
    judge_change(SYS_ioprio_set, 1, IOPRIO_WHO_PROCESS);
    judge_change(SYS_migrate_pages, 0, -1);
    judge_change(SYS_move_pages, 0, -1);
    judge_signals(SYS_kill, 1, guardian, caller, others);
    judge_signals(SYS_tgkill, 2, guardian, caller, others);
    judge_signals(SYS_rt_sigqueueinfo, 1, guardian, caller, others);
    judge_signals(SYS_rt_tgsigqueueinfo, 2, guardian, caller, others);
    end_with(SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {filter_count, filter_steps};
    return call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0) == 0;
}

unsigned confine(unsigned means, pid_t guardian, pid_t caller) {
    unsigned works = 0;
    /* Without it, only root may do what follows. Programs that the process starts gain no rights. */
    call_prctl(PR_SET_NO_NEW_PRIVS, 1);
    if (means & eaves_confined_landlock && use_landlock()) works |= eaves_confined_landlock;
    bool others = works || guardian == 1;
    if (means & eaves_confined_filter && use_filter(guardian, caller, others)) {
        works |= eaves_confined_filter;
    }
    return works;
}
