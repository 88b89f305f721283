/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lists the modules of a folder as 'eaves list' does, by hand and in C.
 *
 *     list-by-hand text FOLDER           looks at every file, and prints what 'eaves list' prints
 *     list-by-hand keep FOLDER CACHE     looks at every file, and writes a cache
 *     list-by-hand json FOLDER CACHE     reads the cache, looks with fstatat whether each file is
 *                                         the same, and prints what 'eaves list --json' prints
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module.h"

/* One file in the cache: its stamp, and how long the texts are that follow it. */
typedef struct {
    struct timespec modified, changed;
    ino_t inode;
    off_t size;
    char file[64];
    unsigned id, version, features, provisions, needs;
    unsigned feature[max_names], summary[max_names], provision[max_names], need[max_names];
} record;

static module *modules;
static size_t count;

static void fail(const char *what) {
    perror(what);
    exit(74);
}

static int by_file(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int open_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) fail(path);
    return folder;
}

static void look(const char *path) {
    int folder = open_folder(path);
    DIR *listing = fdopendir(dup(folder));
    if (!listing) fail(path);
    char **files = NULL;
    size_t found = 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".so") != 0) continue;
        if (found % 256 == 0) files = realloc(files, (found + 256) * sizeof *files);
        files[found++] = strdup(entry->d_name);
    }
    closedir(listing);
    qsort(files, found, sizeof *files, by_file);
    modules = malloc(found * sizeof *modules);
    char *pages = malloc(found * 4096);
    if (!modules || !pages) fail(path);
    for (size_t i = 0; i < found; i++)
        if (module_read(&modules[count], folder, files[i], pages + count * 4096)) count++;
}

static void write_text(FILE *out, const text *text) { fwrite(text->text, 1, text->length, out); }

static void keep(const char *path, const char *cache) {
    int folder = open_folder(path);
    FILE *out = fopen(cache, "w");
    if (!out) fail(cache);
    for (size_t i = 0; i < count; i++) {
        const module *module = &modules[i];
        struct stat status;
        record record = {0};
        if (fstatat(folder, module->file, &status, 0) != 0) fail(module->file);
        record.modified = status.st_mtim;
        record.changed = status.st_ctim;
        record.inode = status.st_ino;
        record.size = status.st_size;
        memcpy(record.file, module->file, sizeof record.file);
        record.id = module->id.length;
        record.version = module->version.length;
        record.features = module->feature_count;
        record.provisions = module->provision_count;
        record.needs = module->need_count;
        for (int n = 0; n < max_names; n++) {
            record.feature[n] = module->features[n].length;
            record.summary[n] = module->summaries[n].length;
            record.provision[n] = module->provisions[n].length;
            record.need[n] = module->needs[n].length;
        }
        fwrite(&record, sizeof record, 1, out);
        write_text(out, &module->id);
        write_text(out, &module->version);
        for (int n = 0; n < module->feature_count; n++) {
            write_text(out, &module->features[n]);
            write_text(out, &module->summaries[n]);
        }
        for (int n = 0; n < module->provision_count; n++) write_text(out, &module->provisions[n]);
        for (int n = 0; n < module->need_count; n++) write_text(out, &module->needs[n]);
    }
    if (fclose(out) != 0) fail(cache);
}

static text next(const char **at, unsigned length) {
    text text = {*at, length};
    *at += length;
    return text;
}

static void read_cache(const char *path, const char *cache) {
    int folder = open_folder(path), file = open(cache, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) fail(cache);
    char *bytes = malloc(status.st_size);
    if (!bytes || read(file, bytes, status.st_size) != status.st_size) fail(cache);
    const char *at = bytes, *end = bytes + status.st_size;
    modules = malloc((status.st_size / sizeof(record) + 1) * sizeof *modules);
    while (at < end) {
        record record;
        memcpy(&record, at, sizeof record);
        at += sizeof record;
        if (fstatat(folder, record.file, &status, 0) != 0 || status.st_ino != record.inode ||
            status.st_size != record.size ||
            memcmp(&status.st_mtim, &record.modified, sizeof status.st_mtim) != 0 ||
            memcmp(&status.st_ctim, &record.changed, sizeof status.st_ctim) != 0) {
            fprintf(stderr, "%s is another file by now\n", record.file);
            exit(1);
        }
        module *module = &modules[count++];
        memcpy(module->file, record.file, sizeof record.file);
        module->feature_count = record.features;
        module->provision_count = record.provisions;
        module->need_count = record.needs;
        module->id = next(&at, record.id);
        module->version = next(&at, record.version);
        for (unsigned n = 0; n < record.features; n++) {
            module->features[n] = next(&at, record.feature[n]);
            module->summaries[n] = next(&at, record.summary[n]);
        }
        for (unsigned n = 0; n < record.provisions; n++)
            module->provisions[n] = next(&at, record.provision[n]);
        for (unsigned n = 0; n < record.needs; n++) module->needs[n] = next(&at, record.need[n]);
    }
}

static void print_names(const char *name, const text *names, int count, const char *end) {
    printf("      \"%s\": [", name);
    for (int n = 0; n < count; n++)
        printf("%s\n        \"%.*s\"", n > 0 ? "," : "", (int)names[n].length, names[n].text);
    printf("%s]%s\n", count > 0 ? "\n      " : "", end);
}

static void print_json(void) {
    printf("{\n  \"schema\": 1,\n  \"features\": [");
    int features = 0;
    for (size_t i = 0; i < count; i++) {
        const module *module = &modules[i];
        for (int n = 0; n < module->feature_count; n++)
            printf("%s\n    {\n      \"name\": \"%.*s\",\n      \"summary\": \"%.*s\",\n"
                   "      \"module\": \"%.*s\",\n      \"state\": \"ready\"\n    }",
                   features++ > 0 ? "," : "", (int)module->features[n].length,
                   module->features[n].text, (int)module->summaries[n].length,
                   module->summaries[n].text, (int)module->id.length, module->id.text);
    }
    printf("%s],\n  \"modules\": [", features > 0 ? "\n  " : "");
    for (size_t i = 0; i < count; i++) {
        const module *module = &modules[i];
        printf("%s\n    {\n      \"id\": \"%.*s\",\n      \"version\": \"%.*s\",\n"
               "      \"path\": \"Plugins/%s\",\n      \"state\": \"ready\",\n"
               "      \"problem\": null,\n",
               i > 0 ? "," : "", (int)module->id.length, module->id.text,
               (int)module->version.length, module->version.text, module->file);
        print_names("provides", module->provisions, module->provision_count, ",");
        print_names("requires", module->needs, module->need_count, ",");
        printf("      \"pinned\": false\n    }");
    }
    printf("%s],\n  \"bindings\": {}\n}\n", count > 0 ? "\n  " : "");
}

static size_t wider(size_t width, size_t length) { return length > width ? length : width; }

static const char *names(char *into, size_t room, const text *names, int count) {
    size_t length = 0;
    for (int n = 0; n < count && length < room; n++)
        length += snprintf(into + length, room - length, "%s%.*s", n > 0 ? ", " : "",
                           (int)names[n].length, names[n].text);
    return count > 0 ? into : "-";
}

static void print_text(void) {
    size_t feature = 7, id = 6, version = 7, provides = 8, requires = 8;
    char provisions[512], needs[512];
    for (size_t i = 0; i < count; i++) {
        const module *module = &modules[i];
        id = wider(id, module->id.length);
        version = wider(version, module->version.length);
        for (int n = 0; n < module->feature_count; n++)
            feature = wider(feature, module->features[n].length);
        provides = wider(provides, strlen(names(provisions, sizeof provisions, module->provisions,
                                                module->provision_count)));
        requires =
            wider(requires, strlen(names(needs, sizeof needs, module->needs, module->need_count)));
    }
    printf("%-*s  %-*s  STATE  SUMMARY\n", (int)feature, "FEATURE", (int)id, "MODULE");
    for (size_t i = 0; i < count; i++) {
        const module *module = &modules[i];
        for (int n = 0; n < module->feature_count; n++)
            printf("%-*.*s  %-*.*s  ready  %.*s\n", (int)feature, (int)module->features[n].length,
                   module->features[n].text, (int)id, (int)module->id.length, module->id.text,
                   (int)module->summaries[n].length, module->summaries[n].text);
    }
    printf("\n%-*s  %-*s  STATE  %-*s  %-*s  FILE\n", (int)id, "MODULE", (int)version, "VERSION",
           (int)provides, "PROVIDES", (int)requires, "REQUIRES");
    for (size_t i = 0; i < count; i++) {
        const module *module = &modules[i];
        printf("%-*.*s  %-*.*s  ready  %-*s  %-*s  Plugins/%s\n", (int)id, (int)module->id.length,
               module->id.text, (int)version, (int)module->version.length, module->version.text,
               (int)provides,
               names(provisions, sizeof provisions, module->provisions, module->provision_count),
               (int)requires, names(needs, sizeof needs, module->needs, module->need_count),
               module->file);
    }
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "text") == 0) {
        look(argv[2]);
        print_text();
    } else if (argc == 4 && strcmp(argv[1], "keep") == 0) {
        look(argv[2]);
        keep(argv[2], argv[3]);
    } else if (argc == 4 && strcmp(argv[1], "json") == 0) {
        read_cache(argv[2], argv[3]);
        print_json();
    } else {
        fprintf(stderr, "usage: list-by-hand text FOLDER | keep FOLDER CACHE | json FOLDER CACHE\n");
        return 64;
    }
    return fflush(stdout) == 0 ? 0 : 74;
}
