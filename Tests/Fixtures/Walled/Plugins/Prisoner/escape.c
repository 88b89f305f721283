/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ways out of a process whose rights were taken away. Each returns a number of 0 or more if it worked, and -1 with
 * errno set if it did not.
 */
#define _GNU_SOURCE
#include "escape.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *folder;

/* A path in the folder of others. */
static const char *path(const char *name) {
    static char paths[4][4200];
    static int next;
    char *made = paths[next++ % 4];
    snprintf(made, sizeof *paths, "%s/%s", folder, name);
    return made;
}

/* A path of the host's process in /proc. */
static const char *of_host(const char *name) {
    static char made[4200];
    snprintf(made, sizeof made, "/proc/%d/%s", getppid(), name);
    return made;
}

static long secret(void) { return (long)path("secret"); }
static long host(void) { return getppid(); }
static char bytes[4096];

/* Whether something can be read at once. */
static long reads(const char *name) {
    int file = open(name, O_RDONLY);
    if (file < 0) return -1;
    long count = read(file, bytes, sizeof bytes);
    int error = errno;
    close(file);
    errno = error;
    return count;
}

static long raw_socket(int domain, int type, int protocol) { return syscall(SYS_socket, domain, type, protocol); }

static long connect_local(int type, bool is_abstract) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + is_abstract, sizeof address.sun_path - 1, "%s", path("socket"));
    int made = socket(AF_UNIX, type, 0);
    if (made < 0) return -1;
    return connect(made, (struct sockaddr *)&address, sizeof address);
}

/* Sends from one of a pair of sockets to another socket's path. */
static long send_around(void) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return -1;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path("datagrams"));
    return sendto(pair[0], "x", 1, 0, (struct sockaddr *)&address, sizeof address);
}

static long connect_with_data(void) {
    int made = socket(AF_INET, SOCK_STREAM, 0);
    if (made < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return sendto(made, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address);
}

/* Sets an option of a socket of TCP, or of a pair where there is none. */
static long set_option(int domain, int level, int option, const void *value, socklen_t size) {
    int pair[2] = {-1, -1}, made = socket(domain, SOCK_STREAM, 0);
    if (made < 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) made = pair[0];
    long result = setsockopt(made, level, option, value, size);
    int error = errno;
    close(made), close(pair[1]);
    errno = error;
    return result;
}

/* A header that leads packets to the addresses in it first. */
static const unsigned char route[24] = {0, 2, 4, [23] = 1}, source_route[8] = {131, 7, 4, 127, 0, 0, 1};
static const int one = 1;
static const struct linger hour = {1, 3600};

static long name_host(void) {
    int number;
    socklen_t size = sizeof number;
    return getsockopt(3, SOL_SOCKET, 77 /* SO_PEERPIDFD */, &number, &size);
}

static long signal_by_descriptor(void) {
    int process = (int)syscall(SYS_pidfd_open, getppid(), 0);
    return process < 0 ? -1 : syscall(SYS_pidfd_send_signal, process, SIGURG, NULL, 0);
}

static long own_file(int command) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    return fcntl(ends[0], command, getppid());
}

static long take_descriptor(void) {
    int process = (int)syscall(SYS_pidfd_open, getppid(), 0);
    return process < 0 ? -1 : syscall(SYS_pidfd_getfd, process, 1, 0);
}

static long fork_and_wait(long child) {
    if (child == 0) _exit(0);
    if (child > 0) waitpid((pid_t)child, NULL, 0);
    return child;
}

static long run_in_memory(void) {
    int file = (int)syscall(SYS_memfd_create, "program", 0);
    if (file < 0) return -1;
    char *none[] = {NULL};
    return syscall(SYS_execveat, file, "", none, none, AT_EMPTY_PATH);
}

static long start(void) {
    char *none[] = {NULL};
    return execve("/bin/true", none, none);
}

static long by_handle(void) {
    struct {
        struct file_handle handle;
        char room[128];
    } handle = {.handle = {.handle_bytes = 128}};
    int mount;
    if (name_to_handle_at(AT_FDCWD, path("secret"), &handle.handle, &mount, 0) != 0) return -1;
    int root = open("/", O_PATH);
    return open_by_handle_at(root, &handle.handle, O_RDONLY);
}

static long by_marker(void) {
    int marker = open(path("secret"), O_PATH);
    if (marker < 0) return -1;
    char again[64];
    snprintf(again, sizeof again, "/proc/self/fd/%d", marker);
    return reads(again);
}

static long open_how(void) {
    uint64_t how[3] = {O_RDONLY, 0, 0};
    return syscall(SYS_openat2, AT_FDCWD, path("secret"), how, sizeof how);
}

static long set_limit(pid_t process) {
    struct rlimit limit = {1 << 20, RLIM_INFINITY};
    return syscall(SYS_prlimit64, process, RLIMIT_CORE, &limit, NULL);
}

static long touch_memory(int number) {
    struct iovec ours = {bytes, 8}, theirs = {(void *)0x400000, 8};
    return syscall(number, getppid(), &ours, 1, &theirs, 1, 0);
}

static long ring(void) {
    char parameters[256] = {0};
    return syscall(SYS_io_uring_setup, 8, parameters);
}

static long load_program(void) {
    char attributes[128] = {0};
    return syscall(SYS_bpf, 0, attributes, sizeof attributes);
}

static long count_events(void) {
    char attributes[128] = {1, 0, 0, 0, 128};
    return syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0);
}

static long clone_new(void) {
    uint64_t arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    return fork_and_wait(syscall(SYS_clone3, arguments, sizeof arguments));
}

static long set_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return clock_settime(CLOCK_REALTIME, &now);
}

static long start_filter(void) {
    unsigned short none[8] = {0};
    return syscall(SYS_seccomp, 1, 0, none);
}

/* A way and the code that tries it. */
#define ways(way) \
    /* Files. */ \
    way("read a file", reads((char *)secret())) \
    way("read a file of a user", reads("/etc/shadow")) \
    way("read a file with openat2", open_how()) \
    way("read a file by the root of the process", reads((snprintf(bytes, sizeof bytes, "/proc/self/root%s", \
                                                                  (char *)secret()), \
                                                         bytes))) \
    way("read a file by the root of the host", reads((snprintf(bytes, sizeof bytes, "/proc/%d/root%s", getppid(), \
                                                               (char *)secret()), \
                                                      bytes))) \
    way("read a file by a marker", by_marker()) \
    way("read a file by its handle", by_handle()) \
    way("list a folder", open(folder, O_RDONLY | O_DIRECTORY)) \
    way("list the root", open("/", O_RDONLY | O_DIRECTORY)) \
    way("list the folder of the host", open(of_host("cwd"), O_RDONLY | O_DIRECTORY)) \
    way("follow a descriptor of the host", readlink(of_host("fd/1"), bytes, sizeof bytes)) \
    way("open a descriptor of the host", open(of_host("fd/1"), O_WRONLY)) \
    way("create a file", open(path("new"), O_WRONLY | O_CREAT, 0600)) \
    way("create a file without a name", open(folder, O_TMPFILE | O_RDWR, 0600)) \
    way("create a temporary file", open("/tmp/eaves-escape", O_WRONLY | O_CREAT, 0600)) \
    way("create shared memory", open("/dev/shm/eaves-escape", O_RDWR | O_CREAT, 0600)) \
    way("change a file", open((char *)secret(), O_WRONLY)) \
    way("append to a file", open((char *)secret(), O_WRONLY | O_APPEND)) \
    way("empty a file", truncate((char *)secret(), 0)) \
    way("empty a file that is read", open((char *)secret(), O_RDONLY | O_TRUNC)) \
    way("remove a file", unlink((char *)secret())) \
    way("rename a file", rename((char *)secret(), path("other"))) \
    way("link a file", link((char *)secret(), path("link"))) \
    way("make a symbolic link", symlink("/", path("link"))) \
    way("make a folder", mkdir(path("folder"), 0700)) \
    way("remove a folder", rmdir(path("empty"))) \
    way("make a pipe with a name", mkfifo(path("pipe"), 0600)) \
    way("make a device", mknod(path("device"), S_IFCHR | 0600, 0x103)) \
    way("open a disk", open("/dev/vda", O_RDONLY)) \
    way("open a terminal", open("/dev/tty", O_RDWR)) \
    way("open the memory of the machine", open("/dev/mem", O_RDONLY)) \
    way("change the mode of a file", chmod((char *)secret(), 0777)) \
    way("make a file that runs as its user", open(path("new"), O_WRONLY | O_CREAT, 04755)) \
    way("change the owner of a file", chown((char *)secret(), 12345, 12345)) \
    way("change the times of a file", utimensat(AT_FDCWD, (char *)secret(), NULL, 0)) \
    way("change an attribute of a file", syscall(SYS_setxattr, secret(), "user.escape", "x", 1, 0)) \
    way("change the mode of a library", fchmod(open("/proc/self/maps", O_RDONLY), 0777)) \
    way("watch a file", syscall(SYS_inotify_init1, 0)) \
    way("watch a disk", syscall(SYS_fanotify_init, 0, 0)) \
    way("change the file system's root", chroot("/")) \
    way("mount a file system", syscall(SYS_mount, "none", "/proc", "tmpfs", 0, NULL)) \
    way("open a mount", syscall(428 /* open_tree */, AT_FDCWD, "/", 1)) \
    /* Other processes. */ \
    way("signal the host", kill(getppid(), SIGURG)) \
    way("signal a thread of the host", syscall(SYS_tgkill, host(), host(), SIGURG)) \
    way("signal any thread of the host", syscall(SYS_tkill, host(), SIGURG)) \
    way("signal all processes", kill(-1, 0)) \
    way("signal the first process", kill(1, 0)) \
    way("signal with a value", sigqueue(getppid(), SIGURG, (union sigval){0})) \
    way("signal by a descriptor", signal_by_descriptor()) \
    way("let a file signal the host", own_file(F_SETOWN)) \
    way("ask for a lease", own_file(F_SETLEASE)) \
    way("trace the host", syscall(SYS_ptrace, 0x4206 /* seize */, host(), 0, 0)) \
    way("be traced", syscall(SYS_ptrace, 0, 0, 0, 0)) \
    way("read the memory of the host", touch_memory(SYS_process_vm_readv)) \
    way("write the memory of the host", touch_memory(SYS_process_vm_writev)) \
    way("open the memory of the host", open(of_host("mem"), O_RDONLY)) \
    way("read the places of the host's memory", reads(of_host("maps"))) \
    way("read the environment of the host", reads(of_host("environ"))) \
    way("read the calls of the host", reads(of_host("syscall"))) \
    way("take a descriptor of the host", take_descriptor()) \
    way("compare with the host", syscall(SYS_kcmp, getpid(), host(), 0, 1, 1)) \
    way("limit the host", set_limit(getppid())) \
    way("raise a limit of its own", set_limit(0)) \
    way("slow the host", setpriority(PRIO_PROCESS, (id_t)getppid(), 10)) \
    way("move the host", syscall(SYS_sched_setaffinity, host(), sizeof bytes, bytes)) \
    way("let the host be ended first", open(of_host("oom_score_adj"), O_WRONLY)) \
    way("outlive the host", prctl(PR_SET_PDEATHSIG, 0)) \
    way("leave the group of processes", setsid()) \
    /* Programs and processes of its own. */ \
    way("start a program", start()) \
    way("start a program in memory", run_in_memory()) \
    way("make a process", fork_and_wait(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))) \
    way("make a process with fork", fork_and_wait(fork())) \
    way("make a process with clone3", clone_new()) \
    way("enter a user namespace", unshare(CLONE_NEWUSER)) \
    way("enter a network namespace", unshare(CLONE_NEWNET)) \
    way("enter the namespaces of the host", setns((int)syscall(SYS_pidfd_open, host(), 0), CLONE_NEWNS)) \
    way("become another user", setuid(12345)) \
    way("set a filter of its own", start_filter()) \
    /* Sockets. */ \
    way("use TCP", raw_socket(AF_INET, SOCK_STREAM, 0)) \
    way("use TCP over IPv6", raw_socket(AF_INET6, SOCK_STREAM, 0)) \
    way("use TCP on many paths", raw_socket(AF_INET, SOCK_STREAM, 262)) \
    way("use UDP", raw_socket(AF_INET, SOCK_DGRAM, 0)) \
    way("use SCTP", raw_socket(AF_INET, SOCK_STREAM, 132)) \
    way("use packets of IP", raw_socket(AF_INET, SOCK_RAW, 1)) \
    way("use packets of a network", raw_socket(AF_PACKET, SOCK_RAW, 0)) \
    way("talk to the kernel", raw_socket(AF_NETLINK, SOCK_RAW, 0)) \
    way("talk to the machine outside", raw_socket(AF_VSOCK, SOCK_STREAM, 0)) \
    way("use the kernel's ciphers", raw_socket(AF_ALG, SOCK_SEQPACKET, 0)) \
    way("connect to a socket's path", connect_local(SOCK_STREAM, false)) \
    way("connect to a socket's name", connect_local(SOCK_STREAM, true)) \
    way("send around a connection", send_around()) \
    way("connect with the data", connect_with_data()) \
    way("connect with the first data", set_option(AF_INET, IPPROTO_TCP, 30 /* TCP_FASTOPEN_CONNECT */, &one, 4)) \
    way("lead a connection over other machines", set_option(AF_INET6, IPPROTO_IPV6, IPV6_RTHDR, route, sizeof route)) \
    way("lead an older connection over other machines", \
        set_option(AF_INET, IPPROTO_IP, IP_OPTIONS, source_route, sizeof source_route)) \
    way("have an address that is not the machine's", set_option(AF_INET, IPPROTO_IP, IP_FREEBIND, &one, 4)) \
    way("choose the device of a connection", set_option(AF_INET, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3)) \
    way("choose the protocol of a connection", set_option(AF_INET, IPPROTO_TCP, 31 /* TCP_ULP */, "tls", 4)) \
    way("let the host wait for the end of a socket", set_option(AF_INET, SOL_SOCKET, SO_LINGER, &hour, sizeof hour)) \
    way("name the host by its socket", name_host()) \
    /* The kernel. */ \
    way("use a ring of calls", ring()) \
    way("load a program into the kernel", load_program()) \
    way("count events", count_events()) \
    way("handle faults of pages", syscall(SYS_userfaultfd, 0)) \
    way("keep a key", syscall(SYS_add_key, "user", "escape", "x", 1, -3)) \
    way("read keys", syscall(SYS_keyctl, 0, -3, 0)) \
    way("share memory by number", syscall(SYS_shmget, 0x4711, 4096, 01600)) \
    way("send messages by number", syscall(SYS_msgget, 0x4711, 01600)) \
    way("open a queue of messages", syscall(SYS_mq_open, "escape", O_CREAT | O_RDWR, 0600, NULL)) \
    way("change the way that programs run", syscall(SYS_personality, 0x0040000)) \
    way("read the kernel's log", syscall(SYS_syslog, 2, bytes, 8)) \
    way("load a module into the kernel", syscall(SYS_init_module, bytes, 0, "")) \
    way("set the time", set_time()) \
    way("change the kernel's settings", open("/proc/sys/kernel/hostname", O_WRONLY)) \
    way("type on the terminal", ioctl(1, TIOCSTI, "x")) \
    way("take the terminal", ioctl(1, TIOCSCTTY, 0))

#define name_of(name, code) name,
static const char *const names[] = {ways(name_of) NULL};

const char *escape_name(int index) { return names[index]; }

int escape_try(const char *name, const char *target) {
    folder = target;
    errno = 0;
#define try_it(way, code) \
    if (strcmp(name, way) == 0) return (code) < 0 ? errno : 0;
    ways(try_it);
    return EINVAL;
}

static int make_socket(const char *host, int port, struct sockaddr_in *address) {
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, host, &address->sin_addr);
    return socket(AF_INET, SOCK_STREAM, 0);
}

int escape_connect(const char *host, int port) {
    struct sockaddr_in address;
    int made = make_socket(host, port, &address);
    if (made < 0) return errno;
    int error = connect(made, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
    if (error == 0 && send(made, "hello\n", 6, 0) != 6) error = errno;
    close(made);
    return error;
}

int escape_listen(const char *host, int port) {
    struct sockaddr_in address;
    int made = make_socket(host, port, &address);
    if (made < 0) return errno;
    int error = port >= 0 && bind(made, (struct sockaddr *)&address, sizeof address) != 0 ? errno : 0;
    if (error == 0 && listen(made, 1) != 0) error = errno;
    close(made);
    return error;
}

int escape_resolve(const char *name) {
    struct addrinfo *list = NULL;
    int error = getaddrinfo(name, "80", NULL, &list);
    if (error != 0) return 0;
    int count = 0;
    for (struct addrinfo *one = list; one; one = one->ai_next) ++count;
    freeaddrinfo(list);
    return count;
}

int escape_run(const char *program) {
    char *arguments[] = {(char *)program, NULL}, *none[] = {NULL};
    pid_t child;
    int error = posix_spawn(&child, program, NULL, NULL, arguments, none), status;
    if (error != 0) return -error;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int escape_leave(const char *program, const char *argument) {
    if (*program == 0) {
        pid_t child = fork();
        if (child == 0) {
            for (;;) pause();
        }
        return child < 0 ? -errno : child;
    }
    char *arguments[] = {(char *)program, (char *)argument, NULL}, *none[] = {NULL};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    /* As Foundation does. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t child;
    int error = posix_spawn(&child, program, NULL, &attributes, arguments, none);
    posix_spawnattr_destroy(&attributes);
    return error != 0 ? -error : child;
}

int escape_newest(void) { return open_how() < 0 ? errno : 0; }

int escape_read(const char *name) { return reads(name) < 0 ? errno : 0; }

int escape_change(const char *target) {
    folder = target;
    int file = open(path("new"), O_RDWR | O_CREAT, 0600);
    if (file < 0 || write(file, "text", 4) != 4 || fsync(file) != 0) return errno;
    close(file);
    file = open(path("new"), O_WRONLY | O_TRUNC);
    if (file < 0 || ftruncate(file, 10) != 0) return errno;
    close(file);
    if (mkdir(path("inner"), 0700) != 0 || rename(path("new"), path("inner/moved")) != 0) return errno;
    if (unlink(path("inner/moved")) != 0 || rmdir(path("inner")) != 0) return errno;
    return 0;
}

int escape_pass(int socket, int count) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(253 * sizeof(int))];
    } control = {.room = {0}};
    struct iovec content = {"x", 1};
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1, .msg_control = &control,
        .msg_controllen = CMSG_SPACE((size_t)count * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    for (int index = 0; index < count; ++index) ((int *)CMSG_DATA(header))[index] = 1;
    return sendmsg(socket, &message, MSG_DONTWAIT) < 0 ? errno : 0;
}

int escape_options(int level) {
    int count = 0;
    for (int option = 0; option < 256; ++option) {
        if (set_option(AF_INET6, level, option, &one, sizeof one) == 0 || errno != EPERM) ++count;
    }
    return count;
}

int escape_flight(void) {
    int pair[2], count = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -errno;
    while (count < 100000 && escape_pass(pair[0], 250) == 0) count += 250;
    return count;
}

int escape_connect_child(const char *host, int port) {
    int status = 0, child = fork();
    if (child == 0) {
        /* The module has no descriptors of these numbers. */
        for (int index = 0; index < 50; ++index) dup(1);
        _exit(escape_connect(host, port));
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
