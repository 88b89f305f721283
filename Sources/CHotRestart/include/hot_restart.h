/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * hot_restart.h: a process that hands its work over to a fresh one, and stays as the one that was started.
 *
 * A supervisor (a terminal, systemd, a container) knows a program by the number of its process. So the first
 * process of a program becomes the *waiter* when it has handed over: it runs itself again, which frees its
 * memory, and then does two things only. It passes signals on to the process that serves, and it ends as that
 * one ends. Each later process ends when it has handed over, and tells the waiter which process serves next.
 *
 * A process learns its part from its environment, before `main`: a successor finds EAVES_HANDOVER there, and a
 * waiter EAVES_WAITER. No child of theirs sees these variables.
 */
#ifndef EAVES_HOT_RESTART_H
#define EAVES_HOT_RESTART_H

#include <stdbool.h>
#include <sys/types.h>

/** What a process got from the one that started it as its successor. */
typedef struct eaves_inheritance {
    /** The socket to the process that serves until this one does; -1 if this process is no successor. */
    int channel;
    /** The socket to the waiter, or to the process that becomes it. Its end is that of the waiter. */
    int lifeline;
} eaves_inheritance;

/** What this process inherited. The descriptors are closed by exec. */
eaves_inheritance eaves_inherited(void);

/** The path by which the system was asked to run this program; NULL if it does not tell. */
const char *_Nullable eaves_start_path(void);

/** Starts a program as the successor of this process, with the arguments of this process, its environment and
 *  its standard descriptors, in its process group. It gets no other descriptors than these and the two sockets, also
 *  not those that exec would leave open. Returns the child's number, or -1 with errno set.
 *
 *  \param program   The program's absolute path.
 *  \param folder    The folder that it starts in.
 *  \param channel   Its end of the socket to this process.
 *  \param lifeline  Its end of the socket to the waiter. */
pid_t eaves_start_successor(const char *_Nonnull program, const char *_Nonnull folder, int channel,
                            int lifeline);

/** From now on, signals go to a child, which serves instead of this process: whoever sends them does not know it
 *  yet. Ignored ones stay ignored. */
void eaves_pass_signals_on(pid_t host);

/** Becomes the waiter for a child. Never returns; all other threads end.
 *
 *  \param lifeline  The waiter's end: hosts write here the number of their successor, as a line. */
_Noreturn void eaves_become_waiter(pid_t host, int lifeline);

/** Tells the waiter that a child of this process serves from now on, waits until it knows, and passes on the signals
 *  that have come until then. Returns false if there is no waiter. */
bool eaves_announce_successor(pid_t successor, int lifeline);

/** From now on, a signal makes a descriptor (an eventfd) readable, unless the signal has a handler or is
 *  ignored. Returns whether it does. */
bool eaves_note_request(int number, int event);

/** Whether the signal has come since the last call. */
bool eaves_take_request(void);

#endif
