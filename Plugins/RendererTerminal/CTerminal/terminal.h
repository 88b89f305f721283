/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * terminal.h: the functions of ncurses that the renderer calls, and those that Swift cannot write: they are
 * variadic, or must be safe in a signal handler.
 *
 * libncursesw.so.6 is on most machines, its headers are not. The declarations follow version 6 of its binary
 * interface, which has not changed since 2015.
 */
#ifndef EAVES_TERMINAL_H
#define EAVES_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* ncurses: all of it is called on one thread. Functions return -1 for an error. */

typedef struct screen SCREEN;
typedef struct _win_st WINDOW;

int endwin(void);
void delscreen(SCREEN *_Nonnull screen);
int raw(void);
int noecho(void);
int nonl(void);
int curs_set(int visibility);
int set_escdelay(int milliseconds);
int resize_term(int rows, int columns);

/* Returns a window of the whole screen if all numbers are 0. */
WINDOW *_Nullable newwin(int rows, int columns, int row, int column);
int delwin(WINDOW *_Nonnull window);
int wresize(WINDOW *_Nonnull window, int rows, int columns);
int keypad(WINDOW *_Nonnull window, bool is_on);
int nodelay(WINDOW *_Nonnull window, bool is_on);
int clearok(WINDOW *_Nonnull window, bool is_on);
int werase(WINDOW *_Nonnull window);
int wmove(WINDOW *_Nonnull window, int row, int column);
int wattr_set(WINDOW *_Nonnull window, unsigned attributes, short pair, void *_Nullable unused);
int waddnwstr(WINDOW *_Nonnull window, const wchar_t *_Nonnull text, int count);
int wrefresh(WINDOW *_Nonnull window);
int wget_wch(WINDOW *_Nonnull window, unsigned *_Nonnull key);

bool has_colors(void);
int start_color(void);
int use_default_colors(void);
int init_pair(short pair, short foreground, short background);

/* Two versions of the module that are loaded at once each keep their own functions. */
#pragma GCC visibility push(hidden)

/* The terminal of this process: the standard input and output. */

/** Starts ncurses on the standard input and output. Returns NULL if it knows no terminal of the type TERM. */
SCREEN *_Nullable terminal_start(void);

/** Makes this thread read and write UTF-8, as all of Eaves does, whatever the locale of the process is.
 *  Returns false if the machine has no such locale. */
bool terminal_use_utf8(void);

/** Returns the number of columns of a character: 0 for a mark on the one before it, -1 if it cannot be drawn. */
int terminal_columns(unsigned scalar);

/** The numbers of colours, and of pairs of them, that can be used once start_color has succeeded. */
int terminal_colors(void);
int terminal_color_pairs(void);

/** Finds out the size of the terminal. Returns false, and leaves the numbers alone, if it has none. */
bool terminal_size(int *_Nonnull rows, int *_Nonnull columns);

/** Finds out how many bytes have come in on the standard input and were not read. */
bool terminal_waiting(int *_Nonnull count);

/** Fills in the two ends of a pipe that no child inherits. Neither end makes anybody wait. */
bool terminal_pipe(int ends[_Nonnull 2]);

/* The guard, which restores the terminal when the process crashes, is ended or exits. SIGKILL cannot be
 * handled. One guard is in force at most. */

/** Keeps the state of the terminal, and installs the handlers.
 *
 *  - wake: a descriptor that a handler writes one byte to: 'W' when the size has changed, 'Z' when the process
 *    is asked to stop (SIGTSTP), 'C' when it goes on. */
void terminal_guard(int wake);

/** Keeps the bytes that lead back to the usual screen, and holds back what is written to the terminal as
 *  standard error, until the terminal is restored. To be called once ncurses has started. */
void terminal_guard_screen(void);

/** Whether a handler has restored the terminal, so that nothing may be drawn any more. */
bool terminal_is_given_up(void);

/** Puts the terminal's state back, writes the messages that were held back, and removes the handlers. To be called when ncurses has ended. */
void terminal_unguard(void);

/** Stops the processes of this job, as Ctrl-Z does, and returns when they go on. */
void terminal_stop(void);

#pragma GCC visibility pop

#endif
