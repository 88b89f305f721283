/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * keeper.h: runs a tool, such as a compiler, under a process that ends it with all that it has started when its caller
 * wants that, or is gone.
 *
 * A process group is not enough for that: build programs put the compilers that they start into groups of their own.
 * The keeper is a copy of the calling process which only runs the functions of this room, and is the one that the
 * kernel gives orphans to. It looks for all that descends from it, in whatever group or session. A tool that ends by
 * itself with an exit code may leave processes behind: a server of a compiler's cache is to stay.
 */
#ifndef EAVES_KEEPER_H
#define EAVES_KEEPER_H

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
    /** The write end of a pipe. It is closed when the tool runs; if the tool cannot be started, errno is written to it
     *  before, as an int. */
    int failure;
} eaves_tool;

enum { eaves_most_streams = 6 };

/** Starts the keeper, which is a child of the calling process and leads a group of its own, as the tool does. The
 *  caller waits for the keeper: it ends as the tool has ended, with the same exit code or by the same signal.
 *
 *  SIGTERM, SIGINT, SIGHUP and SIGQUIT to the keeper ask it to end: it asks the tool and all that descends from it
 *  with SIGTERM, and waits until nothing is left. If a signal ended the tool, the keeper kills what it has left.
 *
 *  Returns the keeper's process identifier, or -1 with errno set. */
pid_t eaves_keep(const eaves_tool *_Nonnull tool);

#endif
