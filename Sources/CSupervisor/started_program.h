/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * started_program.h: the program that a supervisor or a keeper has started, and how both end it with all its
 * descendants.
 */
#ifndef EAVES_STARTED_PROGRAM_H
#define EAVES_STARTED_PROGRAM_H

#include "descendants.h"

#include <stdbool.h>
#include <sys/types.h>

/** The program, and what is known of its end. A process has started at most one. */
extern pid_t program;
extern bool has_ended;
extern int end_status;

/** The descendants that were found last. */
extern descendants found;

/** Takes the ends of all children that have ended. Returns false if there are no children. */
bool reap(void);

/** Kills the program and all its descendants, and waits for them. In a PID namespace a signal goes to all others in it
 *  at once. */
void end_all(void);

/** A handler that does nothing: the signal ends a wait. */
void on_child(int number);

#endif
