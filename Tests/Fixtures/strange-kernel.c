/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs a program on a kernel that is less than it seems: `strange-kernel HOW PROGRAM ARGUMENT...`
 *
 * missing      the system has no Landlock
 * pretended    it says that it enforces the rules of Landlock, and does not
 * uncopied     no process takes a descriptor of another one, as under the filter of a container
 * unfiltered   it says that it has installed a filter of system calls, and has not
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { create_ruleset = 444, restrict_self = 446 };

int main(int count, char **arguments) {
    if (count < 3) return 64;
    unsigned first = restrict_self, last = restrict_self, answer = 0;
    if (strcmp(arguments[1], "missing") == 0) {
        first = create_ruleset;
        answer = ENOSYS;
    } else if (strcmp(arguments[1], "uncopied") == 0) {
        first = last = 438; /* pidfd_getfd */
        answer = EPERM;
    } else if (strcmp(arguments[1], "unfiltered") == 0) {
        first = last = SYS_seccomp;
    } else if (strcmp(arguments[1], "pretended") != 0) {
        return 64;
    }
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, last, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 71;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) return 71;
    execv(arguments[2], arguments + 2);
    return 71;
}
