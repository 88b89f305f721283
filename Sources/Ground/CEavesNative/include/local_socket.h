/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * local_socket.h: sockets between the processes of one machine (AF_UNIX).
 *
 * The functions wrap system calls whose structures Swift cannot fill. Each returns -1 with errno set if it
 * fails. All descriptors that they make are closed by exec.
 */
#ifndef EAVES_LOCAL_SOCKET_H
#define EAVES_LOCAL_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** How many descriptors one message can carry. */
enum { eaves_socket_most_descriptors = 64 };

/** The process at the other end of a connection. */
typedef struct eaves_socket_peer {
    pid_t process;
    uid_t user;
} eaves_socket_peer;

/** Makes a socket that has this path and takes connections, without waiting for them. Nothing may have the path
 *  yet. */
int eaves_socket_listen(const char *_Nonnull path);

/** Connects to a socket without waiting: fails with EAGAIN if too many others wait there. Reading and writing
 *  the connection do not wait either. */
int eaves_socket_connect(const char *_Nonnull path);

/** Takes the next connection without waiting. Reading and writing it do not wait either. */
int eaves_socket_accept(int listener);

/** Tells who is at the other end: for the end that connected, the process that listens. */
int eaves_socket_get_peer(int connection, eaves_socket_peer *_Nonnull peer);

/** Makes two ends that are connected with each other. */
int eaves_socket_pair(int ends[_Nonnull 2]);

/** Sends bytes, at least one, and copies of descriptors with the first of them. Waits. The reader's end may be
 *  gone: this is EPIPE, and no signal. Returns the number of bytes that were sent. */
ssize_t eaves_socket_send(int connection, const void *_Nonnull bytes, size_t count,
                          const int *_Nullable descriptors, size_t descriptor_count);

/** Receives bytes, and the descriptors that come with them. Waits. Returns the number of bytes, 0 at the
 *  end.
 *
 *  \param descriptors       Room for `eaves_socket_most_descriptors`.
 *  \param descriptor_count  Is set to how many have come. */
ssize_t eaves_socket_receive(int connection, void *_Nonnull bytes, size_t capacity,
                             int *_Nonnull descriptors, size_t *_Nonnull descriptor_count);

#endif
