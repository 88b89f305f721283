/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A cursor over the text of a note. */
typedef struct {
    const char *next, *end;
} cursor;

static char peek(cursor *at) {
    while (at->next < at->end && (*at->next == ' ' || *at->next == '\n')) at->next++;
    return at->next < at->end ? *at->next : 0;
}

static int take(cursor *at, char wanted) {
    if (peek(at) != wanted) return 0;
    at->next++;
    return 1;
}

static text string(cursor *at) {
    text found = {"", 0};
    if (!take(at, '"')) return found;
    found.text = at->next;
    while (at->next < at->end && *at->next != '"') at->next += *at->next == '\\' ? 2 : 1;
    if (at->next >= at->end) at->next = at->end;
    else found.length = (size_t)(at->next++ - found.text);
    return found;
}

static void skip(cursor *at) {
    int depth = 0;
    do {
        char next = peek(at);
        if (next == 0) return;
        if (next == '"') {
            string(at);
        } else {
            if (next == '{' || next == '[') depth++;
            if (next == '}' || next == ']') depth--;
            at->next++;
        }
    } while (depth > 0 || (peek(at) != ',' && peek(at) != '}' && peek(at) != ']'));
}

static int is(text name, const char *wanted) {
    return name.length == strlen(wanted) && memcmp(name.text, wanted, name.length) == 0;
}

static void names(cursor *at, const char *key, text *into, text *summaries, int *count) {
    if (!take(at, '[')) return;
    while (peek(at) != ']' && peek(at) != 0) {
        text name = {"", 0}, summary = {"", 0};
        if (take(at, '{')) {
            while (peek(at) == '"') {
                text member = string(at);
                take(at, ':');
                text value = string(at);
                if (is(member, key)) name = value;
                if (is(member, "summary")) summary = value;
                take(at, ',');
            }
            take(at, '}');
        } else {
            name = string(at);
        }
        if (*count < max_names) {
            if (summaries) summaries[*count] = summary;
            into[(*count)++] = name;
        }
        take(at, ',');
    }
    take(at, ']');
}

static void declaration(cursor *at, module *module) {
    if (!take(at, '{')) return;
    while (peek(at) == '"') {
        text member = string(at);
        take(at, ':');
        if (is(member, "id")) module->id = string(at);
        else if (is(member, "version")) module->version = string(at);
        else if (is(member, "features"))
            names(at, "name", module->features, module->summaries, &module->feature_count);
        else if (is(member, "provides"))
            names(at, "service", module->provisions, NULL, &module->provision_count);
        else if (is(member, "requires"))
            names(at, "", module->needs, NULL, &module->need_count);
        else skip(at);
        take(at, ',');
    }
    take(at, '}');
}

static int note(const char *start, size_t length, module *module) {
    cursor at = {start, start + length};
    if (!take(&at, '{')) return 0;
    while (peek(&at) == '"') {
        text member = string(&at);
        take(&at, ':');
        if (is(member, "eaves")) declaration(&at, module);
        else skip(&at);
        take(&at, ',');
    }
    return module->id.length > 0;
}

static int notes(const char *page, size_t size, module *module) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)page;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return 0;
    if (header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > size) return 0;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(page + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type != PT_NOTE) continue;
        size_t offset = segments[i].p_offset, end = offset + segments[i].p_filesz;
        while (end <= size && offset + sizeof(Elf64_Nhdr) <= end) {
            const Elf64_Nhdr *found = (const Elf64_Nhdr *)(page + offset);
            size_t content = offset + sizeof *found + ((found->n_namesz + 3) & ~3u);
            offset = content + ((found->n_descsz + 3) & ~3u);
            if (offset > end) break;
            if (found->n_type == 0xcafe1a7e && note(page + content, found->n_descsz, module))
                return 1;
        }
    }
    return 0;
}

int module_read(module *module, int folder, const char *file, char page[4096]) {
    int descriptor = openat(folder, file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t size = pread(descriptor, page, 4096, 0);
    close(descriptor);
    memset(module, 0, sizeof *module);
    strncpy(module->file, file, sizeof module->file - 1);
    return size > 0 && notes(page, (size_t)size, module);
}
