/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * guardian.h: runs a program under a process that ends it, with all that it has started, when its caller wants that, or
 * is gone.
 *
 * A process group is not enough for that: build programs put the compilers that they start into groups of their own.
 * The guardian is a process that only runs the functions of this room, and is the one that the kernel gives orphans to. It
 * looks for all that descends from it, in whatever group or session. Where the kernel lets it, the guardian of a judge is
 * the first process of a PID namespace, so that the kernel ends all others with it.
 *
 * The guardian has its caller's memory instead of a copy, however large that is, and not one of its descriptors. Up to
 * Linux 5.15 the system kills all processes on a memory of which it writes a core file: there, the programs that a tool has
 * started outlive a caller that crashes.
 */
#ifndef EAVES_GUARDIAN_H
#define EAVES_GUARDIAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** What a program is to its caller. */
enum {
    /** A program such as a compiler. If it ends by itself with an exit code, it may leave processes behind: a server of a
     *  compiler's cache is to stay. */
    eaves_role_tool = 0,
    /** A program that runs a module for its caller. Nothing that it has started outlives it. */
    eaves_role_worker = 1,
    /** A program that is not trusted to end, nor to leave others alone. It has a session of its own, is confined and
     *  limited, and nothing that it has started outlives it. */
    eaves_role_judge = 2,
};

/** The means by which a judge is confined. */
enum {
    /** A PID namespace. Only root may make one without a user namespace, in which only the caller has
     *  a name, so that no owner could be checked. */
    eaves_confined_namespace = 1,
    /** Landlock's signal scope (Linux 6.12): a signal to a process outside fails with EPERM. */
    eaves_confined_landlock = 2,
    /** A filter of system calls: a signal to the guardian, to its caller or to every process ends the
     *  program with SIGSYS. Without Landlock, the program may signal no other process but itself. */
    eaves_confined_filter = 4,
};

/** The limit that made the guardian end the program. */
enum {
    eaves_excess_none = 0,
    eaves_excess_processes = 1,
    eaves_excess_memory = 2,
};

typedef struct eaves_guarded_program {
    /** A path, or a name that is looked up in PATH; the program's arguments and its whole environment. The lists end with
     *  NULL. */
    const char *_Nonnull executable;
    char *_Nullable const *_Nonnull arguments;
    char *_Nullable const *_Nonnull environment;
    /** The folder that the program starts in; NULL for that of the caller. */
    const char *_Nullable folder;
    /** The descriptors that become the program's, from 0 on, at most `eaves_most_streams`. It gets no others. */
    const int *_Nonnull streams;
    int stream_count;
    /** One end of a pair of sockets. The other end is the caller's, which sees the end of the guardian there, and sends
     *  bytes: each is the number of a signal for the program. When the caller's end is closed, which its own end does, too,
     *  the guardian kills everything at once. */
    int lifeline;
    int role;
    /** Whether the guardian has to end everything also after a core file of its caller. It has memory of its own then, where
     *  the system demands that. A judge's always has. */
    bool outlives_core_files;
    /** For a judge: the means that may be used; how many processes there may be at one time, and how many bytes of memory
     *  all of them may use, and one of them alone may allocate; how many seconds each process may compute. */
    unsigned means, processes;
    uint64_t memory, seconds;
} eaves_guarded_program;

enum { eaves_most_streams = 6 };

/** What a guardian tells of its program. */
typedef struct eaves_guarded {
    /** The guardian's process identifier. */
    pid_t guardian;
    /** The program's, by which /proc shows it to the caller. */
    pid_t process;
    /** The means by which the program is confined. */
    unsigned means;
    /** Whether the program has ended, and its status as waitpid would give it. A program that has not ended before its
     *  guardian was killed was killed with it. */
    bool has_ended;
    int status;
    /** Valid when the guardian has ended: how many processes the program had left behind, which have been ended, too, and
     *  the limit that it has crossed. A tool's are not counted. */
    int left, excess;
} eaves_guarded;

/** Starts a program under a guardian, which is a child of the calling process and leads a group of its own, as the program
 *  does. The caller waits for the guardian, which ends after the program.
 *
 *  SIGTERM, SIGINT, SIGHUP and SIGQUIT to the guardian ask it to end: it asks the program and all that descends from it
 *  with SIGTERM, and waits until nothing is left. If a signal ended a tool, the guardian kills what it has left.
 *
 *  Returns when the program runs, and has its means. Returns NULL with errno set if it cannot be started. */
const eaves_guarded *_Nullable eaves_guard(const eaves_guarded_program *_Nonnull program);

/** Frees what the guardian has worked with. The guardian must have ended. */
void eaves_free_guarded(const eaves_guarded *_Nonnull guarded);

#endif
