/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * crash_report.h: reports which module made the process crash, ended it, or holds it up while it is loaded.
 *
 * Handlers for the signals that end code with a mistake walk the stack of the thread that crashed, find the
 * module to blame, and write it down. Then they pass the signal, with all its information, to the handler
 * that was installed before, so that core dumps work as without them. Swift's own backtrace takes seconds: where there is
 * a log, a copy of the process goes on to it, and writes it into a file next to the log, while the process itself ends.
 *
 * A handler only makes system calls, and calls the functions of this room and the unwinder, which the C
 * library allows to look up its tables anywhere (_dl_find_object). It does not allocate, and takes no lock.
 * The memory map is read from /proc/self/maps: it contains a module while its constructors run, before the
 * dynamic linker has announced it to anybody.
 *
 * A handler of exit sees when a module ends the process while it is loaded, registers or starts, and lets no exit
 * overtake a crash on another thread. Nothing in a process can see _exit, or SIGKILL.
 */
#ifndef EAVES_CRASH_REPORT_H
#define EAVES_CRASH_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/** Installs the handlers, and a stack for them on the calling thread. To be called once. */
void eaves_crash_watch(void);

/** Gives the calling thread a second stack until it ends, unless it has one: handlers run there when its own is used up. The
 *  program's pthread_create does so for each thread that libraries and modules start, and so for those of Swift's pool. */
void eaves_crash_use_stack(void);

/** Announces a module that is about to be loaded. Copies the texts. May be called on any thread.
 *
 *  - id: the name of the module in messages and reports.
 *  - path: the file, as messages name it.
 *  - file_name: the last part of the path that the dynamic linker gets.
 *  - mapped_name: the file's own name, which no other module has.
 *  - device, inode: those of the file.
 *  - log_entry: the beginning of the module's line in the log, a JSON object without its closing
 *    brace.
 *  - is_interface: whether it is an interface module: its code works for the module that calls it, which is
 *    blamed instead. */
void eaves_crash_expect_module(const char *_Nonnull id, const char *_Nonnull path,
                               const char *_Nonnull file_name,
                               const char *_Nonnull mapped_name, uint64_t device, uint64_t inode,
                               const char *_Nonnull log_entry, bool is_interface);

/** Gives an announced module the number of its generation, which the log and the messages then name. It may be
 *  given another one: the same code can serve again, as a later generation. Does nothing for a file that was
 *  not announced. May be called on any thread.
 *
 *  - file: the path that the dynamic linker gets. */
void eaves_crash_number_generation(const char *_Nonnull file, uint64_t number);

/** Says which feature is being launched, for the log and the messages. Only one thread may do this at a time.
 *
 *  - name: the feature's name; NULL for none.
 *  - json: the name as a JSON string, with its quotation marks; NULL for none. */
void eaves_crash_name_feature(const char *_Nullable name, const char *_Nullable json);

/** Marks the calling thread as one that runs an announced module's code for the first time: until
 *  eaves_crash_leave, the module is blamed for a crash in the dynamic linker, for a call of exit, and for a
 *  delay. Does nothing for a file that was not announced, and if 64 threads do this already. May be called on any
 *  thread, also while it runs another module's code for the first time.
 *
 *  - file: the path that the dynamic linker gets.
 *  - step: what the code runs for.
 *
 *  Returns a number for eaves_crash_leave. */
int eaves_crash_enter(const char *_Nonnull file, int step);

/** What a module's code runs for, for the first time: its constructors, its entry point, or the start of its life cycle, which
 *  no delay is told of. */
enum { eaves_run_load, eaves_run_register, eaves_run_start };

/** Tells the process that waits for this one, if one does, that the end which follows is a crash. A program without
 *  CEavesHotRestart has no such function. */
__attribute__((weak)) void eaves_host_crashes(void);

/** Ends what eaves_crash_enter began, on the same thread. */
void eaves_crash_leave(int number);

/** Ends what another thread began, which does not come back from the module's code. While it is in a constructor, the
 *  process ends without the destructors of its libraries: the dynamic linker would wait for that thread.
 *
 *  - file: as for eaves_crash_enter.
 *  - registers: whether that ran the entry point; otherwise the constructors. */
void eaves_crash_give_up(const char *_Nonnull file, bool registers);

/** Makes the handlers log each crash as a line at the end of a file, and name the module on standard error.
 *  They find the file from an open folder on, follow no link, and write only what belongs to this user and no
 *  other can write. What is missing they create.
 *
 *  - project: the open folder that the store is in, which stays open and belongs to the handlers from now on.
 *  - store: the name of the store.
 *  - folder: the name of the log's folder in the store.
 *  - file: the name of the log in that folder.
 *
 *  A call of exit by a module that is being loaded or registers counts as a crash.
 *
 *  - exit_code: the exit code of the process after such a call.
 *  - patience: after this many milliseconds, a module that is still being loaded, or still registers, is
 *    named on standard error. It may go on. 0 for never. */
void eaves_crash_log_into(int project, const char *_Nonnull store, const char *_Nonnull folder,
                          const char *_Nonnull file, int exit_code, int patience);

/** Makes the handlers write reports to a descriptor, as lines of text:
 *
 *      crash SIGNAL          a signal ended the process
 *      stuck                 another process asked with eaves_crash_question, and a thread is in a
 *                            module's code; there is a report for each such thread
 *      exit STATUS           code of the process called exit
 *      blame ID              the module whose fault it is; left out if no module's
 *      frame OFFSET ID PATH  a call, innermost first; OFFSET is the place in the file, in hexadecimal
 *                            digits; ID is that of the module, '.' for the program, or '-'
 *      end TOKEN             without the token, the handler has not written the report
 *
 *  From then on, calls of exit are reported, too.
 *
 *  - token: one word that code of a module does not know; empty for none. */
void eaves_crash_report_to(int descriptor, const char *_Nonnull token);

/** Announces that the host itself calls exit, which is then not reported. */
void eaves_crash_expect_exit(void);

/** The signal by which another process asks this one to report what its threads are doing. */
extern const int eaves_crash_question;

/** Makes this process end when its parent ends, and leave no core file. */
void eaves_crash_leave_nothing(void);

#endif
