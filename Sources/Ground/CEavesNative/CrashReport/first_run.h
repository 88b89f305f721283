/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * first_run.h: the modules whose code runs for the first time, each on a thread of its own: they are being loaded, or
 * register.
 */
#ifndef EAVES_FIRST_RUN_H
#define EAVES_FIRST_RUN_H

#include "memory_map.h"

/** A module that is being loaded or registers. */
typedef struct first_run {
    /** NULL if there is none. */
    const watched_module *module;
    /** What it runs for: eaves_run_load and so on. */
    int step;
} first_run;

/** Returns the innermost one of the calling thread. */
first_run first_run_here(void);

/** Returns the next one of any thread.
 *
 *  - index: 0 for the first one. Is moved on. */
bool next_first_run(size_t *index, first_run *run);

/** Sets the exit code of a process that a module ends meanwhile, and the time in milliseconds after which
 *  a module is named; never if that is 0. */
void set_patience(int exit_code, int milliseconds);

/** Ends the process at once if a module's constructor does not return: the dynamic linker would wait for it. */
void exit_past_linker(int status);

/** Returns the exit code that set_patience got. */
int exit_code_of_first_run(void);

#endif
