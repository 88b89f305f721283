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

int escape_read(const char *path);
int escape_change(const char *folder);

#endif
