/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

char *tigetstr(const char *capability);

/* The things that a signal means to the guard. */
typedef enum meaning {
    crash,  /* The code has made a mistake. The terminal is restored, and the signal passed on. */
    ending, /* A signal ends the process. The terminal is restored if no other code handles the signal. */
    notice, /* The thread that draws is woken. */
} meaning;

static const struct {
    int number;
    meaning meaning;
    char byte;
} signals[] = {
    {SIGSEGV, crash, 0}, {SIGBUS, crash, 0},  {SIGILL, crash, 0},     {SIGTRAP, crash, 0},
    {SIGABRT, crash, 0}, {SIGFPE, crash, 0},  {SIGSYS, crash, 0},     {SIGINT, ending, 0},
    {SIGTERM, ending, 0}, {SIGHUP, ending, 0}, {SIGQUIT, ending, 0},   {SIGWINCH, notice, 'W'},
    {SIGCONT, notice, 'C'}, {SIGTSTP, notice, 'Z'},
};
enum { signal_count = sizeof signals / sizeof *signals };

static struct sigaction former[signal_count];
static bool is_installed[signal_count];

/* Whether the terminal has to be restored. */
static atomic_bool is_in_force;
static atomic_bool is_given_up;
static atomic_int wake_descriptor = -1;
/* A forked child must leave the terminal alone. */
static pid_t process;
static struct termios state;
static bool has_state;
static char way_back[512];
static size_t way_back_length;

/* The terminal, while the messages are held back, and the file in memory that holds them. */
static atomic_int standard_error = -1;
static int messages = -1;

static void write_all(int descriptor, const char *bytes, size_t length) {
    size_t written = 0;
    while (written < length) {
        ssize_t count = write(descriptor, bytes + written, length - written);
        if (count > 0) written += (size_t)count;
        else if (count == 0 || errno != EINTR) break;
    }
}

/* Holds back what goes to the terminal as standard error: it would stand in the middle of the screen. */
static void hold_messages(void) {
    if (!isatty(STDERR_FILENO)) return;
    int holder = memfd_create("messages", MFD_CLOEXEC);
    int terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    /* Children write to the same file. */
    if (holder < 0 || terminal < 0 || fcntl(holder, F_SETFL, O_APPEND) != 0
        || dup2(holder, STDERR_FILENO) < 0) {
        if (holder >= 0) close(holder);
        if (terminal >= 0) close(terminal);
        return;
    }
    messages = holder;
    atomic_store(&standard_error, terminal);
}

/* Writes what was held back. Safe in a handler: it makes system calls only. */
static void release_messages(void) {
    int terminal = atomic_exchange(&standard_error, -1);
    if (terminal < 0) return;
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    char part[4096];
    off_t place = 0;
    ssize_t count;
    while ((count = pread(messages, part, sizeof part, place)) > 0) {
        write_all(STDERR_FILENO, part, (size_t)count);
        place += count;
    }
    close(messages);
}

/* Safe in a handler: it makes system calls only. */
static void restore(void) {
    if (getpid() != process || !atomic_exchange(&is_in_force, false)) return;
    atomic_store(&is_given_up, true);
    write_all(STDOUT_FILENO, way_back, way_back_length);
    /* The keys that were typed by now were not meant for the shell. */
    if (has_state) tcsetattr(STDIN_FILENO, TCSAFLUSH, &state);
    release_messages();
}

static bool is_default(const struct sigaction *action) {
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static bool is_ignored(const struct sigaction *action) {
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
}

static void call(const struct sigaction *action, int number, siginfo_t *info, void *context) {
    if (is_default(action) || is_ignored(action)) return;
    if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(number, info, context);
    else action->sa_handler(number);
}

/* Puts the former handler back, and sends the signal again. It arrives when this handler returns, with all
 * its information and the registers at the place of the mistake. */
static void pass_on(int index, siginfo_t *info) {
    sigaction(signals[index].number, &former[index], NULL);
    is_installed[index] = false;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signals[index].number, info);
}

static void on_signal(int number, siginfo_t *info, void *context) {
    int error = errno;
    int index = 0;
    while (index < signal_count && signals[index].number != number) ++index;
    if (index == signal_count) return;
    switch (signals[index].meaning) {
    case crash:
        restore();
        pass_on(index, info);
        break;
    case ending:
        /* Another handler may let the process end in good order, and then the display is closed. */
        if (is_default(&former[index])) {
            restore();
            pass_on(index, info);
        } else {
            call(&former[index], number, info, context);
        }
        break;
    case notice: {
        int wake = atomic_load(&wake_descriptor);
        if (getpid() == process && wake >= 0) {
            ssize_t count = write(wake, &signals[index].byte, 1);
            (void)count; /* The pipe is full of reasons to wake. */
        }
        call(&former[index], number, info, context);
        break;
    }
    }
    errno = error;
}

static void install(int index) {
    /* A handler that came later still passes signals on to this one. */
    if (is_installed[index]) return;
    struct sigaction action = {.sa_sigaction = on_signal};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&action.sa_mask);
    if (sigaction(signals[index].number, NULL, &former[index]) != 0) return;
    if (is_ignored(&former[index]) && signals[index].meaning != crash) return;
    is_installed[index] = sigaction(signals[index].number, &action, NULL) == 0;
}

static void uninstall(int index) {
    struct sigaction now;
    if (!is_installed[index] || sigaction(signals[index].number, NULL, &now) != 0) return;
    if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != on_signal) return;
    sigaction(signals[index].number, &former[index], NULL);
    is_installed[index] = false;
}

/* Adds a string of the terminal's description, without the delays that old terminals needed: `$<5/>`. */
static void add(const char *capability) {
    const char *text = tigetstr(capability);
    if (!text || text == (const char *)-1) return;
    while (*text) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end) {
            text = end + 1;
        } else {
            if (way_back_length < sizeof way_back) way_back[way_back_length++] = *text;
            ++text;
        }
    }
}

void terminal_guard(int wake) {
    static atomic_flag is_registered = ATOMIC_FLAG_INIT;
    process = getpid();
    way_back_length = 0;
    has_state = tcgetattr(STDIN_FILENO, &state) == 0;
    atomic_store(&wake_descriptor, wake);
    atomic_store(&is_given_up, false);
    atomic_store(&is_in_force, true);
    if (!atomic_flag_test_and_set(&is_registered)) atexit(restore);
    for (int index = 0; index < signal_count; ++index) install(index);
}

void terminal_guard_screen(void) {
    add("sgr0");
    add("op");
    add("cnorm");
    add("rmkx");
    add("rmcup");
    hold_messages();
}

bool terminal_is_given_up(void) { return atomic_load(&is_given_up); }

void terminal_unguard(void) {
    atomic_store(&wake_descriptor, -1);
    if (atomic_exchange(&is_in_force, false)) {
        if (has_state) tcsetattr(STDIN_FILENO, TCSANOW, &state);
        release_messages();
    }
    for (int index = 0; index < signal_count; ++index) uninstall(index);
}
