/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * crash_notes.h: writes the log and the reports while the process dies.
 */
#ifndef EAVES_CRASH_NOTES_H
#define EAVES_CRASH_NOTES_H

#include "stack_walk.h"

#include <sys/types.h>

/** Logs a crash and names the module on standard error. Does nothing if there is no log. */
void write_log(int number, pid_t process, const watched_module *module);

/** Writes a report in the form that crash_report.h describes.
 *
 *  - what: the first word of the report.
 *  - number: the number after that word; none if it is negative. */
void write_report(int descriptor, const char *what, int number, const walk_frame *frames,
                  size_t count);

#endif
