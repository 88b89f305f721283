// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The functions of libsqlite3.so.0 that this module calls, as https://sqlite.org/c3ref/ describes them: the
// library is on every machine that has SwiftPM, its own header is not.

#ifndef EAVES_SQLITE_H
#define EAVES_SQLITE_H

#include <stdint.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

// Result codes. The lowest byte of an extended code is a primary code.
#define SQLITE_OK 0
#define SQLITE_BUSY 5
#define SQLITE_LOCKED 6
#define SQLITE_READONLY 8
#define SQLITE_IOERR 10
#define SQLITE_CORRUPT 11
#define SQLITE_FULL 13
#define SQLITE_CANTOPEN 14
#define SQLITE_NOTADB 26
#define SQLITE_ROW 100
#define SQLITE_DONE 101
#define SQLITE_CONSTRAINT_UNIQUE 2067

// For sqlite3_open_v2.
#define SQLITE_OPEN_READONLY 0x1
#define SQLITE_OPEN_READWRITE 0x2
#define SQLITE_OPEN_FULLMUTEX 0x10000

// For sqlite3_file_control: whether the open file is no longer the one with the database's name.
#define SQLITE_FCNTL_HAS_MOVED 20

int sqlite3_open_v2(const char *path, sqlite3 **database, int flags, const char *vfs);
int sqlite3_close_v2(sqlite3 *database);
int sqlite3_extended_result_codes(sqlite3 *database, int on);
int sqlite3_busy_timeout(sqlite3 *database, int milliseconds);
const char *sqlite3_errmsg(sqlite3 *database);
int sqlite3_system_errno(sqlite3 *database);
int sqlite3_file_control(sqlite3 *database, const char *name, int operation, void *argument);
int64_t sqlite3_last_insert_rowid(sqlite3 *database);
int sqlite3_changes(sqlite3 *database);

int sqlite3_prepare_v2(sqlite3 *database, const char *sql, int size, sqlite3_stmt **statement,
                       const char **rest);
int sqlite3_step(sqlite3_stmt *statement);
int sqlite3_finalize(sqlite3_stmt *statement);
int sqlite3_bind_int64(sqlite3_stmt *statement, int index, int64_t value);
int sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int size,
                      void (*destroy)(void *));
int64_t sqlite3_column_int64(sqlite3_stmt *statement, int column);
const unsigned char *sqlite3_column_text(sqlite3_stmt *statement, int column);
int sqlite3_column_bytes(sqlite3_stmt *statement, int column);

/// Binds a text that SQLite copies: the destructor -1 stands for that.
static inline int eaves_bind_text(sqlite3_stmt *statement, int index, const char *text, int size) {
    return sqlite3_bind_text(statement, index, text, size, (void (*)(void *))(intptr_t)-1);
}

#endif
