/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * eaves.h: the C ABI between an Eaves host and its modules. This header is the specification.
 *
 * A module is a shared object that
 *   1. bears a note that says what it is and what it provides (EAVES_MODULE_NOTE, or the linker's
 *      --package-metadata), which the host reads without running anything of the module;
 *   2. exports one function, eaves_register, which the host calls once after loading it.
 *
 * Nothing else is asked of it, so a module can be written in C, C++, Rust, Zig or Swift. It is never
 * unloaded: code and static data of a module stay valid until the process ends.
 *
 * Compatibility. Structures only ever grow at their end. Each begins with, or has as its second
 * field, its size as the side that made it knew it: a field is there if the size reaches beyond it.
 * EAVES_ABI_VERSION changes only if that promise could not be kept; hosts refuse other versions.
 *
 * Strings are UTF-8 and end with a zero byte.
 */
#ifndef EAVES_H
#define EAVES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header's contract. */
#define EAVES_ABI_VERSION 1

/** The version of the Swift interface module that belongs to this header. A module binary runs in
 *  every host with the same major and the same or a later minor version. */
#define EAVES_INTERFACE_MAJOR 1
#define EAVES_INTERFACE_MINOR 1

#if defined(__clang__)
/* Swift reads these; -pedantic calls them an extension. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#define EAVES_NONNULL _Nonnull
#define EAVES_NULLABLE _Nullable
#else
#define EAVES_NONNULL
#define EAVES_NULLABLE
#endif

typedef struct eaves_host eaves_host;
typedef struct eaves_feature eaves_feature;
typedef struct eaves_launch eaves_launch;

/** How important a log message is. */
#define EAVES_LOG_DEBUG 0
#define EAVES_LOG_INFO 1
#define EAVES_LOG_WARNING 2
#define EAVES_LOG_ERROR 3

/** What a feature is given when it is launched. Owned by the host, valid during the call. [since 1] */
struct eaves_launch {
    /** sizeof(eaves_launch) of the host. */
    uint32_t size;
    /** The number of arguments, without the feature's name. */
    int32_t argc;
    /** The arguments; argv[argc] is NULL. */
    const char *EAVES_NULLABLE const *EAVES_NONNULL argv;
    /** Open descriptors. The feature reads and writes them and does not close them. */
    int32_t input;
    int32_t output;
    int32_t error;
};

/** A feature: something that a person can launch by name. [since 1] */
struct eaves_feature {
    /** sizeof(eaves_feature) of the module. */
    uint32_t size;
    /** The name, as declared in the note. Copied during register_feature. */
    const char *EAVES_NONNULL name;
    /** Handed to launch and destroy as it is. The module's own. */
    void *EAVES_NULLABLE state;
    /** Runs the feature and returns its exit code, 0 to 255; anything else counts as 255.
     *  Called on a thread of the host's choice, and possibly on several at once. */
    int32_t (*EAVES_NONNULL launch)(void *EAVES_NULLABLE state,
                                    const eaves_launch *EAVES_NONNULL launch);
    /** Called once, after the last launch, when the host drops the feature, and also if the
     *  registration is not carried out. May be NULL. Not called when the process ends. */
    void (*EAVES_NULLABLE destroy)(void *EAVES_NULLABLE state);
};

/** The host, as a module sees it while it registers. The table and everything in it is owned by the
 *  host and valid only during the call of eaves_register, on the thread of that call. [since 1] */
struct eaves_host {
    /** EAVES_ABI_VERSION of the host. */
    uint32_t abi_version;
    /** sizeof(eaves_host) of the host. */
    uint32_t size;
    /** For modules in Swift: points to an `any Registrar` of the interface module. Other languages
     *  leave it alone. */
    void *EAVES_NONNULL registrar;
    /** Registers a feature; the structure is copied. Returns 0, or 1 if it is refused (unknown
     *  size, no name, no launch function): the reason then stands in the host's own message, and
     *  nothing of the module is registered. */
    int32_t (*EAVES_NONNULL register_feature)(const eaves_host *EAVES_NONNULL host,
                                              const eaves_feature *EAVES_NONNULL feature);
    /** Says why registration fails, before eaves_register returns something else than 0. The text
     *  is copied; of several the last one counts. */
    void (*EAVES_NONNULL fail)(const eaves_host *EAVES_NONNULL host,
                               const char *EAVES_NONNULL message);
    /** Writes a message to the host's log. The text is copied. */
    void (*EAVES_NONNULL log)(const eaves_host *EAVES_NONNULL host, int32_t level,
                              const char *EAVES_NONNULL message);
};

/** What every module exports. Registers everything that its note declares, no more and no less.
 *
 *  Returns 0: registered. Anything else: refused; whatever it registered before is taken back, and
 *  the module is not called again. The host calls it on one thread at a time. */
#define EAVES_ENTRY "eaves_register"
typedef int32_t (*eaves_entry)(const eaves_host *EAVES_NONNULL host);

/* Swift modules define the symbol with @c(eaves_register), which must not be declared here too. */
#ifndef __swift__
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int32_t eaves_register(const eaves_host *EAVES_NONNULL host);
#endif

/** Places the module's note into the object file: once in a module, outside any function. The text
 *  is the JSON object that module.json describes, wrapped as in Documentation/ABI.md:
 *
 *      EAVES_MODULE_NOTE("{\"type\":\"eaves\",\"name\":\"hello\",…,\"eaves\":{…}}")
 *
 *  It makes an ELF note of owner FDO and type 0xcafe1a7e in the section .note.package. */
#define EAVES_MODULE_NOTE(json)                                                                   \
    __attribute__((section(".note.package"), used, aligned(4))) static const struct {             \
        uint32_t owner_size, text_size, type;                                                     \
        char owner[4];                                                                            \
        char text[sizeof(json)];                                                                  \
    } eaves_module_note = {4, sizeof(json), 0xcafe1a7e, "FDO", json};

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif
