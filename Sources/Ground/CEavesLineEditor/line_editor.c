// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "line_editor.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

/* Those parts of libedit's <histedit.h> that are used here, so that its headers need not be installed. They have
 * been the same since libedit 3.0 of 2008; the file name libedit.so.2 stands for them. */
typedef struct editline EditLine;
typedef struct history History;
typedef struct {
    int number;
    const char *text;
} HistEvent;
typedef struct {
    const char *buffer, *cursor, *lastchar;
} LineInfo;
enum { CC_REFRESH = 4, CC_ERROR = 6, CC_REDISPLAY = 8 };
enum {
    EL_PROMPT = 0, EL_EDITOR = 2, EL_SIGNAL = 3, EL_BIND = 4, EL_ADDFN = 9, EL_HIST = 10, EL_GETCFN = 13,
    EL_CLIENTDATA = 14, EL_PREP_TERM = 16, EL_REFRESH = 20
};
enum { H_SETSIZE = 1, H_ENTER = 10, H_SETUNIQUE = 20 };

static struct {
    EditLine *(*init)(const char *, FILE *, FILE *, FILE *);
    int (*set)(EditLine *, int, ...);
    int (*get)(EditLine *, int, ...);
    const char *(*gets)(EditLine *, int *);
    const LineInfo *(*line)(EditLine *);
    int (*insertstr)(EditLine *, const char *);
    void (*resize)(EditLine *);
    int (*source)(EditLine *, const char *);
    History *(*history_init)(void);
    int (*history)(History *, HistEvent *, int, ...);
} el;

struct eaves_line_editor {
    EditLine *line;
    History *history;
    int wake;
    char *prompt;
    char *text;
    int outcome;
    eaves_line_editor_calls calls;
};

static int open_library(void) {
    if (el.init) return 1;
    void *library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    struct {
        const char *name;
        void **function;
    } functions[] = {
        {"el_set", (void **)&el.set}, {"el_get", (void **)&el.get}, {"el_gets", (void **)&el.gets},
        {"el_line", (void **)&el.line}, {"el_insertstr", (void **)&el.insertstr},
        {"el_resize", (void **)&el.resize}, {"el_source", (void **)&el.source},
        {"history_init", (void **)&el.history_init}, {"history", (void **)&el.history},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        *functions[index].function = dlsym(library, functions[index].name);
        if (!*functions[index].function) return 0;
    }
    *(void **)&el.init = dlsym(library, "el_init");
    return el.init != NULL;
}

static eaves_line_editor *editor_of(EditLine *line) {
    eaves_line_editor *editor = NULL;
    el.get(line, EL_CLIENTDATA, &editor);
    return editor;
}

static char *prompt(EditLine *line) { return editor_of(line)->prompt; }

static void show(const char *text) {
    fputs(text, stdout);
    fflush(stdout);
}

/* The rows below the first one at which the cursor stands: long lines are wrapped. */
static int cursor_row(const eaves_line_editor *editor) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0) return 0;
    const LineInfo *info = el.line(editor->line);
    long width = (long)strlen(editor->prompt);
    mbstate_t state = {0};
    for (const char *place = info->buffer; place < info->cursor;) {
        wchar_t character;
        size_t length = mbrtowc(&character, place, (size_t)(info->cursor - place), &state);
        if (length == 0 || length > (size_t)(info->cursor - place)) break;
        int columns = wcwidth(character);
        width += columns > 0 ? columns : 0;
        place += length;
    }
    return (int)(width / size.ws_col);
}

/* Takes the prompt and the line off the screen, and puts the cursor where the prompt began. */
static void erase(const eaves_line_editor *editor) {
    int row = cursor_row(editor);
    if (row > 0) fprintf(stdout, "\033[%dA", row);
    show("\r\033[J");
}

/* Waits for a byte of input, and meanwhile does what others ask for. Returns 1, 0 at the end, -1 for an error or
 * a line that is given up. */
static int next_byte(eaves_line_editor *editor, unsigned char *byte) {
    for (;;) {
        struct pollfd sources[] = {
            {.fd = STDIN_FILENO, .events = POLLIN}, {.fd = editor->wake, .events = POLLIN}};
        if (poll(sources, 2, -1) < 0) {
            if (errno == EINTR) continue;
            editor->outcome = EAVES_LINE_ERROR;
            return -1;
        }
        if (sources[1].revents) {
            erase(editor);
            if (editor->calls.woken(editor->calls.context)) {
                editor->outcome = EAVES_LINE_GIVEN_UP;
                return -1;
            }
            el.set(editor->line, EL_REFRESH);
            continue;
        }
        ssize_t count = read(STDIN_FILENO, byte, 1);
        if (count == 1) return 1;
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count < 0) editor->outcome = EAVES_LINE_ERROR;
        return count < 0 ? -1 : 0;
    }
}

static int next_character(EditLine *line, wchar_t *character) {
    eaves_line_editor *editor = editor_of(line);
    mbstate_t state = {0};
    for (;;) {
        unsigned char byte;
        int count = next_byte(editor, &byte);
        if (count != 1) return count;
        size_t length = mbrtowc(character, (const char *)&byte, 1, &state);
        if (length == 1) return 1;
        if (length == 0) {
            *character = L'\0';
            return 1;
        }
        // A byte that is no part of a character is left out.
        if (length == (size_t)-1) memset(&state, 0, sizeof state);
    }
}

static unsigned char complete(EditLine *line, int key) {
    (void)key;
    eaves_line_editor *editor = editor_of(line);
    const LineInfo *info = el.line(line);
    char *before = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
    char *insertion = NULL, *listing = NULL;
    if (before) editor->calls.complete(editor->calls.context, before, &insertion, &listing);
    free(before);
    unsigned char result = CC_ERROR;
    if (insertion && *insertion && el.insertstr(line, insertion) == 0) result = CC_REFRESH;
    if (listing && *listing) {
        show("\n");
        show(listing);
        result = CC_REDISPLAY;
    }
    free(insertion);
    free(listing);
    return result;
}

eaves_line_editor *eaves_line_editor_make(
    const char *program, const char *prompt_text, int wake, eaves_line_editor_calls calls) {
    if (!open_library()) return NULL;
    eaves_line_editor *editor = calloc(1, sizeof *editor);
    if (!editor) return NULL;
    editor->line = el.init(program, stdin, stdout, stderr);
    editor->history = el.history_init();
    editor->prompt = strdup(prompt_text);
    editor->wake = wake;
    editor->calls = calls;
    if (!editor->line || !editor->history || !editor->prompt) return NULL;
    HistEvent event;
    el.history(editor->history, &event, H_SETSIZE, 500);
    el.history(editor->history, &event, H_SETUNIQUE, 1);
    el.set(editor->line, EL_CLIENTDATA, editor);
    el.set(editor->line, EL_PROMPT, prompt);
    el.set(editor->line, EL_SIGNAL, 0);
    el.set(editor->line, EL_EDITOR, "emacs");
    el.set(editor->line, EL_HIST, el.history, editor->history);
    el.set(editor->line, EL_GETCFN, next_character);
    el.set(editor->line, EL_ADDFN, "eaves-complete", "complete the word", complete);
    el.set(editor->line, EL_BIND, "^I", "eaves-complete", NULL);
    // The person's own keys.
    el.source(editor->line, NULL);
    return editor;
}

int eaves_line_editor_read(eaves_line_editor *editor, const char **line) {
    *line = NULL;
    editor->outcome = EAVES_LINE_END;
    int count = 0;
    const char *text = el.gets(editor->line, &count);
    if (!text || count <= 0) return editor->outcome;
    size_t length = strcspn(text, "\r\n");
    free(editor->text);
    editor->text = strndup(text, length);
    if (!editor->text) return EAVES_LINE_ERROR;
    *line = editor->text;
    return EAVES_LINE_READ;
}

void eaves_line_editor_remember(eaves_line_editor *editor, const char *line) {
    HistEvent event;
    el.history(editor->history, &event, H_ENTER, line);
}

void eaves_line_editor_resized(eaves_line_editor *editor) { el.resize(editor->line); }

void eaves_line_editor_continued(eaves_line_editor *editor) {
    el.set(editor->line, EL_PREP_TERM, 1);
}
