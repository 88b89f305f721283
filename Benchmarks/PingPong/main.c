/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sends 16 bytes to a child on a stream socket and waits for 16 bytes, again and again: the least that a call of another
 * process costs. Prints the minimum and the median, in microseconds.
 *
 *   ping-pong ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int compare(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 10000;
    int ends[2];
    char bytes[16] = {0};
    double *times = calloc(rounds, sizeof *times);
    if (rounds < 1 || !times || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    if (fork() == 0) {
        close(ends[0]);
        while (read(ends[1], bytes, sizeof bytes) > 0 && write(ends[1], bytes, sizeof bytes) > 0) {}
        _exit(0);
    }
    close(ends[1]);
    for (int round = 0; round < rounds; ++round) {
        double start = now();
        if (write(ends[0], bytes, sizeof bytes) < 0 || read(ends[0], bytes, sizeof bytes) <= 0) return 1;
        times[round] = now() - start;
    }
    qsort(times, rounds, sizeof *times, compare);
    printf("%.1f %.1f\n", times[0], times[rounds / 2]);
    return 0;
}
