/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESCAPE_H
#define ESCAPE_H

/** The name of a way out; NULL behind the last one. */
const char *escape_name(int index);

/** Tries a way out. Returns 0 if it worked, or the number of the error. */
int escape_try(const char *name, const char *folder);

/** Connects a socket to an address, or lets it take connections there. */
int escape_connect(const char *host, int port);
int escape_listen(const char *host, int port);
int escape_resolve(const char *name);

/** Starts a program that goes on, with an argument, or goes on itself in a child. Returns its number; the negated number
 *  of an error. */
int escape_leave(const char *program, const char *argument);

/** The exit code of a program; the negated number of an error. */
int escape_run(const char *program);

/** Sends copies of a descriptor. */
int escape_pass(int socket, int count);

/** The number of options of a level that may be set. */
int escape_options(int level);

/** The number of descriptors that can be under way at one time. */
int escape_flight(void);

/** Connects to an address in a child. */
int escape_connect_child(const char *host, int port);

/** Makes a call that has an older way. Returns 0, or the number of the error. */
int escape_newest(void);

int escape_read(const char *path);
int escape_change(const char *folder);

#endif
