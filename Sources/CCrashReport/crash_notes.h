/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * crash_notes.h: what is written down while the process dies.
 */
#ifndef EAVES_CRASH_NOTES_H
#define EAVES_CRASH_NOTES_H

#include "stack_walk.h"

#include <sys/types.h>

/** Notes a crash in the log and says on standard error who it was; nothing if there is no log. */
void write_log(int number, pid_t process, const watched_module *module);

/** Writes a report, as crash_report.h has it.
 *
 *  - number: what stands behind the first word; none if it is negative. */
void write_report(int descriptor, const char *what, int number, const walk_frame *frames,
                  size_t count);

#endif
