/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Counts its launches, and hands the number over. STEP is the step, FORMAT the first byte of a snapshot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../note.h"

NOTE("counts-in-c", "", FEATURE("count"))

#ifndef STEP
#define STEP 1
#endif
#ifndef FORMAT
#define FORMAT 'n'
#endif

/* Of one generation: the file may register again. */
struct counter {
    int number;
};

static int32_t launch(void *state, const eaves_launch *launch) {
    struct counter *counter = state;
    counter->number += STEP;
    dprintf(launch->output, "this is %d\n", counter->number);
    return 0;
}

static int32_t start(void *state, const eaves_answer *answer) {
    (void)answer;
    fprintf(stderr, "starts with %d\n", ((struct counter *)state)->number);
    return 0;
}

static int32_t stop(void *state, const eaves_answer *answer) {
    (void)answer;
    fprintf(stderr, "stops with %d\n", ((struct counter *)state)->number);
    return 0;
}

static int32_t snapshot(void *state, const eaves_answer *answer) {
    const char format = FORMAT;
    answer->write(answer, &format, 1);
    answer->write(answer, &((struct counter *)state)->number, sizeof(int));
    return 0;
}

static int32_t restore(void *state, const void *bytes, uint64_t count,
                       const eaves_answer *answer) {
    const char *text = bytes;
    if (count != 1 + sizeof(int) || text[0] != FORMAT) {
        answer->fail(answer, "another format");
        return 1;
    }
    memcpy(&((struct counter *)state)->number, text + 1, sizeof(int));
    return 0;
}

int32_t eaves_register(const eaves_host *host) {
    struct counter *counter = calloc(1, sizeof *counter);
    const eaves_feature feature = {sizeof feature, "count", counter, launch, 0};
    const eaves_lifecycle lifecycle = {
        .size = sizeof lifecycle,
        .state = counter,
        .start = start,
        .stop = stop,
        .snapshot = snapshot,
        .restore = restore,
    };
    return host->register_feature(host, &feature) | host->register_lifecycle(host, &lifecycle);
}
