/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * supervisor.h: runs a program that is not trusted to end, under a process that ends it with all its
 * descendants.
 *
 * The supervisor is a copy of the calling process which only runs the functions of this room: it makes
 * system calls, allocates nothing, and keeps no descriptors of its caller but its own two. Where the kernel
 * lets it, it is the first process of a PID namespace, so that the kernel ends all others with it. Elsewhere
 * it is the one that orphans are given to, and ends them one by one. The programs that may end as they like, such as
 * compilers, run under the process of keeper.h.
 */
#ifndef EAVES_SUPERVISOR_H
#define EAVES_SUPERVISOR_H

#include <stdint.h>
#include <sys/types.h>

/** The means by which the program is confined. */
enum {
    /** A PID namespace. Only root may make one without a user namespace, in which only the caller has
     *  a name, so that no owner could be checked. */
    eaves_confined_namespace = 1,
    /** Landlock's signal scope (Linux 6.12): a signal to a process outside fails with EPERM. */
    eaves_confined_landlock = 2,
    /** A filter of system calls: a signal to the supervisor, to its caller or to every process ends the
     *  program with SIGSYS. Without Landlock, the program may signal no other process but itself. */
    eaves_confined_filter = 4,
};

/** The limit that made the supervisor end the program. */
enum {
    eaves_excess_none = 0,
    eaves_excess_processes = 1,
    eaves_excess_memory = 2,
};

typedef struct eaves_supervision {
    /** The program's absolute path, its arguments and its whole environment. The lists end with NULL. */
    const char *_Nonnull executable;
    char *_Nullable const *_Nonnull arguments;
    char *_Nullable const *_Nonnull environment;
    /** The descriptor that becomes its standard output and standard error. Its input is empty. */
    int output;
    /** The descriptor that becomes its descriptor 3. */
    int channel;
    /** From here the supervisor reads commands. A byte is the number of a signal to send to the program.
     *  Byte 0, and the end of the input, say to end everything. */
    int commands;
    /** Here it writes its reports, lines of text:
     *
     *      confined MEANS PROCESS    the program starts, confined by these means; /proc shows it as PROCESS
     *      failed ERRNO              the program could not be started
     *      ended STATUS LEFT EXCESS  the program has ended, with this status of waitpid. It had left so many
     *                                processes behind, which have been ended, too; EXCESS is the limit that
     *                                it has crossed. This is the last line. */
    int reports;
    /** The means that may be used. */
    unsigned means;
    /** How many processes there may be at one time, and how many bytes of memory all of them may use. One
     *  process alone cannot allocate more either. */
    unsigned processes;
    uint64_t memory;
    /** How many seconds each process may compute. */
    uint64_t seconds;
} eaves_supervision;

/** Starts the supervisor, which is a child of the calling process and starts the program. The caller waits
 *  for it. Returns its process identifier, or -1 with errno set. */
pid_t eaves_supervise(const eaves_supervision *_Nonnull supervision);

#endif
