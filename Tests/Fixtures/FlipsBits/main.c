/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads copies of a module, each with one bit flipped, in a process for each, which watches itself as a host
 * does. Called with the module, a folder, and the numbers of the bits on standard input. For each it prints
 * the number, and
 *
 *     loaded    the module was loaded, and has registered
 *     refused   the dynamic linker has given a reason
 *     blamed    the process has crashed, and the log names the module
 *     unnamed   the process has ended otherwise, with this status
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crash_report.h"

static char copy[4096], crash_log[4096];

static void load(const char *folder) {
    struct stat status;
    if (stat(copy, &status)) _exit(1);
    dup2(open("/dev/null", O_WRONLY), 2);
    alarm(20);
    eaves_crash_leave_nothing();
    eaves_crash_watch();
    int project = open(folder, O_RDONLY | O_DIRECTORY);
    eaves_crash_log_into(project, "store", "crashes", "log", 70, 60000);
    eaves_crash_expect_module(
        "m", "m", "copy.so", "copy.so", status.st_dev, status.st_ino, "{", 0);
    int number = eaves_crash_enter(copy, false);
    void *module = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    eaves_crash_leave(number);
    if (!module) _exit(3);
    int (*entry)(const void *) = (int (*)(const void *))dlsym(module, "eaves_register");
    if (!entry) _exit(3);
    number = eaves_crash_enter(copy, true);
    entry(NULL);
    eaves_crash_leave(number);
    _exit(0);
}

int main(int count, char **arguments) {
    static unsigned char bytes[1 << 20];
    if (count != 3) return 1;
    int file = open(arguments[1], O_RDONLY);
    ssize_t size = read(file, bytes, sizeof bytes);
    if (size <= 0 || size == sizeof bytes) return 1;
    snprintf(copy, sizeof copy, "%s/copy.so", arguments[2]);
    snprintf(crash_log, sizeof crash_log, "%s/store/crashes/log", arguments[2]);
    for (long bit; scanf("%ld", &bit) == 1;) {
        bytes[bit / 8] ^= 1 << bit % 8;
        unlink(copy);
        int output = open(copy, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (write(output, bytes, size) != size) return 1;
        close(output);
        bytes[bit / 8] ^= 1 << bit % 8;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) load(arguments[2]);
        int status;
        if (waitpid(child, &status, 0) != child) return 1;
        const char *end = status == 0                   ? "loaded"
                          : status == 3 << 8            ? "refused"
                          : access(crash_log, F_OK) == 0 ? "blamed"
                                                        : "unnamed";
        unlink(crash_log);
        printf("%ld %s %d\n", bit, end, status);
    }
    return 0;
}
