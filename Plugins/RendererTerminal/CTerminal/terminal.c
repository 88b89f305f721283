/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "terminal.h"

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

SCREEN *newterm(const char *type, FILE *output, FILE *input);
extern int COLORS;
extern int COLOR_PAIRS;

static locale_t utf8;
static pthread_once_t utf8_is_sought = PTHREAD_ONCE_INIT;

static void seek_utf8(void) {
    static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    for (size_t index = 0; !utf8 && index < sizeof names / sizeof *names; ++index) {
        utf8 = newlocale(LC_CTYPE_MASK, names[index], (locale_t)0);
    }
}

bool terminal_use_utf8(void) {
    pthread_once(&utf8_is_sought, seek_utf8);
    return utf8 && uselocale(utf8);
}

int terminal_columns(unsigned scalar) {
    pthread_once(&utf8_is_sought, seek_utf8);
    if (!utf8) return -1;
    locale_t before = uselocale(utf8);
    int columns = wcwidth((wchar_t)scalar);
    uselocale(before);
    return columns;
}

SCREEN *terminal_start(void) {
    fflush(stdout);
    return newterm(NULL, stdout, stdin);
}

int terminal_colors(void) { return COLORS; }

int terminal_color_pairs(void) { return COLOR_PAIRS; }

bool terminal_size(int *rows, int *columns) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return false;
    if (size.ws_row == 0 || size.ws_col == 0) return false;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return true;
}

bool terminal_waiting(int *count) { return ioctl(STDIN_FILENO, FIONREAD, count) == 0; }

bool terminal_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0; }

void terminal_stop(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL}, ours;
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigaction(SIGTSTP, &standard, &ours);
    /* The signal for the job may reach another thread, and a little later. The one for this thread stops the
     * process before this function goes on. The signal to go on discards whichever is left. */
    pthread_sigmask(SIG_BLOCK, &stop, &before);
    raise(SIGTSTP);
    kill(0, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGTSTP, &ours, NULL);
}
