/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rules of Landlock, and the capabilities.
 */
#define _GNU_SOURCE
#include "wall.h"

#include "../Guardian/calls.h"
#include "landlock.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

/* As in <linux/landlock.h>. */
struct landlock_files {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));
enum {
    execute = 1 << 0,
    write_file = 1 << 1,
    read_file = 1 << 2,
    read_folder = 1 << 3,
    make_character = 1 << 6,
    make_block = 1 << 11,
    refer = 1 << 13,
    truncate_file = 1 << 14,
    control_device = 1 << 15,
    first_abi = (1 << 13) - 1,
};
enum { rule_of_path = 1, version = 1 };
enum { first_abi_with_network = 4, first_abi_with_scope = 6 };

/* The ABI of the kernel, or an error as its negative number. */
static int present_abi(void) { return (int)call(create_ruleset, 0, 0, version, 0, 0); }

/* The result, or -1 with errno set to what it is the negative number of. */
static int noting(int result) {
    if (result >= 0) return result;
    errno = -result;
    return -1;
}

int eaves_wall_landlock(void) { return noting(present_abi()); }

/* The rights that this kernel knows. */
static uint64_t known(int abi) {
    uint64_t files = first_abi;
    if (abi >= 2) files |= refer;
    if (abi >= 3) files |= truncate_file;
    if (abi >= 5) files |= control_device;
    return files;
}

int make_rules(struct landlock_rules refused) {
    int abi = present_abi();
    if (abi < 0) return abi;
    refused.files &= known(abi);
    /* A kernel that does not know the last parts takes only what stands before them. */
    long size = abi >= first_abi_with_scope ? 24 : abi >= first_abi_with_network ? 16 : 8;
    return (int)call(create_ruleset, (long)&refused, size, 0, 0, 0);
}

int enforce_rules(int rules) {
    long result = call_prctl(PR_SET_NO_NEW_PRIVS, 1);
    if (result == 0) result = call(restrict_self, rules, 0, 0, 0, 0);
    call_close(rules);
    return (int)result;
}

/* The rights that the rules of this process know. It has one thread when it makes them. */
static uint64_t known_rights;

int eaves_wall_rules(void) {
    known_rights = known(present_abi());
    return noting(make_rules((struct landlock_rules){
        .files = ~(uint64_t)0,
        /* The broker connects, so the process itself needs no right to. */
        .network = 3,
        .scoped = landlock_scope_abstract_socket | landlock_scope_signal,
    }));
}

int eaves_wall_allow(int rules, int file, unsigned rights) {
    struct stat status;
    if (fstat(file, &status) != 0) return -1;
    uint64_t allowed = 0;
    if (rights & (eaves_wall_read | eaves_wall_write)) allowed |= read_file | read_folder;
    if (rights & eaves_wall_write) {
        allowed |= known_rights & ~(uint64_t)(execute | make_character | make_block | control_device);
    }
    if (rights & eaves_wall_run) allowed |= read_file | execute;
    if (!S_ISDIR(status.st_mode)) allowed &= execute | read_file | write_file | truncate_file;
    struct landlock_files rule = {.allowed = allowed, .parent = file};
    return (int)syscall(add_rule, rules, rule_of_path, &rule, 0);
}

int eaves_wall_allow_path(int rules, const char *path, unsigned rights) {
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return -1;
    int result = eaves_wall_allow(rules, file, rights);
    int error = errno;
    close(file);
    errno = error;
    return result;
}

static int allow_folder(struct dl_phdr_info *library, size_t size, void *rules) {
    (void)size;
    /* That of the last library: several of a folder follow each other. */
    static char folder[PATH_MAX];
    const char *end = strrchr(library->dlpi_name, '/');
    size_t length = end ? (size_t)(end - library->dlpi_name) : 0;
    if (length == 0 || length >= sizeof folder) return 0;
    if (strncmp(folder, library->dlpi_name, length) == 0 && !folder[length]) return 0;
    memcpy(folder, library->dlpi_name, length);
    folder[length] = 0;
    eaves_wall_allow_path(*(int *)rules, folder, eaves_wall_read);
    return 0;
}

void eaves_wall_allow_libraries(int rules) { dl_iterate_phdr(allow_folder, &rules); }

int eaves_wall_enforce(int rules) {
    int result = enforce_rules(rules);
    /* Root has none of its rights behind the wall, and gets none back by starting a program. The system refuses the first
     * number beyond the last capability, and all of them to a process that may drop none. */
    for (int number = 0; prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0; ++number) {}
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capset, &header, none) != 0) return -1;
    return noting(result);
}
