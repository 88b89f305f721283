/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lets several threads run the code of modules for the first time, and ends in one of several ways, which the first
 * argument names.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash_report.h"

static sem_t begun;

static void begin(const char *folder) {
    eaves_crash_leave_nothing();
    eaves_crash_watch();
    int project = open(folder, O_RDONLY | O_DIRECTORY);
    eaves_crash_log_into(project, "store", "crashes", "log", 70, 50);
    const char *ids[] = {"a", "b"};
    const char *files[] = {"a.so", "b.so"};
    for (int index = 0; index < 2; ++index) {
        eaves_crash_expect_module(ids[index], files[index], files[index], files[index], 0,
                                  (uint64_t)index + 1, "{", false);
    }
    sem_init(&begun, 0, 0);
}

/* Registers until the process ends. */
static void *stay(void *file) {
    eaves_crash_enter(file, true);
    sem_post(&begun);
    for (;;) pause();
}

static void *end(void *file) {
    eaves_crash_enter(file, true);
    exit(3);
}

static void *come_and_go(void *file) {
    for (int round = 0; round < 1000; ++round) {
        int outer = eaves_crash_enter(file, false);
        eaves_crash_leave(eaves_crash_enter("b.so", true));
        eaves_crash_leave(outer);
    }
    return NULL;
}

static pthread_t start(void *(*body)(void *), char *file) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, file)) _exit(1);
    return thread;
}

int main(int count, char **arguments) {
    if (count != 3) return 1;
    const char *way = arguments[1];
    begin(arguments[2]);
    if (strcmp(way, "nested") == 0) {
        eaves_crash_enter("a.so", false);
        eaves_crash_leave(eaves_crash_enter("b.so", true));
        exit(3);
    }
    if (strcmp(way, "many") == 0) {
        pthread_t threads[100];
        for (int index = 0; index < 100; ++index) threads[index] = start(come_and_go, "a.so");
        for (int index = 0; index < 100; ++index) pthread_join(threads[index], NULL);
        exit(3);
    }
    start(stay, "a.so");
    sem_wait(&begun);
    if (strcmp(way, "other") == 0) pthread_join(start(end, "b.so"), NULL);
    if (strcmp(way, "left") == 0) eaves_crash_leave(eaves_crash_enter("b.so", true));
    if (strcmp(way, "given up") == 0) {
        eaves_crash_give_up("a.so", true);
        pthread_join(start(end, "c.so"), NULL);
    }
    if (strcmp(way, "late") == 0) stay("b.so");
    exit(3);
}
