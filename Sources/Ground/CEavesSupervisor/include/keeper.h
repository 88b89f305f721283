/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * keeper.h: runs a tool, such as a compiler, under a process that ends it with all that it has started when its caller
 * wants that, or is gone.
 *
 * A process group is not enough for that: build programs put the compilers that they start into groups of their own.
 * The keeper is a process that only runs the functions of this room, and is the one that the kernel gives orphans to. It
 * looks for all that descends from it, in whatever group or session. A tool that ends by itself with an exit code may
 * leave processes behind: a server of a compiler's cache is to stay.
 *
 * The keeper has its caller's memory instead of a copy, however large that is, and not one of its descriptors. Up to
 * Linux 5.15 the system kills all processes on a memory of which it writes a core file: there, what a tool has started
 * outlives a caller that crashes.
 */
#ifndef EAVES_KEEPER_H
#define EAVES_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct eaves_tool {
    /** A path, or a name that is looked up in PATH; the tool's arguments and its whole environment. The lists end with
     *  NULL. */
    const char *_Nonnull executable;
    char *_Nullable const *_Nonnull arguments;
    char *_Nullable const *_Nonnull environment;
    /** The folder that the tool starts in; NULL for that of the caller. */
    const char *_Nullable folder;
    /** The descriptors that become the tool's, from 0 on, at most `eaves_most_streams`. It gets no others. */
    const int *_Nonnull streams;
    int stream_count;
    /** The read end of a pipe. When its last write end is closed, which the caller's own end does, too, the keeper
     *  kills everything at once. */
    int lifeline;
} eaves_tool;

enum { eaves_most_streams = 6 };

/** A tool that was started. */
typedef struct eaves_kept_tool eaves_kept_tool;

/** Starts a tool under a keeper, which is a child of the calling process and leads a group of its own, as the tool does.
 *  The caller waits for the keeper, which ends after the tool.
 *
 *  SIGTERM, SIGINT, SIGHUP and SIGQUIT to the keeper ask it to end: it asks the tool and all that descends from it
 *  with SIGTERM, and waits until nothing is left. If a signal ended the tool, the keeper kills what it has left.
 *
 *  Returns when the tool runs. Returns NULL with errno set if it cannot be started. */
eaves_kept_tool *_Nullable eaves_keep(const eaves_tool *_Nonnull tool);

/** The keeper's process identifier. */
pid_t eaves_keeper(const eaves_kept_tool *_Nonnull kept);

/** The tool's status, as waitpid would give it, when the keeper has ended. A tool that has not ended before its keeper
 *  was killed was killed with it. */
int eaves_kept_status(const eaves_kept_tool *_Nonnull kept);

/** Frees what the keeper has worked with. The keeper must have ended. */
void eaves_free_kept(eaves_kept_tool *_Nonnull kept);

#endif
