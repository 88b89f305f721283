/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * hot_restart.h: a process that stays as the one that was started, while others of the program come and go.
 *
 * A supervisor (a terminal, systemd, a container) knows a program by the number of its process. That process is the
 * *waiter*: it starts the *hosts*, which do the program's work one after the other, passes signals on to the one that
 * serves, keeps copies of its sockets, starts another one when it crashes, and ends as the last one ends. It forks the
 * first host, which goes on in the program; all later ones are the program's file, started anew with the arguments, the
 * environment and the rights that the waiter has.
 *
 * A host and the waiter talk through a socket, in *words*. The file of the program may be another version by the time
 * a later host is started, and the waiter is never exchanged: words are added, and never changed.
 */
#ifndef EAVES_HOT_RESTART_H
#define EAVES_HOT_RESTART_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/** Lets the program go on in a child, the first host: this process becomes the waiter, and never returns. The child ends
 *  by SIGTERM when the waiter is gone.
 *
 *  Does nothing in a host, and while a debugger or a tracer holds the process: it would hold the wrong one.
 *
 *  \returns 0 in the child, or where nothing is to be done; -1 with errno set. EBUSY says that the process has
 *           started a thread already, which a child would lack. */
int eaves_go_on_in_child(void);

/** `1:WAITER:SOCKET:PREDECESSOR`: the waiter's number, and the descriptors of the two sockets, of which the second one may
 *  be -1. A later host finds it before its main begins, and no child of it does. */
#define EAVES_HOST_VARIABLE "EAVES_HOST"

/** Runs the waiter for the first host, by the socket to it. All signals are blocked. All hosts get the arguments,
 *  and block the signals of the mask when they start. */
_Noreturn void eaves_wait(
    pid_t host, int socket, char *_Nullable *_Nonnull arguments, const sigset_t *_Nonnull mask);

/** The socket to the waiter; -1 if there is none. Exec closes it. */
int eaves_waiter_socket(void);

/** The socket to the host that serves until this one does; -1 if this process takes over from none. Exec closes it. */
int eaves_predecessor_socket(void);

/** The path by which the system was asked to run this program; NULL if it does not tell. */
const char *_Nullable eaves_start_path(void);

/** A word begins with this, and may go on with bytes. It is one packet of the socket. */
typedef struct eaves_word {
    int32_t kind;
    /** The number of a process, where the kind has one. */
    int32_t process;
    int32_t value;
} eaves_word;

/** The most bytes behind the head of a word. */
enum { eaves_most_word_bytes = 8192 };

/** What a host says. */
enum {
    /** Later hosts are this file, in this folder: two paths, each with a zero behind it. From now on, the waiter starts
     *  a host again that crashes. One that follows a crash and fails before it says this counts as one that crashes. */
    eaves_word_place = 1,
    /** Start a host that takes over from this one. A descriptor comes along: its end of the socket to this one. The answer
     *  is eaves_word_started. */
    eaves_word_start = 2,
    /** `process` serves from now on, if this host has served so far. The answer is eaves_word_known. */
    eaves_word_serves = 3,
    /** This host takes the signal `value` as a word. */
    eaves_word_listens = 4,
    /** Send the signal `value` to `process`, unless that has ended. */
    eaves_word_kill = 5,
    /** Keep a copy of the descriptor that comes along, under a name: the bytes. The answer is eaves_word_known. Hosts that
     *  have not served yet have heard of it then. */
    eaves_word_keep = 6,
    /** Drop all descriptors of a name. */
    eaves_word_drop = 7,
    /** The end of this host that follows is a crash, whatever its exit code is. */
    eaves_word_crashes = 8,
};

/** What the waiter says. */
enum {
    /** `process` was started; or it is 0, and `value` is the reason, as errno has it. */
    eaves_word_started = 101,
    /** The last word is done. After eaves_word_serves, signals go to the host that was named, and this one has got all that
     *  came before; if `value` is not 0, that host has ended, and this one serves on, or does not serve. */
    eaves_word_known = 102,
    /** `process` has ended with the status `value`, as waitpid gives it. */
    eaves_word_ended = 103,
    /** `process` has sent the signal `value` to the waiter. */
    eaves_word_signal = 104,
    /** This host follows `process`, which has ended with the status `value`. */
    eaves_word_follows = 105,
    /** Descriptors come along that the host which serves has kept under a name, or the one before: the bytes. */
    eaves_word_kept = 106,
};

/** What is known of the hosts that came so far. All is zero at first. */
typedef struct eaves_crashes {
    /** The crashes without a good minute between them. */
    unsigned row;
    /** Whether a host ever served: it took over from another one, opened a socket that it keeps, or ran for a minute. */
    _Bool has_served;
} eaves_crashes;

/** Counts a crash of a host that has run for so many seconds.
 *
 *  Returns the seconds until the next host starts: none after the first three crashes, since the third one keeps a module
 *  out, and then 1, 2, 4 and so on up to 60; -1 if none starts, because no host of the program ever served. */
int eaves_pause_after_crash(eaves_crashes *_Nonnull crashes, int64_t lived);

#endif
