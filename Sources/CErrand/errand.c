/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "errand.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* The work, on its way to the thread. */
typedef struct {
    void (*work)(void *context);
    void *context;
} errand;

static void *run(void *started) {
    errand mine = *(errand *)started;
    free(started);
    mine.work(mine.context);
    return NULL;
}

static int begin(errand *given, const cpu_set_t *processors) {
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0) return code;
    pthread_t thread;
    code = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (code == 0)
        code = pthread_attr_setaffinity_np(&attributes, sizeof *processors, processors);
    if (code == 0) code = pthread_create(&thread, &attributes, run, given);
    pthread_attr_destroy(&attributes);
    return code;
}

int errand_begin(void (*work)(void *context), void *context) {
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0) return errno;
    int here = sched_getcpu();
    if (here < 0) return errno;
    CPU_CLR(here, &processors);
    if (CPU_COUNT(&processors) == 0) return ENODEV;
    errand *given = malloc(sizeof *given);
    if (!given) return ENOMEM;
    *given = (errand){work, context};
    int code = begin(given, &processors);
    if (code != 0) free(given);
    return code;
}
