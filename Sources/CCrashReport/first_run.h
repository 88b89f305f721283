/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * first_run.h: the module whose code runs for the first time: it is being loaded, or registers.
 */
#ifndef EAVES_FIRST_RUN_H
#define EAVES_FIRST_RUN_H

#include "memory_map.h"

/** The module that is being loaded or registers, and the thread on which that happens. */
typedef struct first_run {
    /** NULL if there is none. */
    const watched_module *module;
    /** Whether its entry point was called; before, it is being loaded. */
    bool registers;
    bool is_on_this_thread;
} first_run;

/** Returns the present one. */
first_run current_first_run(void);

/** Sets the exit code of a process that a module ends meanwhile, and the time in milliseconds after which
 *  a module is named. */
void set_patience(int exit_code, int milliseconds);

/** Ends the process at once if a module's constructor does not return: the dynamic linker would wait for it. */
void exit_past_linker(int status);

/** Returns the exit code that set_patience got. */
int exit_code_of_first_run(void);

#endif
