/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The filter of system calls: it says which are allowed, of which some are judged by their arguments.
 */
#define _GNU_SOURCE
#include "wall.h"

#include "decisions.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

static const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
static const uint32_t unknown = SECCOMP_RET_ERRNO | ENOSYS;
static const uint32_t allow = SECCOMP_RET_ALLOW;

/* Those that can harm only the process itself, or reach only what the rules for files allow. */
static const int always[] = {
    /* Files. */
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_preadv2,
    SYS_pwritev2, SYS_close, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_faccessat,
    SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_umask, SYS_ftruncate, SYS_fallocate,
    SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_fadvise64, SYS_readahead, SYS_sendfile,
    SYS_copy_file_range, SYS_mkdirat, SYS_unlinkat, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_dup,
    SYS_dup3, SYS_pipe2, 436 /* close_range */, 439 /* faccessat2 */,
    /* Memory. */
    SYS_mmap, SYS_mprotect, SYS_munmap, SYS_mremap, SYS_madvise, SYS_msync, SYS_mincore, SYS_mlock, SYS_munlock,
    SYS_brk, SYS_membarrier, 462 /* mseal */,
    /* Threads and time. */
    SYS_futex, SYS_set_robust_list, SYS_set_tid_address, SYS_rseq, SYS_gettid, SYS_getpid, SYS_getppid, SYS_getpgid,
    SYS_getsid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups, SYS_getresuid, SYS_getresgid,
    SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_times, SYS_getrandom, SYS_getcpu, SYS_gettimeofday, SYS_clock_gettime,
    SYS_clock_getres, SYS_nanosleep, SYS_clock_nanosleep, SYS_setitimer, SYS_getitimer, SYS_timer_create,
    SYS_timer_settime, SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_get_priority_max,
    SYS_sched_get_priority_min, SYS_getpriority, SYS_capget, SYS_exit, SYS_exit_group, SYS_restart_syscall,
    /* Signals of its own, and what it waits for. */
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_sigsuspend,
    SYS_sigaltstack, SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait,
    441 /* epoll_pwait2 */, SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime,
    SYS_signalfd4,
    /* Sockets that it has. */
    SYS_shutdown, SYS_getsockname, SYS_getpeername, SYS_recvfrom, SYS_recvmsg,
    SYS_recvmmsg, SYS_accept, SYS_accept4,
#if defined(__x86_64__)
    SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename,
    SYS_renameat, SYS_link, SYS_symlink, SYS_dup2, SYS_pipe, SYS_getpgrp, SYS_time, SYS_alarm, SYS_pause, SYS_poll,
    SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd, SYS_arch_prctl,
#endif
};

/* What a process with children needs besides. */
static const int of_processes[] = {SYS_execve, SYS_wait4, SYS_waitid};

static const int of_network[] = {SYS_connect, SYS_bind, SYS_listen};

/* The rules for files do not know of modes, owners, times and locks: the broker changes those of files that may be
 * written. */
static const int of_files[] = {
    SYS_flock, SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat,
#if defined(__x86_64__)
    SYS_chmod, SYS_chown, SYS_lchown,
#endif
};

/* Files seem to have no further attributes, so that what copies a file goes on. */
static const int of_attributes[] = {
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr,
    SYS_llistxattr, SYS_flistxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
};

/* Programs go on with the older call. */
static const int with_older_ways[] = {SYS_memfd_create, SYS_execveat, SYS_syncfs, SYS_mlock2, SYS_pkey_alloc, SYS_splice};

#define length_of(array) (int)(sizeof(array) / sizeof *(array))
#define decide_all(numbers, action) \
    for (int index = 0; index < length_of(numbers); ++index) decide((numbers)[index], action)

/* Ends with permission if the loaded number is one of these, and with a refusal otherwise. */
static void end_with_values(const uint32_t *values, int count) {
    for (int place = 0; place < count; ++place) {
        unsigned char distance = (unsigned char)(count - place);
        add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[place], distance, 0));
    }
    end_with(refuse);
    end_with(allow);
}

static void allow_values(int number, int index, const uint32_t *values, int count) {
    judge(number);
    load_argument(index);
    end_with_values(values, count);
}

/* The options of sockets that modules read; all but the last ones they also set. The others would lead a connection
 * over other machines, connect with the first data, name the process at the other end, or let each process that closes a
 * copy of the socket wait for its peer. */
#define option(level, name) ((uint32_t)(level) << 16 | (name))
static const uint32_t options[] = {
    option(SOL_SOCKET, SO_REUSEADDR), option(SOL_SOCKET, SO_REUSEPORT), option(SOL_SOCKET, SO_KEEPALIVE),
    option(SOL_SOCKET, SO_BROADCAST), option(SOL_SOCKET, SO_OOBINLINE), option(SOL_SOCKET, SO_SNDBUF),
    option(SOL_SOCKET, SO_RCVBUF), option(SOL_SOCKET, SO_RCVLOWAT), option(SOL_SOCKET, SO_SNDTIMEO),
    option(SOL_SOCKET, SO_RCVTIMEO), option(IPPROTO_IP, IP_TOS), option(IPPROTO_IP, IP_RECVERR),
    option(IPPROTO_IPV6, IPV6_V6ONLY), option(IPPROTO_IPV6, IPV6_TCLASS), option(IPPROTO_IPV6, IPV6_RECVERR),
    option(IPPROTO_TCP, TCP_NODELAY), option(IPPROTO_TCP, TCP_CORK), option(IPPROTO_TCP, TCP_KEEPIDLE),
    option(IPPROTO_TCP, TCP_KEEPINTVL), option(IPPROTO_TCP, TCP_KEEPCNT), option(IPPROTO_TCP, TCP_QUICKACK),
    option(IPPROTO_TCP, TCP_DEFER_ACCEPT), option(IPPROTO_TCP, TCP_USER_TIMEOUT),
    option(IPPROTO_TCP, 25 /* TCP_NOTSENT_LOWAT */),
    /* To read alone. */
    option(SOL_SOCKET, SO_TYPE), option(SOL_SOCKET, SO_DOMAIN), option(SOL_SOCKET, SO_PROTOCOL),
    option(SOL_SOCKET, SO_ERROR), option(SOL_SOCKET, SO_ACCEPTCONN), option(SOL_SOCKET, SO_LINGER),
    option(IPPROTO_TCP, TCP_MAXSEG), option(IPPROTO_TCP, TCP_INFO),
};
enum { read_alone = 8 };

static void allow_options(int number, int count) {
    judge(number);
    load_argument(2);
    end_if_any(0xFFFF0000, refuse);
    add_step((struct sock_filter)BPF_STMT(BPF_MISC | BPF_TAX, 0));
    load_argument(1);
    end_if_any(0xFFFF0000, refuse);
    add_step((struct sock_filter)BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 16));
    add_step((struct sock_filter)BPF_STMT(BPF_ALU | BPF_OR | BPF_X, 0));
    end_with_values(options, count);
}

/* No file gets a mode by which others run it as its user. */
static void refuse_set_user(int index) {
    load_argument(index);
    end_if_any(S_ISUID | S_ISGID, refuse);
    end_with(allow);
}

/* A file that is opened for reading alone would be emptied: Landlock knows of that from its third ABI on. The mode is
 * an argument where the call makes a file. */
static void judge_opening(int number, int index) {
    judge(number);
    load_argument(index);
    add_step((struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_TRUNC | O_ACCMODE));
    end_if(O_TRUNC | O_RDONLY, refuse);
    load_argument(index);
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 1, 0));
    end_with(allow);
    refuse_set_user(index + 1);
}

static void judge_making(int number, int index) {
    judge(number);
    refuse_set_user(index);
}

/* A thread; with the right to them also a process, if the broker does not find that there are too many. Never another
 * namespace, nor a sibling that the host would have to wait for. The flags of clone3 are in memory, where a filter does
 * not see them: it is unknown, and the C library goes on with the older call. */
static void judge_clone(bool processes) {
    enum { namespaces = 0x7E020000 };
    judge(SYS_clone);
    load_argument(0);
    end_if_any(namespaces | CLONE_PARENT, refuse);
    end_if_any(CLONE_THREAD, allow);
    end_with(processes ? SECCOMP_RET_USER_NOTIF : refuse);
#if defined(__x86_64__)
    if (processes) decide(SYS_fork, SECCOMP_RET_USER_NOTIF);
    if (processes) decide(SYS_vfork, SECCOMP_RET_USER_NOTIF);
#endif
}

/* A signal to itself, such as that of abort. */
static void judge_signals(bool others) {
    static const int numbers[] = {SYS_kill, SYS_tgkill};
    for (int index = 0; index < 2; ++index) {
        if (others) {
            decide(numbers[index], allow);
            continue;
        }
        allow_values(numbers[index], 0, (uint32_t[]){(uint32_t)getpid()}, 1);
    }
}

/* TCP, or UDP, over IP. Others, such as those of the kernel, of Bluetooth or of other processes of the machine, are
 * limited by nothing else. */
static void judge_sockets(unsigned rights) {
    enum { flags = SOCK_NONBLOCK | SOCK_CLOEXEC };
    judge(SYS_socket);
    if (rights & (eaves_wall_network | eaves_wall_resolve)) {
        load_argument(0);
        add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0));
        add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0));
        end_with(refuse);
        load_argument(2);
        add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0));
        add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6 /* TCP */, 2, 0));
        add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17 /* UDP */, 1, 0));
        end_with(refuse);
        load_argument(1);
        add_step((struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (uint32_t)~flags));
        end_if(SOCK_STREAM, allow);
        if (rights & eaves_wall_resolve) end_if(SOCK_DGRAM, allow);
    }
    end_with(refuse);
    /* A pair of datagram sockets could send to any other one. */
    judge(SYS_socketpair);
    load_argument(1);
    add_step((struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (uint32_t)~flags));
    end_if(SOCK_STREAM, allow);
    end_with(refuse);
}

/* Sending to an address is refused: it is a way around connect. So is a connection that begins with the data. Where
 * there are sockets of UDP, calls that have the address in memory are refused as a whole. */
static void judge_sending(unsigned rights) {
    judge(SYS_sendto);
    load_argument(3);
    end_if_any(MSG_FASTOPEN, refuse);
    load_half(4, false);
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
    end_with(refuse);
    load_half(4, true);
    end_if(0, allow);
    end_with(refuse);
    static const int numbers[] = {SYS_sendmsg, SYS_sendmmsg};
    for (int index = 0; index < 2; ++index) {
        if (rights & eaves_wall_resolve) break;
        judge(numbers[index]);
        load_argument(2 + index);
        end_if_any(MSG_FASTOPEN, refuse);
        end_with(allow);
    }
}

/* Asking for a limit, of itself, is all: root would raise them. */
static void judge_limits(void) {
    judge(SYS_prlimit64);
    load_half(2, false);
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
    end_with(refuse);
    load_half(2, true);
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
    end_with(refuse);
    load_argument(0);
    end_if(0, allow);
    end_if((uint32_t)getpid(), allow);
    end_with(refuse);
#if defined(__x86_64__)
    decide(SYS_getrlimit, allow);
#endif
}

int eaves_wall_filter(unsigned rights, int *listener) {
    *listener = -1;
    begin_decisions();
    bool has_network = rights & (eaves_wall_network | eaves_wall_resolve);
    bool processes = rights & eaves_wall_processes;
    decide_all(always, allow);
    if (processes) decide_all(of_processes, allow);
    if (has_network) decide_all(of_network, SECCOMP_RET_USER_NOTIF);
    decide_all(of_files, SECCOMP_RET_USER_NOTIF);
    decide_all(of_attributes, SECCOMP_RET_ERRNO | EOPNOTSUPP);
    decide_all(with_older_ways, unknown);
    /* The rules for files know of it from the third ABI of Landlock on. */
    decide(SYS_truncate, eaves_wall_landlock() >= 3 ? allow : refuse);
    judge_opening(SYS_openat, 2);
    judge_making(SYS_mknodat, 2);
#if defined(__x86_64__)
    judge_opening(SYS_open, 1);
    judge_making(SYS_creat, 1);
    judge_making(SYS_mknod, 1);
#endif
    judge_clone(processes);
    /* Children stay in the process group of the module, with which they end. Libraries that give each child a group of
     * its own are told that it has one. */
    if (processes) decide(SYS_setpgid, SECCOMP_RET_ERRNO | 0);
    judge_signals(processes && rights & eaves_wall_scoped_signals);
    judge_sockets(rights);
    judge_sending(rights);
    judge_limits();
    allow_options(SYS_setsockopt, length_of(options) - read_alone);
    allow_options(SYS_getsockopt, length_of(options));
    /* No owner that gets signals, and no lease by which others wait. */
    static const uint32_t file_commands[] = {
        F_DUPFD,     F_GETFD,  F_SETFD,   F_GETFL,      F_SETFL,        F_GETLK,        F_SETLK,    F_SETLKW,
        F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ, F_GET_SEALS,
    };
    allow_values(SYS_fcntl, 1, file_commands, length_of(file_commands));
    /* Nothing that types on a terminal. */
    static const uint32_t device_commands[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
    allow_values(SYS_ioctl, 1, device_commands, length_of(device_commands));
    /* Nothing that lets the process outlive its host. */
    static const uint32_t process_commands[] = {
        PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_GET_PDEATHSIG, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK,
        PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS, PR_CAPBSET_READ, 0x53564d41 /* names for memory */,
    };
    allow_values(SYS_prctl, 0, process_commands, length_of(process_commands));
    /* Of the calls that kernels have got since Linux 5.1, each has an older way: they are unknown to the process. */
    if (!write_decisions(refuse, 424, unknown)) {
        errno = ENOSYS;
        return -1;
    }

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    *listener = install_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER);
    if (*listener >= 0) return 0;
    /* Where another process decides about calls already, those that this filter asks about are unknown. */
    return has_network || processes ? -1 : install_filter(0);
}
