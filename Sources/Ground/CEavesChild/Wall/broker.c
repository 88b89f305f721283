/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The broker's calls. A filter cannot see an address, which is in the memory of the process and may change after any
 * look at it. So the process does not connect: the broker copies the address, decides about the copy, and connects a
 * copy of the socket to it.
 */
#define _GNU_SOURCE
#include "wall.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Takes the address out of a copy of the structure. */
static void take(eaves_wall_call *call, const struct sockaddr_storage *address, size_t length) {
    if (address->ss_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
        const struct sockaddr_in *ip = (const struct sockaddr_in *)address;
        memcpy(call->address, &ip->sin_addr, call->length = 4);
        call->port = ntohs(ip->sin_port);
    } else if (address->ss_family == AF_INET6 && length >= sizeof(struct sockaddr_in6) - 4) {
        const struct sockaddr_in6 *ip = (const struct sockaddr_in6 *)address;
        memcpy(call->address, &ip->sin6_addr, call->length = 16);
        call->port = ntohs(ip->sin6_port);
        call->scope = length >= sizeof *ip ? ip->sin6_scope_id : 0;
    }
}

static bool makes_process(int number) {
#if defined(__x86_64__)
    if (number == SYS_fork || number == SYS_vfork) return true;
#endif
    return number == SYS_clone;
}

int eaves_wall_next(int listener, int patience, eaves_wall_call *call) {
    struct pollfd watched = {.fd = listener, .events = POLLIN};
    int ready;
    while ((ready = poll(&watched, 1, patience)) < 0) {
        if (errno != EINTR) return -1;
    }
    errno = ready == 0 ? ENOENT : ESRCH;
    if (!(watched.revents & POLLIN)) return -1;
    /* A later kernel may write more than this header knows. */
    union {
        struct seccomp_notif notification;
        char room[256];
    } taken;
    memset(&taken, 0, sizeof taken);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &taken) != 0) {
        if (errno == EINTR) errno = ENOENT;
        return -1;
    }
    const struct seccomp_data *data = &taken.notification.data;
    memset(call, 0, sizeof *call);
    call->id = taken.notification.id;
    call->thread = (pid_t)taken.notification.pid;
    call->number = data->nr;
    memcpy(call->arguments, data->args, sizeof call->arguments);
    call->socket = (int)data->args[0];
    call->kind = makes_process(data->nr) ? eaves_wall_process
        : data->nr == SYS_listen         ? eaves_wall_listen
        : data->nr == SYS_connect        ? eaves_wall_connect
        : data->nr == SYS_bind           ? eaves_wall_bind
                                         : eaves_wall_change;
    if (call->kind != eaves_wall_connect && call->kind != eaves_wall_bind) return 0;
    struct sockaddr_storage address = {0};
    size_t length = data->args[2] < sizeof address ? (size_t)data->args[2] : sizeof address;
    long count = eaves_wall_peek(listener, call, data->args[1], &address, length);
    if (count < 0 && errno == ENOENT) return -1;
    if (count > 0) take(call, &address, (size_t)count);
    return 0;
}

long eaves_wall_peek(int listener, const eaves_wall_call *call, uint64_t address, void *bytes, size_t length) {
    /* What lies in the next page is read for itself: that one need not be there. */
    size_t first = 4096 - address % 4096;
    if (first > length) first = length;
    struct iovec ours = {.iov_base = bytes, .iov_len = length};
    struct iovec theirs[] = {{(void *)(uintptr_t)address, first}, {(void *)(uintptr_t)(address + first), length - first}};
    ssize_t count = process_vm_readv(call->thread, &ours, 1, theirs, 2, 0);
    /* The number of an ended thread may belong to another one by now: then these are the bytes of another process. */
    if (eaves_wall_waits(listener, call->id)) return count;
    errno = ENOENT;
    return -1;
}

bool eaves_wall_waits(int listener, uint64_t id) { return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0; }

static int answer(int listener, struct seccomp_notif_resp response) {
    union {
        struct seccomp_notif_resp response;
        char room[256];
    } sent;
    memset(&sent, 0, sizeof sent);
    sent.response = response;
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &sent);
}

int eaves_wall_answer(int listener, uint64_t id, int result) {
    return answer(
        listener,
        (struct seccomp_notif_resp){.id = id, .error = result < 0 ? result : 0, .val = result > 0 ? result : 0});
}

int eaves_wall_continue(int listener, uint64_t id) {
    return answer(listener, (struct seccomp_notif_resp){.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE});
}

int eaves_wall_copy(int process, int descriptor) {
    return (int)syscall(438 /* pidfd_getfd */, process, descriptor, 0);
}

int eaves_wall_do(const eaves_wall_call *call, int socket) {
    if (call->kind == eaves_wall_listen) return listen(socket, (int)call->arguments[1]) == 0 ? 0 : -errno;
    struct sockaddr_storage address = {0};
    socklen_t length;
    if (call->length == 4) {
        struct sockaddr_in *ip = (struct sockaddr_in *)&address;
        ip->sin_family = AF_INET;
        ip->sin_port = htons(call->port);
        memcpy(&ip->sin_addr, call->address, 4);
        length = sizeof *ip;
    } else {
        struct sockaddr_in6 *ip = (struct sockaddr_in6 *)&address;
        ip->sin6_family = AF_INET6;
        ip->sin6_port = htons(call->port);
        ip->sin6_scope_id = call->scope;
        memcpy(&ip->sin6_addr, call->address, 16);
        length = sizeof *ip;
    }
    int result = call->kind == eaves_wall_connect ? connect(socket, (struct sockaddr *)&address, length)
                                                  : bind(socket, (struct sockaddr *)&address, length);
    return result == 0 ? 0 : -errno;
}

int eaves_wall_own_address(int socket, eaves_wall_call *call) {
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return -1;
    take(call, &address, length);
    return 0;
}
