/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * crash_report.h: who was it, when the process dies.
 *
 * Handlers for the signals by which code dies of its own mistakes. They walk the stack of the thread
 * that crashed, find the module to blame, write it down, and hand the signal on to whoever handled it
 * before, with all it came with: core dumps and Swift's own backtrace are as they would have been.
 *
 * In a handler nothing is called but system calls, the functions of this room, and the unwinder, which
 * the C library lets look up its tables anywhere (_dl_find_object); nothing is allocated, and no lock is
 * taken. The memory map is read from /proc/self/maps, so a module is known while its constructors run,
 * before the dynamic linker has told anybody of it.
 */
#ifndef EAVES_CRASH_REPORT_H
#define EAVES_CRASH_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/** Installs the handlers, and an alternate stack for the calling thread. Called once. */
void eaves_crash_watch(void);

/** Gives the calling thread a stack for the handler, so that an overflow of its own is reported too.
 *  There is one such stack; the first thread that asks has it. */
void eaves_crash_watch_thread(void);

/** Names a module that is about to be loaded. The texts are copied. On any thread.
 *
 *  - id: as messages and reports name it.
 *  - path: the file as messages name it.
 *  - file_name: the last part of the path that the dynamic linker is given.
 *  - device, inode: of that file, for one that has no name.
 *  - log_entry: the beginning of its line in the log, a JSON object without its closing brace. */
void eaves_crash_expect_module(const char *_Nonnull id, const char *_Nonnull path,
                               const char *_Nonnull file_name, uint64_t device, uint64_t inode,
                               const char *_Nonnull log_entry);

/** Says where crashes are noted: a line each at the end of a file, in a folder, in a folder; what is
 *  not there is created. Whom to blame is then said on standard error, too. */
void eaves_crash_log_into(const char *_Nonnull outer, const char *_Nonnull inner,
                          const char *_Nonnull file);

/** Says where reports are written, as lines of text:
 *
 *      crash SIGNAL          a signal ended the process
 *      stuck                 somebody asked what it is doing, by eaves_crash_question: a thread
 *                            that is in a module's code; there may be several
 *      exit STATUS           somebody called exit
 *      frame OFFSET ID PATH  innermost first; OFFSET is the place in the file, in hexadecimal
 *                            digits; ID is the module's, '.' for the program, or '-'
 *      end
 *
 *  From then on a call of exit is reported as well. */
void eaves_crash_report_to(int descriptor);

/** Says that exit is called by ourselves. */
void eaves_crash_expect_exit(void);

/** The signal by which another process asks what this one is doing. */
extern const int eaves_crash_question;

/** Lets this process end with whoever started it, and without a core file. */
void eaves_crash_leave_nothing(void);

#endif
