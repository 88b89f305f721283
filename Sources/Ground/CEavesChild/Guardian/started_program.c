/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "started_program.h"
#include "calls.h"

#include <sys/wait.h>

bool reap(started_program *program) {
    int status;
    pid_t child;
    while ((child = call_wait(&status, WNOHANG)) > 0) {
        if (child != program->process) continue;
        program->status = status;
        program->has_ended = true;
    }
    return child == 0;
}

void end_all(started_program *program) {
    static const struct timespec step = {.tv_nsec = 1000 * 1000};
    bool is_first = call_process() == 1;
    for (int round = 0; round < 20000; ++round) {
        if (is_first) {
            call_kill(-1, SIGKILL);
        } else {
            if (!program->has_ended) call_kill(-program->process, SIGKILL);
            kill_descendants(&program->found);
        }
        if (!reap(program)) return;
        call_sleep(&step);
    }
}
