// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The part of GNU libmicrohttpd that the module uses, as <microhttpd.h> of versions 0.9.71 to 1.0 declares
// it: libmicrohttpd.so.12. The package with that header need not be installed.

#ifndef EAVES_RENDERER_WEB_SERVER_H
#define EAVES_RENDERER_WEB_SERVER_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <strings.h>

// The package's own targets are compiled for editors and for tests of what needs no library. They link
// without it; the functions are then null.
#ifdef EAVES_WITHOUT_MICROHTTPD
#define EAVES_MICROHTTPD __attribute__((weak))
#else
#define EAVES_MICROHTTPD
#endif

struct MHD_Daemon;
struct MHD_Connection;
struct MHD_Response;

enum MHD_Result { MHD_NO = 0, MHD_YES = 1 };
enum MHD_ValueKind { MHD_HEADER_KIND = 1 };
enum MHD_ResponseMemoryMode { MHD_RESPMEM_MUST_COPY = 2 };
enum MHD_DaemonInfoType { MHD_DAEMON_INFO_BIND_PORT = 6 };
enum MHD_RequestTerminationCode { MHD_REQUEST_TERMINATED_COMPLETED_OK = 0 };
enum MHD_ConnectionNotificationCode { MHD_CONNECTION_NOTIFY_STARTED = 0, MHD_CONNECTION_NOTIFY_CLOSED = 1 };
enum MHD_ConnectionInfoType { MHD_CONNECTION_INFO_CONNECTION_FD = 6 };
enum MHD_FLAG {
    MHD_USE_AUTO_INTERNAL_THREAD = 65536 | 8,
    MHD_ALLOW_SUSPEND_RESUME = 8192 | 1024,
};
enum MHD_OPTION {
    MHD_OPTION_END = 0,
    MHD_OPTION_CONNECTION_LIMIT = 2,
    MHD_OPTION_CONNECTION_TIMEOUT = 3,
    MHD_OPTION_NOTIFY_COMPLETED = 4,
    MHD_OPTION_SOCK_ADDR = 6,
    MHD_OPTION_NOTIFY_CONNECTION = 27,
};

typedef enum MHD_Result (*MHD_AccessHandlerCallback)(
    void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *upload_data, size_t *upload_data_size, void **state);
typedef void (*MHD_RequestCompletedCallback)(
    void *context, struct MHD_Connection *connection, void **state,
    enum MHD_RequestTerminationCode reason);
typedef void (*MHD_NotifyConnectionCallback)(
    void *context, struct MHD_Connection *connection, void **socket_context,
    enum MHD_ConnectionNotificationCode event);

union MHD_DaemonInfo {
    uint16_t port;
    void *others;
};
union MHD_ConnectionInfo {
    int connect_fd;
    void *others;
};

EAVES_MICROHTTPD struct MHD_Daemon *MHD_start_daemon(
    unsigned int flags, uint16_t port, void *accept, void *accept_context,
    MHD_AccessHandlerCallback handler, void *handler_context, ...);
EAVES_MICROHTTPD void MHD_stop_daemon(struct MHD_Daemon *daemon);
EAVES_MICROHTTPD const union MHD_DaemonInfo *MHD_get_daemon_info(
    struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type, ...);
EAVES_MICROHTTPD const union MHD_ConnectionInfo *MHD_get_connection_info(
    struct MHD_Connection *connection, enum MHD_ConnectionInfoType type, ...);
EAVES_MICROHTTPD const char *MHD_lookup_connection_value(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *key);
typedef enum MHD_Result (*MHD_KeyValueIterator)(
    void *context, enum MHD_ValueKind kind, const char *key, const char *value);
EAVES_MICROHTTPD int MHD_get_connection_values(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIterator iterator, void *context);
EAVES_MICROHTTPD struct MHD_Response *MHD_create_response_from_buffer(
    size_t size, void *buffer, enum MHD_ResponseMemoryMode mode);
EAVES_MICROHTTPD enum MHD_Result MHD_add_response_header(
    struct MHD_Response *response, const char *header, const char *content);
EAVES_MICROHTTPD enum MHD_Result MHD_queue_response(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);
EAVES_MICROHTTPD void MHD_destroy_response(struct MHD_Response *response);
EAVES_MICROHTTPD void MHD_suspend_connection(struct MHD_Connection *connection);
EAVES_MICROHTTPD void MHD_resume_connection(struct MHD_Connection *connection);

// Swift cannot call functions with variable arguments. It can call these three.

/// Starts a server with a thread of its own, on a free port of 127.0.0.1; null if that fails.
static inline struct MHD_Daemon *eaves_start_server(
    MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connection, void *context, unsigned int connection_limit,
    unsigned int idle_seconds) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, connection, context, MHD_OPTION_END);
}

static inline enum MHD_Result eaves_count_host(
    void *context, enum MHD_ValueKind kind, const char *key, const char *value) {
    (void)kind, (void)value;
    if (strcasecmp(key, "Host") == 0) ++*(int *)context;
    return MHD_YES;
}

/// How many fields of a request are called `Host`. Another server on the way may look at another one of them.
static inline int eaves_host_count(struct MHD_Connection *connection) {
    int count = 0;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, eaves_count_host, &count);
    return count;
}

/// The port that a server listens on; 0 if it is not known.
static inline uint16_t eaves_server_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/// The socket of a connection; -1 if it is not known.
static inline int eaves_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

#endif
