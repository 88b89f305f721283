/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * crash_notes.h: writes the log and the reports while the process dies.
 */
#ifndef EAVES_CRASH_NOTES_H
#define EAVES_CRASH_NOTES_H

#include "stack_walk.h"

#include <sys/types.h>

/** Whether eaves_crash_log_into was called. */
bool has_log(void);

/** Opens a new file next to the log, for all that is known of a crash of this process. Returns -1 if there is no log, or
 *  others could have written the file.
 *
 *  - process: this process; 0 if no module is to blame. */
int open_whole_report(pid_t process);

/** Logs that a signal ended the process, and says so on standard error. Does nothing if there is no log.
 *
 *  - sender: the process that has sent it, 0 if that is not known; -1 if it comes from a mistake in this one.
 *  - module: the module that is named; NULL for none.
 *  - counts: whether the module is to blame. Otherwise it is only named.
 *  - whole_report: the file that open_whole_report has opened, which gets the message, too; -1 if there is none. */
void log_signal(int number, pid_t process, pid_t sender, const watched_module *module, bool counts,
                int whole_report);

/** Logs that a module called exit with this status, or quick_exit if the status is negative, and names
 *  the module on standard error.
 *
 *  - step: what it ran for. */
void log_exit(int status, pid_t process, const watched_module *module, int step);

/** Names on standard error a module that is still being loaded, or still registers. */
void tell_delay(int milliseconds, const watched_module *module, int step);

/** Sets the feature that is being launched; NULL for none. Copies the texts. */
void set_feature(const char *name, const char *json);

/** Sets the word behind the last word of each report; empty for none. Copies it. */
void set_token(const char *token);

/** Writes a report in the form that crash_report.h describes.
 *
 *  - what: the first word of the report.
 *  - number: the number after that word; none if it is negative.
 *  - blamed: the module whose fault it is, or NULL. */
void write_report(int descriptor, const char *what, int number, const watched_module *blamed,
                  const walk_frame *frames, size_t count);

#endif
