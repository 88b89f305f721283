/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "local_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int fill(struct sockaddr_un *address, const char *path) {
    size_t length = strlen(path);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (length >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address->sun_path, path, length);
    return 0;
}

static int failed(int descriptor) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

static int make(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int eaves_socket_listen(const char *path) {
    struct sockaddr_un address;
    if (fill(&address, path) < 0) return -1;
    int listener = make();
    if (listener < 0) return -1;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0) return failed(listener);
    if (listen(listener, 16) < 0) return failed(listener);
    return listener;
}

int eaves_socket_connect(const char *path) {
    struct sockaddr_un address;
    if (fill(&address, path) < 0) return -1;
    int connection = make();
    if (connection < 0) return -1;
    if (connect(connection, (struct sockaddr *)&address, sizeof address) < 0) return failed(connection);
    return connection;
}

int eaves_socket_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int eaves_socket_get_peer(int connection, eaves_socket_peer *peer) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) return -1;
    peer->process = credentials.pid;
    peer->user = credentials.uid;
    return 0;
}

int eaves_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }

/* Room for the descriptors of a message, aligned as the system wants it. */
typedef union control {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * eaves_socket_most_descriptors)];
} control;

ssize_t eaves_socket_send(int connection, const void *bytes, size_t count, const int *descriptors,
                          size_t descriptor_count) {
    struct iovec content = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1};
    control control;
    if (descriptor_count > eaves_socket_most_descriptors) {
        errno = EINVAL;
        return -1;
    }
    if (descriptor_count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.room;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
    }
    ssize_t sent;
    do sent = sendmsg(connection, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t eaves_socket_receive(int connection, void *bytes, size_t capacity, int *descriptors,
                             size_t *descriptor_count) {
    struct iovec content = {.iov_base = bytes, .iov_len = capacity};
    control control;
    struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1, .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    *descriptor_count = 0;
    ssize_t received;
    do received = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(descriptors + *descriptor_count, CMSG_DATA(header), sizeof(int) * count);
        *descriptor_count += count;
    }
    return received;
}
