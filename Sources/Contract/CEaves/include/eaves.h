/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * eaves.h: the C ABI between an Eaves host and its modules. This header is the specification.
 *
 * A module is a shared object that
 *   1. contains a note that describes the module and what it provides (EAVES_MODULE_NOTE, or the
 *      linker's --package-metadata), so that the host can read it without running the module's code;
 *   2. exports one function, eaves_register, which the host calls after loading the module.
 *
 * There are no other requirements, so a module can be written in C, C++, Rust, Zig or Swift. The host
 * never unloads a module: its code and static data stay valid until the process ends.
 *
 * Compatibility. Structures only grow at their end. The first or second field of each structure is
 * its size, as known to the side that fills it in. A field exists if the size reaches beyond it.
 * EAVES_ABI_VERSION changes only if this promise cannot be kept; a host refuses other versions.
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

/** The version of the Swift module EavesInterface that belongs to this header. A module binary runs
 *  in every host with the same major version and the same or a later minor version. */
#define EAVES_INTERFACE_MAJOR 1
#define EAVES_INTERFACE_MINOR 1

#if defined(__clang__)
/* Swift reads the nullability of pointers from these. -pedantic would warn about an extension. */
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
typedef struct eaves_answer eaves_answer;
typedef struct eaves_lifecycle eaves_lifecycle;

/** The level of a log message, in ascending order of importance. */
#define EAVES_LOG_DEBUG 0
#define EAVES_LOG_INFO 1
#define EAVES_LOG_WARNING 2
#define EAVES_LOG_ERROR 3

/** The input of a feature. The host owns the structure and everything that it points to. Both are
 *  valid during the call of launch. [since 1] */
struct eaves_launch {
    /** sizeof(eaves_launch), as the host knows it. */
    uint32_t size;
    /** The number of arguments, without the feature's name. */
    int32_t argc;
    /** The arguments; argv[argc] is NULL. */
    const char *EAVES_NULLABLE const *EAVES_NONNULL argv;
    /** Open file descriptors. The feature reads from input, and writes to output and error. It does
     *  not close them. */
    int32_t input;
    int32_t output;
    int32_t error;
};

/** A feature: something that a person can launch by name. The module owns the structure, which has
 *  to be valid during the call of register_feature. [since 1] */
struct eaves_feature {
    /** sizeof(eaves_feature), as the module knows it. */
    uint32_t size;
    /** The name, as declared in the note. register_feature copies it. */
    const char *EAVES_NONNULL name;
    /** The module's own data, which the host passes to launch and destroy and does not look at. It
     *  has to stay valid until destroy is called. May be NULL. */
    void *EAVES_NULLABLE state;
    /** Runs the feature to its end.
     *
     *  Thread: any, possibly several at once.
     *  state: the field above.
     *  launch: the arguments and descriptors; owned by the host, valid during the call.
     *  Returns the exit code, 0 to 255. Any other number counts as 255. */
    int32_t (*EAVES_NONNULL launch)(void *EAVES_NULLABLE state,
                                    const eaves_launch *EAVES_NONNULL launch);
    /** Releases the state. May be NULL.
     *
     *  The host calls it once, when it drops the feature after the last launch, or when the
     *  registration does not take effect. The host does not call it when the process ends.
     *
     *  Thread: any; never while launch runs.
     *  state: the field above; the host does not use it afterwards. */
    void (*EAVES_NULLABLE destroy)(void *EAVES_NULLABLE state);
};

/** Takes the answer of a function of a life cycle, apart from the number that it returns. The host owns
 *  the structure. It is valid during the call of that function, and only on the thread of the call.
 *  [since 1] */
struct eaves_answer {
    /** sizeof(eaves_answer), as the host knows it. */
    uint32_t size;
    /** Sets the reason why the function fails. If it is called more than once, the last reason counts.
     *  A function that has called it has failed, whatever it returns.
     *
     *  answer: the structure itself.
     *  message: owned by the module, valid during the call; the host copies it. */
    void (*EAVES_NONNULL fail)(const eaves_answer *EAVES_NONNULL answer,
                               const char *EAVES_NONNULL message);
    /** Appends bytes to the snapshot. Has no effect in functions other than snapshot.
     *
     *  answer: the structure itself.
     *  bytes: owned by the module, valid during the call; the host copies them. May be NULL if count
     *  is 0.
     *  count: the number of bytes. */
    void (*EAVES_NONNULL write)(const eaves_answer *EAVES_NONNULL answer,
                                const void *EAVES_NULLABLE bytes, uint64_t count);
};

/** The beginning and the end of a module's work. The module owns the structure, which has to be valid
 *  during the call of register_lifecycle. Each function may be NULL: it then does nothing and succeeds;
 *  snapshot and restore are both NULL or both not.
 *
 *  Thread, for each function except destroy: any, one function at a time for each structure. Features
 *  of the module may be running meanwhile.
 *  state: the field of this name.
 *  answer: takes the reason of a failure; owned by the host, valid during the call.
 *  Returns 0, or another number if it fails; is_healthy returns something else.
 *
 *  If a function does not return within the host's time limit, the host calls none of the structure's
 *  functions again. [since 1] */
struct eaves_lifecycle {
    /** sizeof(eaves_lifecycle), as the module knows it. */
    uint32_t size;
    /** The module's own data, which the host passes to the functions and does not look at. It has to
     *  stay valid until destroy is called. May be NULL. */
    void *EAVES_NULLABLE state;
    /** Begins the work of the module. The host calls it once, after eaves_register has returned and
     *  before anybody can ask for anything of the module. If it fails, the host refuses the module,
     *  and does not call stop. */
    int32_t (*EAVES_NULLABLE start)(void *EAVES_NULLABLE state,
                                    const eaves_answer *EAVES_NONNULL answer);
    /** Ends the work of the module. The host calls it once, if start has succeeded: when the host ends,
     *  when the module is switched off, or when another generation of the module serves and this one
     *  has drained. A feature of the module that runs may go on during it and after it. */
    int32_t (*EAVES_NULLABLE stop)(void *EAVES_NULLABLE state,
                                   const eaves_answer *EAVES_NONNULL answer);
    /** Tells whether the module can do its work. The host asks before a new generation takes the place
     *  of the old one, and after that as often as it wants.
     *
     *  Returns 1 if the module is healthy, 0 if not; any other number counts as 0. */
    int32_t (*EAVES_NULLABLE is_healthy)(void *EAVES_NULLABLE state,
                                         const eaves_answer *EAVES_NONNULL answer);
    /** Writes the state of the module with answer->write: in a format that older and later versions of
     *  the module can read, always the same bytes for the same state. It changes nothing. */
    int32_t (*EAVES_NULLABLE snapshot)(void *EAVES_NULLABLE state,
                                       const eaves_answer *EAVES_NONNULL answer);
    /** Takes on the state that a snapshot of this version of the module has, or one of another version.
     *  The host calls it before start, and again if the old generation has changed since. It also
     *  registers both codes again, lets them restore a snapshot and give one, and drops them without a
     *  start, to check that nothing would be lost on the way there and back.
     *
     *  bytes: owned by the host, valid during the call. NULL if count is 0.
     *  count: the number of bytes. */
    int32_t (*EAVES_NULLABLE restore)(void *EAVES_NULLABLE state, const void *EAVES_NULLABLE bytes,
                                      uint64_t count, const eaves_answer *EAVES_NONNULL answer);
    /** Releases the state.
     *
     *  The host calls it once, when it drops the structure after the last call, or when the
     *  registration does not take effect. The host does not call it when the process ends.
     *
     *  Thread: any; never while another function runs.
     *  state: the field above; the host does not use it afterwards. */
    void (*EAVES_NULLABLE destroy)(void *EAVES_NULLABLE state);
};

/** The functions that a module calls while it registers. The host owns the table and everything in
 *  it. Both are valid only during the call of eaves_register, and only on the thread of that call;
 *  this holds for each of the functions, too. [since 1] */
struct eaves_host {
    /** EAVES_ABI_VERSION of the host. */
    uint32_t abi_version;
    /** sizeof(eaves_host), as the host knows it. */
    uint32_t size;
    /** For modules in Swift: points to an `any Registrar` of the module EavesInterface. Modules in
     *  other languages do not use it. */
    void *EAVES_NONNULL registrar;
    /** Registers a feature.
     *
     *  host: the table itself.
     *  feature: owned by the module, valid during the call; the host copies the structure and the
     *  name.
     *  Returns 0, or 1 if the host refuses the feature because its size is unknown or because it has
     *  no name or no launch function. The host then registers nothing of the module, and its own
     *  error message gives the reason. */
    int32_t (*EAVES_NONNULL register_feature)(const eaves_host *EAVES_NONNULL host,
                                              const eaves_feature *EAVES_NONNULL feature);
    /** Sets the reason why the registration fails. Call it before eaves_register returns a number
     *  other than 0. If it is called more than once, the last reason counts. A module that has called
     *  it is refused, whatever eaves_register returns.
     *
     *  host: the table itself.
     *  message: owned by the module, valid during the call; the host copies it. */
    void (*EAVES_NONNULL fail)(const eaves_host *EAVES_NONNULL host,
                               const char *EAVES_NONNULL message);
    /** Writes a message to the host's log.
     *
     *  host: the table itself.
     *  level: one of the EAVES_LOG constants.
     *  message: owned by the module, valid during the call; the host copies it. */
    void (*EAVES_NONNULL log)(const eaves_host *EAVES_NONNULL host, int32_t level,
                              const char *EAVES_NONNULL message);
    /** Returns the settings that the manifest has for the module: a JSON object, "{}" if it has none.
     *  The host does not look at them; the module checks their types itself, and calls fail if one is
     *  wrong. Numbers are as their author wrote them, with all digits. The host names settings in the
     *  manifest that a module never asks for.
     *
     *  host: the table itself.
     *  Returns a text that the host owns, valid until eaves_register returns. */
    const char *EAVES_NONNULL (*EAVES_NONNULL settings)(const eaves_host *EAVES_NONNULL host);
    /** Returns the absolute path for one from the settings: a relative one starts from the manifest's
     *  folder, whatever the working directory is.
     *
     *  host: the table itself.
     *  path: owned by the module, valid during the call.
     *  Returns a text that the host owns, valid until eaves_register returns. */
    const char *EAVES_NONNULL (*EAVES_NONNULL path)(const eaves_host *EAVES_NONNULL host,
                                                    const char *EAVES_NONNULL path);
    /** Gives the host the functions that begin and end the module's work. A module calls it at most once
     *  while it registers.
     *
     *  host: the table itself.
     *  lifecycle: owned by the module, valid during the call; the host copies the structure.
     *  Returns 0, or 1 if the host refuses the structure because its size is unknown, because it has
     *  only one of snapshot and restore, or because it is a second one. The host then registers nothing
     *  of the module, and its own error message gives the reason. */
    int32_t (*EAVES_NONNULL register_lifecycle)(const eaves_host *EAVES_NONNULL host,
                                                const eaves_lifecycle *EAVES_NONNULL lifecycle);
};

/** The function that every module exports. It registers everything that the module's note declares,
 *  no more and no less. The host calls it after it has loaded the module, and again for each further
 *  generation of the same code: a host that stays up follows changes of the settings, for example.
 *
 *  Thread: any, one at a time.
 *  host: owned by the host, valid during the call and on its thread only.
 *  Returns 0 if everything is registered. With any other number the module refuses to register: the
 *  host drops everything that the module has registered in this call. */
#define EAVES_ENTRY "eaves_register"
typedef int32_t (*eaves_entry)(const eaves_host *EAVES_NONNULL host);

/* Modules in Swift define the symbol with @c(eaves_register). Swift does not allow a second
 * declaration of it here. */
#ifndef __swift__
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int32_t eaves_register(const eaves_host *EAVES_NONNULL host);
#endif

/** Puts the module's note into the object file. Use it once in a module, outside any function. The
 *  text is a string literal with the JSON object that Documentation/Internals/ABI.md describes; its member
 *  "eaves" has the keys of module.json:
 *
 *      EAVES_MODULE_NOTE("{\"type\":\"eaves\",\"name\":\"hello\",…,\"eaves\":{…}}")
 *
 *  The result is an ELF note with the owner FDO and the type 0xcafe1a7e in the section
 *  .note.package. */
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
