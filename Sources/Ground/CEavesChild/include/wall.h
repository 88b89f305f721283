/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * wall.h: takes rights from the calling process, for good, and asks another process about its connections.
 *
 * The process has one thread when it takes its rights: the rules for files hold for the calling thread and those that
 * it starts. The order is: begin the rules, allow files, enforce the rules, install the filter, prove the wall. Each
 * function that can fail returns -1 with errno set.
 */
#ifndef EAVES_WALL_H
#define EAVES_WALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

/** The rights to a file, or to a folder with all inside of it. */
enum {
    eaves_wall_read = 1,
    /** Also to create, to remove and to rename. */
    eaves_wall_write = 2,
    eaves_wall_run = 4,
};

/** The rights of the process besides files. */
enum {
    /** TCP; a broker decides about each connection. */
    eaves_wall_network = 1,
    /** UDP, which resolvers of names use; a broker decides about each connection. */
    eaves_wall_resolve = 2,
    /** Processes: children, and other programs; a broker decides about each child. */
    eaves_wall_processes = 4,
    /** The kernel's rules for files keep signals inside, so that children can be signalled. */
    eaves_wall_scoped_signals = 8,
};

/** The ABI of Landlock that the kernel has: 1 knows files, 4 TCP, 6 signals and abstract sockets. */
int eaves_wall_landlock(void);

/** Begins rules for files, which allow none. Returns a descriptor, which is closed by exec. */
int eaves_wall_rules(void);

/** Allows a file that is open, or one at a path. */
int eaves_wall_allow(int rules, int file, unsigned rights);
int eaves_wall_allow_path(int rules, const char *_Nonnull path, unsigned rights);

/** Allows to read the folders from which the process has loaded its libraries. */
void eaves_wall_allow_libraries(int rules);

/** Makes the rules hold for the calling thread, and closes them. Drops all capabilities of the process. */
int eaves_wall_enforce(int rules);

/** Refuses all system calls but those that a module needs for itself.
 *
 *  \param listener  Is set to a descriptor for the broker; to -1 where the system has none, and the rights need none. */
int eaves_wall_filter(unsigned rights, int *_Nonnull listener);

/** The acts that a wall refuses, each of which ::eaves_wall_failures tries. */
enum {
    eaves_wall_act_read = 1,
    eaves_wall_act_write = 2,
    eaves_wall_act_connect = 4,
    eaves_wall_act_signal = 8,
    eaves_wall_act_fork = 16,
    eaves_wall_act_exec = 32,
    eaves_wall_act_memory = 64,
    /** Is none of them: what the wall has to allow. */
    eaves_wall_act_allowed = 128,
};

/** Tries one act of each kind that the wall has to refuse, and one that it has to allow.
 *
 *  \param acts  Those to try.
 *  \param file  A path that can be read.
 *  \returns The acts that did not go as they should. */
unsigned eaves_wall_failures(unsigned acts, unsigned rights, const char *_Nonnull file);

/** A call that waits for the broker. */
typedef struct eaves_wall_call {
    uint64_t id;
    /** A change is one of the mode, the owner, the times or the lock of a file. */
    enum { eaves_wall_connect, eaves_wall_bind, eaves_wall_listen, eaves_wall_process, eaves_wall_change } kind;
    /** The number in /proc of the thread that waits. It may be another one's as soon as ::eaves_wall_waits is false. */
    pid_t thread;
    /** The number of the system call, and its arguments. */
    int number;
    uint64_t arguments[6];
    /** The socket of a connect, bind or listen, or the file to lock, as a descriptor of the process of the thread. */
    int socket;
    /** The address, in network byte order: `length` bytes, 4 or 16, and the scope of an IPv6 one. 0 bytes for one that
     *  is neither. */
    uint8_t address[16];
    uint8_t length;
    uint32_t scope;
    uint16_t port;
} eaves_wall_call;

/** Waits for the next call. Returns 0; -1 with ENOENT for one that is over already or after the time, which is in
 *  milliseconds; and another error at the end of the process. */
int eaves_wall_next(int listener, int patience, eaves_wall_call *_Nonnull call);

/** Copies memory of the thread that waits for the call. Returns the number of bytes, which is less than the length where
 *  the next page is not there; -1 with ENOENT if the call is over. */
long eaves_wall_peek(int listener, const eaves_wall_call *_Nonnull call, uint64_t address, void *_Nonnull bytes,
                     size_t length);

/** Whether the call still waits: then the thread has been the one that makes it. */
bool eaves_wall_waits(int listener, uint64_t id);

/** Lets the call return this: 0 or a positive result, or a negated errno. */
int eaves_wall_answer(int listener, uint64_t id, int result);

/** Lets the call be made by the process itself. Its arguments are numbers, which no other thread can exchange meanwhile. */
int eaves_wall_continue(int listener, uint64_t id);

/** Copies a descriptor of another process. It is closed by exec. */
int eaves_wall_copy(int process, int descriptor);

/** Connects or binds a socket to the call's address, whatever the memory of the other process says meanwhile; or
 *  listens. Returns what its call returns: 0, or a negated errno. */
int eaves_wall_do(const eaves_wall_call *_Nonnull call, int socket);

/** The address that a socket has, in the fields of a call. */
int eaves_wall_own_address(int socket, eaves_wall_call *_Nonnull call);

#endif
