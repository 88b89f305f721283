// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Lines that a person edits at a terminal, by libedit. The library is opened when the first editor is made, so
// that no program needs it otherwise.

#ifndef EAVES_LINE_EDITOR_H
#define EAVES_LINE_EDITOR_H

typedef struct eaves_line_editor eaves_line_editor;

/* The functions that an editor calls, on the thread that reads a line, with `context`. */
typedef struct {
    void *context;
    /* `wake` has become readable. The line and the prompt have been taken off the screen, and the editor draws
     * them again afterwards. Returns whether the line is to be given up. */
    int (*woken)(void *context);
    /* The person asks to complete `before`, the line up to the cursor. Each result is NULL or is made by malloc,
     * and the editor frees it: `*insertion` is inserted, `*listing` is printed below the line. */
    void (*complete)(void *context, const char *before, char **insertion, char **listing);
} eaves_line_editor_calls;

/* Makes an editor for the terminal of standard input and output. Characters are those of LC_CTYPE.
 *
 * `wake` is a descriptor that `eaves_line_editor_read` watches. `prompt` is copied.
 * Returns NULL if there is no libedit, or if it does not take this terminal. An editor lives as long as the
 * process. */
eaves_line_editor *eaves_line_editor_make(
    const char *program, const char *prompt, int wake, eaves_line_editor_calls calls);

/* The way in which reading a line ended. */
enum { EAVES_LINE_READ = 0, EAVES_LINE_GIVEN_UP = 1, EAVES_LINE_END = 2, EAVES_LINE_ERROR = 3 };

/* Shows the prompt, and lets the person edit a line. One thread at a time may read.
 *
 * `*line` becomes the line without its ending, valid until the next call; NULL unless the result is
 * EAVES_LINE_READ. */
int eaves_line_editor_read(eaves_line_editor *editor, const char **line);

/* Puts a line into the history, which the arrow keys go through. */
void eaves_line_editor_remember(eaves_line_editor *editor, const char *line);

/* For `woken`: the terminal has another size, or the process goes on after it was stopped. */
void eaves_line_editor_resized(eaves_line_editor *editor);
void eaves_line_editor_continued(eaves_line_editor *editor);

#endif
