/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * started_program.h: the program that a guardian has started, and how it ends that with all its descendants.
 */
#ifndef EAVES_STARTED_PROGRAM_H
#define EAVES_STARTED_PROGRAM_H

#include "descendants.h"

typedef struct started_program {
    pid_t process;
    /** Whether it has ended, and its status as waitpid gives it. */
    bool has_ended;
    int status;
    /** The descendants of the calling process that were found last. */
    descendants found;
} started_program;

/** Takes the ends of all children that have ended. Returns false if there are no children. */
bool reap(started_program *program);

/** Kills the program and all its descendants, and waits for them. In a PID namespace a signal goes to all others in it
 *  at once. */
void end_all(started_program *program);

#endif
