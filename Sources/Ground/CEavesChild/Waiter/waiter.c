/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The waiter: one thread, which takes signals, words of hosts and the ends of hosts, one after the other. It reads no file
 * and waits for no host.
 */
#define _GNU_SOURCE
#include "hot_restart.h"

#include "local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct host {
    pid_t process;
    int socket;
    /* The signals that it takes as words. */
    uint64_t listens;
    bool has_served;
    /* When it was started, in seconds of the system's running. */
    time_t since;
    /* It follows one that has crashed, and has not said where its program is. */
    bool is_beginning;
    /* It has said that its end is a crash. */
    bool crashes;
} host;

/* One serves, one takes over from it, and those before them may not have left yet. A host more is refused. */
enum { MOST_HOSTS = 8 };

static host hosts[MOST_HOSTS];
static size_t host_count;
/* The host that gets the signals, and as which this process ends. */
static pid_t serving;

/* What later hosts are started with. The paths are NULL until a host has named them. */
static char *program, *folder;
static char **arguments;
static sigset_t mask;

/* Signals that a host has taken as words once: none of them ends a later host that does not take it yet. */
static uint64_t taken_once;
/* Those that wait for the host that serves to take them. */
static uint64_t held;
/* Those that were sent to the host that serves, by the terminal, too: an end by one of them does not count as a crash. */
static uint64_t asked;

static eaves_crashes crashes;
/* The host that the next one follows at wake_time, in seconds of the system's running; 0 if none is to start. */
static pid_t resting;
static int resting_status;
static time_t wake_time;

static time_t seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec;
}

static uint64_t bit(int number) { return number >= 1 && number <= 64 ? 1ull << (number - 1) : 0; }

static host *find(pid_t process) {
    for (size_t index = 0; index < host_count; ++index) {
        if (hosts[index].process == process) return &hosts[index];
    }
    return NULL;
}

/* MARK: Words */

/* A word with the bytes behind it. */
typedef struct packet {
    eaves_word word;
    /* With a zero behind them, the bytes of a word that has come are a text. */
    char bytes[eaves_most_word_bytes + 1];
} packet;

static packet outgoing, incoming;

/* Says a word, with a text and descriptors. Returns whether it is under way: the waiter waits for no host that reads
 * nothing, because its end of each socket does not block. */
static bool say(int socket, eaves_word word, const char *text, const int *descriptors, size_t descriptor_count) {
    outgoing.word = word;
    size_t count = text ? strlen(text) : 0;
    if (text) memcpy(outgoing.bytes, text, count);
    return eaves_socket_send(socket, &outgoing, sizeof word + count, descriptors, descriptor_count) >= 0;
}

static bool tell(const host *host, int kind, pid_t process, int value) {
    return host && say(host->socket, (eaves_word){kind, process, value}, NULL, NULL, 0);
}

/* MARK: Descriptors that are kept */

typedef struct kept {
    char *name;
    int descriptor;
    /* The host that opened it and has not served yet: if it never does, no other host gets it. 0 once it belongs to all. */
    pid_t owner;
} kept;

static kept *all_kept;
static size_t kept_count;

static void tell_of_kept(int socket, const char *name, const int *descriptors, size_t count) {
    if (count > 0) say(socket, (eaves_word){.kind = eaves_word_kept}, name, descriptors, count);
}

/* Tells a new host of all that belongs to all. Descriptors of one name that follow each other come together. */
static void tell_of_all_kept(int socket) {
    const char *name = NULL;
    int descriptors[eaves_socket_most_descriptors];
    size_t count = 0;
    for (size_t index = 0; index < kept_count; ++index) {
        if (all_kept[index].owner != 0) continue;
        if (count == eaves_socket_most_descriptors || (name && strcmp(name, all_kept[index].name) != 0)) {
            tell_of_kept(socket, name, descriptors, count);
            count = 0;
        }
        name = all_kept[index].name;
        descriptors[count++] = all_kept[index].descriptor;
    }
    tell_of_kept(socket, name, descriptors, count);
}

static void keep(const char *name, int descriptor, pid_t owner) {
    kept *grown = realloc(all_kept, sizeof *grown * (kept_count + 1));
    char *copy = strdup(name);
    if (grown) all_kept = grown;
    if (!grown || !copy) {
        close(descriptor);
        free(copy);
        return;
    }
    all_kept[kept_count++] = (kept){copy, descriptor, owner};
    if (owner != 0) return;
    /* One that is about to take over does not know of it yet. */
    for (size_t index = 0; index < host_count; ++index) {
        if (!hosts[index].has_served) tell_of_kept(hosts[index].socket, name, &descriptor, 1);
    }
}

/* Drops what a host owns; of all that is kept under a name, if there is one. */
static void drop(const char *name, pid_t owner) {
    size_t left = 0;
    for (size_t index = 0; index < kept_count; ++index) {
        kept *one = &all_kept[index];
        if (one->owner == owner && (!name || strcmp(one->name, name) == 0)) {
            close(one->descriptor);
            free(one->name);
        } else {
            all_kept[left++] = *one;
        }
    }
    kept_count = left;
}

/* The one who owns what a host opens. */
static pid_t owner_for(pid_t process) { return process == serving ? 0 : process; }

/* MARK: Hosts */

/* The numbers of the sockets in a later host: those behind the standard descriptors. */
enum { SOCKET_TO_WAITER = 3, SOCKET_TO_PREDECESSOR = 4, FIRST_CLOSED = 5 };

/* Runs the program. The child gets the sockets and the standard descriptors, and nothing else. Returns its number, or -1 with
 * errno set. */
static pid_t run(int socket, int predecessor) {
    char value[64];
    snprintf(value, sizeof value, "1:%d:%d:%d", (int)getpid(), SOCKET_TO_WAITER,
             predecessor < 0 ? -1 : SOCKET_TO_PREDECESSOR);
    if (setenv(EAVES_HOST_VARIABLE, value, 1) < 0) return -1;
    /* Neither has a number that the other one gets. */
    int copies[2] = {fcntl(socket, F_DUPFD_CLOEXEC, FIRST_CLOSED), -1};
    if (predecessor >= 0) copies[1] = fcntl(predecessor, F_DUPFD_CLOEXEC, FIRST_CLOSED);
    int reason = copies[0] < 0 || (predecessor >= 0 && copies[1] < 0) ? errno : 0;

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, copies[0], SOCKET_TO_WAITER);
    if (predecessor >= 0) posix_spawn_file_actions_adddup2(&actions, copies[1], SOCKET_TO_PREDECESSOR);
    posix_spawn_file_actions_addclosefrom_np(&actions, predecessor < 0 ? SOCKET_TO_PREDECESSOR : FIRST_CLOSED);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t child = -1;
    if (reason == 0) reason = posix_spawn(&child, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    for (int index = 0; index < 2; ++index) {
        if (copies[index] >= 0) close(copies[index]);
    }
    if (reason == 0) return child;
    errno = reason;
    return -1;
}

/* Starts a host.
 *
 *  - predecessor: its socket to the host that it takes over from; -1 if it follows one that has crashed.
 *  - crashed, status: that one.
 *
 * Returns its number, or -1 with errno set. */
static pid_t start(int predecessor, pid_t crashed, int status) {
    errno = program ? EAGAIN : ENOENT;
    if (!program || host_count == MOST_HOSTS) return -1;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -1;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    /* It finds these words when it begins. */
    if (crashed > 0) say(ends[0], (eaves_word){eaves_word_follows, crashed, status}, NULL, NULL, 0);
    tell_of_all_kept(ends[0]);
    pid_t child = run(ends[1], predecessor);
    int reason = errno;
    close(ends[1]);
    if (child > 0) {
        hosts[host_count++] = (host){
            .process = child, .socket = ends[0], .since = seconds(), .is_beginning = predecessor < 0};
    } else {
        close(ends[0]);
    }
    errno = reason;
    return child;
}

/* Whether a child has ended, also if its end was not taken yet. */
static bool has_ended(pid_t process) {
    siginfo_t ending = {0};
    return waitid(P_PID, process, &ending, WEXITED | WNOHANG | WNOWAIT) < 0 || ending.si_pid != 0;
}

static void serve(pid_t process) {
    host *host = find(process);
    if (host) host->has_served = true;
    serving = process;
    asked = 0;
    for (size_t index = 0; index < kept_count; ++index) {
        if (all_kept[index].owner == process) all_kept[index].owner = 0;
    }
}

/* MARK: Signals */

/* Ends as a host has ended, or by a signal. */
static _Noreturn void end(int status) {
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    /* The host has left a core already, if it was to. */
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int number = WTERMSIG(status);
    signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + number);
}

/* Sends a signal as this process's own, with the number of the process that has sent it first. */
static void queue(pid_t process, int number, pid_t sender) {
    siginfo_t information;
    memset(&information, 0, sizeof information);
    information.si_signo = number;
    information.si_code = SI_QUEUE;
    information.si_pid = getpid();
    information.si_uid = getuid();
    information.si_value.sival_int = sender;
    syscall(SYS_rt_sigqueueinfo, process, number, &information);
}

/* Passes a signal on to the host that serves: its sender knows no other process. */
static void pass_on(const struct signalfd_siginfo *signal) {
    int number = (int)signal->ssi_signo;
    /* A timer of this process, or something else that is its own. */
    if (signal->ssi_code == SI_TIMER || (signal->ssi_code > 0 && signal->ssi_code != SI_KERNEL)) return;
    host *host = find(serving);
    if (!host) {
        /* The next host is to start in a moment. */
        if (bit(number) & (bit(SIGTERM) | bit(SIGINT) | bit(SIGQUIT) | bit(SIGHUP))) end(number);
        return;
    }
    asked |= bit(number);
    /* The terminal has sent it to all processes of the group itself. */
    if (signal->ssi_code == SI_KERNEL && getpgid(serving) == getpgrp()) return;
    pid_t sender = (pid_t)signal->ssi_pid;
    if (host->listens & bit(number)) {
        if (tell(host, eaves_word_signal, sender, number)) return;
    } else if ((taken_once & bit(number)) && number != SIGTERM && number != SIGINT) {
        held |= bit(number);
        return;
    }
    queue(serving, number, sender);
}

/* MARK: What hosts say */

static void set_place(const char *bytes, size_t count) {
    size_t length = strnlen(bytes, count);
    if (length == 0 || length + 1 >= count || bytes[count - 1] != 0) return;
    char *paths[2] = {strdup(bytes), strdup(bytes + length + 1)};
    if (!paths[0] || !paths[1]) return;
    free(program);
    free(folder);
    program = paths[0];
    folder = paths[1];
}

static void take(host *from, eaves_word word, const char *bytes, size_t count, int descriptor) {
    pid_t process = from->process;
    switch (word.kind) {
    case eaves_word_place:
        set_place(bytes, count);
        from->is_beginning = false;
        break;
    case eaves_word_crashes: from->crashes = true; break;
    case eaves_word_start: {
        errno = EBADF;
        pid_t child = descriptor < 0 ? -1 : start(descriptor, 0, 0);
        int reason = child < 0 ? errno : 0;
        tell(from, eaves_word_started, child < 0 ? 0 : child, reason);
        break;
    }
    case eaves_word_serves: {
        bool may_serve = process == serving && find(word.process) && !has_ended(word.process);
        if (may_serve) serve(word.process);
        crashes.has_served |= may_serve;
        tell(from, eaves_word_known, 0, may_serve ? 0 : ESRCH);
        break;
    }
    case eaves_word_listens:
        from->listens |= bit(word.value);
        taken_once |= bit(word.value);
        if (process == serving && (held & bit(word.value))) {
            held &= ~bit(word.value);
            tell(from, eaves_word_signal, 0, word.value);
        }
        break;
    case eaves_word_kill:
        if (find(word.process)) kill(word.process, word.value);
        break;
    case eaves_word_keep:
        if (descriptor >= 0) keep(bytes, descriptor, owner_for(process));
        /* Those that were opened for the program come before the place. */
        crashes.has_served |= program && !from->is_beginning && process == serving;
        tell(from, eaves_word_known, 0, 0);
        return;
    case eaves_word_drop: drop(bytes, owner_for(process)); break;
    default: break;
    }
    if (descriptor >= 0) close(descriptor);
}

/* Takes a word of a host, if there is one; whether there was. All hosts stay in their places, also if it starts one more. */
static bool take_word(host *from) {
    int descriptors[eaves_socket_most_descriptors];
    size_t descriptor_count;
    ssize_t received =
        eaves_socket_receive(from->socket, &incoming, sizeof incoming - 1, descriptors, &descriptor_count);
    if (received < 0) return false;
    bool is_word = received >= (ssize_t)sizeof incoming.word;
    /* A word has one at most. */
    while (descriptor_count > (is_word ? 1 : 0)) close(descriptors[--descriptor_count]);
    if (!is_word) return false;
    size_t count = (size_t)received - sizeof incoming.word;
    incoming.bytes[count] = 0;
    take(from, incoming.word, incoming.bytes, count, descriptor_count > 0 ? descriptors[0] : -1);
    return true;
}

/* MARK: The ends of hosts */

/* Whether a host ended without having been asked to. */
static bool is_crash(const host *ended, int status) {
    /* It may have gone wrong while it ended. */
    if (asked & (bit(SIGTERM) | bit(SIGINT) | bit(SIGQUIT))) return false;
    if (!WIFSIGNALED(status)) return status != 0 && (ended->crashes || ended->is_beginning);
    if (asked & bit(WTERMSIG(status))) return false;
    switch (WTERMSIG(status)) {
    case SIGSEGV: case SIGBUS: case SIGILL: case SIGFPE: case SIGABRT: case SIGTRAP: case SIGSYS: case SIGKILL:
        return true;
    default: return false;
    }
}

int eaves_pause_after_crash(eaves_crashes *crashes, int64_t lived) {
    if (lived >= 60) *crashes = (eaves_crashes){.has_served = true};
    ++crashes->row;
    if (crashes->row <= 3) return 0;
    if (!crashes->has_served) return -1;
    return crashes->row > 9 ? 60 : 1 << (crashes->row - 4);
}

static void start_again(void) {
    pid_t next = start(-1, resting, resting_status);
    if (next < 0) {
        dprintf(STDERR_FILENO, "error: process %d has crashed, and '%s' cannot be started again: %s\n", (int)resting,
                program, strerror(errno));
        end(resting_status);
    }
    resting = 0;
    serve(next);
}

/* Goes on without the host that has served. */
static void follow(const host *ended, int status) {
    if (!program || !is_crash(ended, status)) end(status);
    int pause = eaves_pause_after_crash(&crashes, seconds() - ended->since);
    resting = ended->process;
    resting_status = status;
    if (pause == 0) return start_again();
    dprintf(STDERR_FILENO, "error: process %d was the last of %u that crashed without a good minute between: ",
            (int)resting, crashes.row);
    if (pause > 0) dprintf(STDERR_FILENO, "the next one starts in %d s\n", pause);
    else dprintf(STDERR_FILENO, "none follows, because none has ever served\n");
    dprintf(STDERR_FILENO, "fix: see 'eaves quarantine' for the module, and put a mended file in its place\n");
    if (pause < 0) end(status);
    wake_time = seconds() + pause;
}

static void forget(host *ended) {
    drop(NULL, ended->process);
    close(ended->socket);
    *ended = hosts[--host_count];
}

/* Takes the ends of all children. As the first process of a container, it gets orphans as well. */
static void reap(void) {
    int status;
    pid_t child;
    while ((child = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        host *ended = find(child);
        if (!ended) continue;
        if (WIFSTOPPED(status)) {
            /* The parent of this process has to see that the host has stopped. By SIGCONT, both go on. */
            if (child == serving && WSTOPSIG(status) != SIGSTOP) raise(SIGSTOP);
            continue;
        }
        while (take_word(ended)) {}
        host gone = *ended;
        forget(ended);
        if (child == serving) {
            follow(&gone, status);
        } else {
            tell(find(serving), eaves_word_ended, child, status);
        }
    }
    /* The end of the host is not known. */
    if (child < 0 && errno == ECHILD && !resting) _exit(70);
}

/* MARK: The loop */

/* The signals that are taken: all but those that the program was started to ignore. */
static sigset_t signals_to_take(void) {
    sigset_t set;
    sigemptyset(&set);
    for (int number = 1; number <= SIGRTMAX; ++number) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN && number != SIGCHLD) continue;
        sigaddset(&set, number);
    }
    return set;
}

_Noreturn void eaves_wait(pid_t first, int socket, char **all_arguments, const sigset_t *first_mask) {
    arguments = all_arguments;
    mask = *first_mask;
    socket = dup2(socket, STDERR_FILENO + 1);
    fcntl(socket, F_SETFL, O_NONBLOCK);
    syscall(SYS_close_range, socket + 1, ~0u, 0);
    hosts[host_count++] = (host){.process = first, .socket = socket, .has_served = true, .since = seconds()};
    serving = first;
    /* These name the first host, or are for it. Without the last one, systemd expects a sign of life of any process. */
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    unsetenv("WATCHDOG_PID");
    sigset_t set = signals_to_take();
    sigprocmask(SIG_SETMASK, &set, NULL);
    signal(SIGCHLD, SIG_DFL);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    /* The host gets SIGTERM then. */
    if (signals < 0) _exit(71);
    /* A child that ended before has left no signal if SIGCHLD was ignored. */
    reap();
    while (true) {
        if (resting && seconds() >= wake_time) start_again();
        int timeout = resting ? (int)(wake_time - seconds()) * 1000 : -1;
        struct pollfd sources[1 + MOST_HOSTS] = {{.fd = signals, .events = POLLIN}};
        size_t count = host_count;
        for (size_t index = 0; index < count; ++index) {
            sources[1 + index] = (struct pollfd){.fd = hosts[index].socket, .events = POLLIN};
        }
        if (poll(sources, 1 + count, timeout) < 0) continue;
        for (size_t index = 0; index < count; ++index) {
            host *host = &hosts[index];
            if (!sources[1 + index].revents) continue;
            if (take_word(host) || !(sources[1 + index].revents & (POLLHUP | POLLERR))) continue;
            /* The host has closed its end, and may go on without it. Its end comes as a signal. */
            close(host->socket);
            host->socket = -1;
        }
        struct signalfd_siginfo signal;
        while (read(signals, &signal, sizeof signal) == sizeof signal) {
            if (signal.ssi_signo == SIGCHLD) {
                reap();
            } else if (signal.ssi_signo != SIGPIPE) {
                pass_on(&signal);
            }
        }
    }
}
