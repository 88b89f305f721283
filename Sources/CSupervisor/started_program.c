/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "started_program.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pid_t program;
bool has_ended;
int end_status;
descendants found;

bool reap(void) {
    int status;
    pid_t child;
    while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
        if (child != program) continue;
        has_ended = true;
        end_status = status;
    }
    return child == 0;
}

void end_all(void) {
    static const struct timespec step = {.tv_nsec = 1000 * 1000};
    bool is_first = getpid() == 1;
    for (int round = 0; round < 20000; ++round) {
        if (is_first) {
            kill(-1, SIGKILL);
        } else {
            if (!has_ended) kill(-program, SIGKILL);
            kill_descendants(&found);
        }
        if (!reap()) return;
        nanosleep(&step, NULL);
    }
}

void on_child(int number) { (void)number; }
