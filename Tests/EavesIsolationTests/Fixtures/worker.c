/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The other side of a host, in plain C: Documentation/Internals/Wire.md describes each byte. It provides the service `Shop.Counter`:
 *
 *     0  add(Int, Int) -> Int
 *     1  greet(String) -> String
 *     2  fail(String), which always fails
 *     3  count(Int) -> a stream of the numbers below it
 *     4  price(Int) -> Int, for which it calls the requirement 0 of the host's service `Shop.Rates`
 *
 * One thread does all of it: a worker that does more at once answers in any order.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { channel = 3, version = 2, rates = 1, the_other_side = 0 };
enum kind { opened = 1, closed, called, answered, failed, cancelled, streams, ended = 10, logged };

typedef struct message {
    uint8_t kind;
    uint64_t number;
    uint32_t size;
    uint8_t *content;
} message;

static void give_up(const char *reason) {
    fprintf(stderr, "worker: %s\n", reason);
    exit(1);
}

/* --- bytes --- */

static void read_all(void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t more_bytes = read(channel, (char *)bytes + done, count - done);
        /* The host has ended. */
        if (more_bytes <= 0) exit(0);
        done += (size_t)more_bytes;
    }
}

static void send_message(enum kind kind, uint64_t number, const void *content, uint32_t size) {
    uint32_t length = size + 9;
    uint8_t head[14] = {version};
    memcpy(head + 1, &length, 4);
    head[5] = (uint8_t)kind;
    memcpy(head + 6, &number, 8);
    if (write(channel, head, 14) != 14 || write(channel, content, size) != (ssize_t)size) exit(0);
}

/* Reads the head of a frame, and returns the length of its content. */
static uint32_t receive_head(void) {
    uint8_t found;
    uint32_t length;
    read_all(&found, 1);
    if (found != version) give_up("the host speaks another version");
    read_all(&length, 4);
    return length;
}

static message receive(void) {
    message message;
    uint32_t length = receive_head();
    if (length < 9) give_up("a message is too short");
    read_all(&message.kind, 1);
    read_all(&message.number, 8);
    message.size = length - 9;
    message.content = malloc(message.size + 1);
    read_all(message.content, message.size);
    return message;
}

/* --- values --- */

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static uint8_t next(reader *reader) {
    if (reader->at == reader->end) give_up("a value is cut");
    return *reader->at++;
}

static uint64_t read_varint(reader *reader) {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t byte = next(reader);
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return number;
    }
    give_up("a number is too long");
    return 0;
}

/* Begins to read values. Nothing here has members, so the names before them do not matter. */
static reader values(const uint8_t *content, uint32_t size) {
    reader reader = {content, content + size};
    for (uint64_t names = read_varint(&reader); names > 0; --names) {
        for (uint64_t count = read_varint(&reader); count > 0; --count) next(&reader);
    }
    return reader;
}

static int64_t read_number(reader *reader) {
    uint8_t tag = next(reader);
    if (tag >= 64 && tag < 128) return tag - 64;
    if (tag == 3) return -1 - (int64_t)read_varint(reader);
    if (tag == 4) return (int64_t)read_varint(reader);
    give_up("a number was expected");
    return 0;
}

static uint64_t read_text(reader *reader, const char **text) {
    uint8_t tag = next(reader);
    uint64_t count = tag >= 128 ? (uint64_t)(tag - 128) : tag == 7 ? read_varint(reader) : UINT64_MAX;
    if (count > (uint64_t)(reader->end - reader->at)) give_up("a text was expected");
    *text = (const char *)reader->at;
    reader->at += count;
    return count;
}

typedef struct writer {
    uint8_t bytes[4096];
    uint32_t size;
} writer;

/* Each content with values begins with their names: none. */
static writer no_values(void) { return (writer){{0}, 1}; }

static void put(writer *writer, const void *bytes, uint64_t count) {
    if (count > sizeof writer->bytes - writer->size) give_up("an answer is too long");
    memcpy(writer->bytes + writer->size, bytes, count);
    writer->size += (uint32_t)count;
}

static void put_varint(writer *writer, uint64_t number) {
    for (; number >= 128; number >>= 7) put(writer, &(uint8_t){(uint8_t)(number | 128)}, 1);
    put(writer, &(uint8_t){(uint8_t)number}, 1);
}

static void put_number(writer *writer, int64_t number) {
    put(writer, &(uint8_t){number < 0 ? 3 : 4}, 1);
    put_varint(writer, number < 0 ? (uint64_t)(-1 - number) : (uint64_t)number);
}

static void put_text(writer *writer, const char *text, uint64_t count) {
    put(writer, &(uint8_t){7}, 1);
    put_varint(writer, count);
    put(writer, text, count);
}

static void answer_number(uint64_t call, int64_t number) {
    writer writer = no_values();
    put_number(&writer, number);
    send_message(answered, call, writer.bytes, writer.size);
}

/* An error is the name of its type, its words, and whether its value follows. */
static void answer_failure(uint64_t call, const char *type, const char *words, uint64_t count) {
    writer writer = no_values();
    put_text(&writer, type, strlen(type));
    put_text(&writer, words, count);
    put(&writer, &(uint8_t){1}, 1);
    send_message(failed, call, writer.bytes, writer.size);
}

/* --- the service --- */

/* The instance of the host's that names the counter, that of the stream, and the call that waits for the host's answer: 0 for
 * none. */
static uint64_t counter, stream, waiting;
static int64_t next_element, last_element;
static bool has_rates;

static void begin(uint64_t call) {
    static const char *const names[] = {"services", "service", "scope", "isNamedScope", "file", "line", "arguments",
                                        "hasLifecycle", "keepsState", "hasDecorators", "hasReadSettings", "unenforced"};
    enum { count = sizeof names / sizeof *names };
    writer writer = {{0}, 0};
    put_varint(&writer, count);
    for (int place = 0; place < count; ++place) {
        put_varint(&writer, strlen(names[place]));
        put(&writer, names[place], strlen(names[place]));
    }
    /* A member is the place of its name and 1 more, and its value; 0 ends them. */
    put(&writer, (uint8_t[]){9, 1, 10, 9, 2}, 5);
    put_text(&writer, "Shop.Counter", 12);
    put(&writer, &(uint8_t){3}, 1);
    put_text(&writer, "transient", 9);
    put(&writer, (uint8_t[]){4, 1, 5}, 3);
    put_text(&writer, "worker.c", 8);
    put(&writer, (uint8_t[]){6, 65, 7, 10, 11, 0, 11}, 7);
    put(&writer, (uint8_t[]){8, 1, 9, 1, 10, 1, 11, 1, 12, 10, 11, 0}, 12);
    send_message(answered, call, writer.bytes, writer.size);
}

static void ask_for_rate(uint64_t call, int64_t number) {
    static const char service[] = "Shop.Rates";
    uint8_t head[12] = {rates};
    writer arguments = no_values();
    put_number(&arguments, number);
    uint8_t content[sizeof head + sizeof arguments.bytes];
    memcpy(content, head, sizeof head);
    memcpy(content + sizeof head, arguments.bytes, arguments.size);
    waiting = call;
    /* An instance is named once. */
    if (!has_rates) send_message(opened, rates, service, sizeof service - 1);
    has_rates = true;
    /* The number of a call is its caller's own choice. */
    send_message(called, 1, content, sizeof head + arguments.size);
}

static void answer_element(uint64_t call) {
    if (next_element < last_element) return answer_number(call, next_element++);
    send_message(ended, call, "", 0);
}

static void call(message message) {
    uint64_t instance;
    uint32_t requirement;
    if (message.size < 12) give_up("a call is cut");
    memcpy(&instance, message.content, 8);
    memcpy(&requirement, message.content + 8, 4);
    if (instance == the_other_side && requirement == 0) return begin(message.number);
    if (instance == stream && stream != 0) return answer_element(message.number);
    if (instance != counter) give_up("there is no such instance");
    reader reader = values(message.content + 12, message.size - 12);
    const char *text;
    writer writer = no_values();
    switch (requirement) {
    case 0: {
        int64_t first = read_number(&reader);
        return answer_number(message.number, first + read_number(&reader));
    }
    case 1: {
        char words[256];
        uint64_t count = read_text(&reader, &text);
        int size = snprintf(words, sizeof words, "hello, %.*s", (int)count, text);
        put_text(&writer, words, (uint64_t)size);
        return send_message(answered, message.number, writer.bytes, writer.size);
    }
    case 2: {
        uint64_t count = read_text(&reader, &text);
        return answer_failure(message.number, "Shop.Failure", text, count);
    }
    case 3:
        stream = message.number | UINT64_C(1) << 63;
        next_element = 0;
        last_element = read_number(&reader);
        return send_message(streams, message.number, "", 0);
    case 4: return ask_for_rate(message.number, read_number(&reader));
    default: give_up("there is no such requirement");
    }
}

int main(void) {
    /* A write to a host that is gone fails. */
    signal(SIGPIPE, SIG_IGN);
    uint32_t length = receive_head();
    /* The module that the host asks for, which is known here. */
    char *request = malloc(length + 1);
    read_all(request, length);
    free(request);
    for (;;) {
        message message = receive();
        reader reader;
        switch (message.kind) {
        case opened:
            if (message.size != 12 || memcmp(message.content, "Shop.Counter", 12)) give_up("no such service");
            counter = message.number;
            break;
        case called: call(message); break;
        case answered:
            reader = values(message.content, message.size);
            answer_number(waiting, read_number(&reader) + 1);
            break;
        case cancelled: break;
        case closed:
            if (message.number == stream) stream = 0;
            break;
        default: give_up("a message was not expected");
        }
        free(message.content);
    }
}
