/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * decisions.h: says what becomes of each system call, and writes a filter that finds it in few steps: the kernel runs a
 * filter for every number when it installs it, and for many calls later.
 *
 * The order is: begin_decisions, then decide and judge in any order, then write_decisions.
 */
#ifndef EAVES_DECISIONS_H
#define EAVES_DECISIONS_H

#include "filter.h"
#include <stdlib.h>
#include <string.h>

enum { most_decisions = 512 };

/* From this number on, up to the next decision, calls end with this action, or go on with rules at this step. */
struct decision {
    uint32_t number;
    uint32_t action;
    int rules;
};

static struct decision decisions[most_decisions];
static int decision_count;

static inline void begin_decisions(void) { decision_count = 0, filter_count = 0; }

static inline void decide(int number, uint32_t action) {
    decisions[decision_count++] = (struct decision){(uint32_t)number, action, -1};
}

/* Begins rules for a call, which go on to the next ones, and each way through them ends with an action. */
static inline void judge(int number) {
    decisions[decision_count++] = (struct decision){(uint32_t)number, 0, filter_count};
}

static inline int compare_decisions(const void *one, const void *other) {
    uint32_t first = ((const struct decision *)one)->number, second = ((const struct decision *)other)->number;
    return (first > second) - (first < second);
}

/* The decisions in order, of which each holds up to the next: numbers that have none are refused, and from the first
 * unknown one on unknown. */
static inline int order_decisions(struct decision *ordered, uint32_t refusal, int first_unknown, uint32_t unknown) {
    qsort(decisions, (size_t)decision_count, sizeof *decisions, compare_decisions);
    int count = 0;
    uint32_t next = 0, first = (uint32_t)first_unknown;
    for (int index = 0; index <= decision_count; ++index) {
        struct decision one = index == decision_count ? (struct decision){UINT32_MAX, unknown, -1} : decisions[index];
        if (next < first && next < one.number) {
            ordered[count++] = (struct decision){next, refusal, -1};
            next = one.number < first ? one.number : first;
        }
        if (next < one.number) ordered[count++] = (struct decision){next, unknown, -1};
        bool is_same = count > 0 && one.rules < 0 && ordered[count - 1].rules < 0
            && ordered[count - 1].action == one.action;
        if (!is_same) ordered[count++] = one;
        next = one.number + 1;
    }
    return count;
}

/* A jump of a choice that leads to an action. */
struct jump {
    unsigned short step;
    bool is_taken;
    uint32_t action;
};

static struct jump jumps[2 * most_decisions + 1];
static int jump_count;
/* Whether some jump is longer than a filter can say. */
static bool is_too_long;

/* Lets a jump lead to the step that is written next. */
static inline void lead_here(unsigned short step, bool is_taken) {
    int distance = filter_count - step - 1;
    if (distance > UINT8_MAX) is_too_long = true;
    *(is_taken ? &filter_steps[step].jt : &filter_steps[step].jf) = (unsigned char)distance;
}

/* Writes a choice between the decisions from first to last. Its jumps to actions are set later, and so are those to
 * rules, which may lie far behind. */
static inline void write_choice(const struct decision *ordered, int first, int last) {
    if (first == last) {
        add_step((struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)ordered[first].rules));
        return;
    }
    int middle = (first + last + 1) / 2;
    unsigned short step = filter_count;
    add_step((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ordered[middle].number, 0, 0));
    for (int is_taken = 0; is_taken < 2; ++is_taken) {
        int from = is_taken ? middle : first, to = is_taken ? last : middle - 1;
        if (from == to && ordered[from].rules < 0) {
            jumps[jump_count++] = (struct jump){step, is_taken, ordered[from].action};
        } else {
            lead_here(step, is_taken);
            write_choice(ordered, from, to);
        }
    }
}

/* Writes each action once, behind all choices. */
static inline void write_actions(void) {
    for (int index = 0; index < jump_count; ++index) {
        uint32_t action = jumps[index].action;
        bool is_written = false;
        for (int other = 0; other < index; ++other) is_written |= jumps[other].action == action;
        if (is_written) continue;
        for (int other = index; other < jump_count; ++other) {
            if (jumps[other].action == action) lead_here(jumps[other].step, jumps[other].is_taken);
        }
        end_with(action);
    }
}

/* Writes the filter.
 *
 * Parameters: refusal is the action for calls without a decision; unknown that for the first unknown number and all
 * above it. Returns whether a filter can be written for this machine. */
static inline bool write_decisions(uint32_t refusal, int first_unknown, uint32_t unknown) {
    static struct sock_filter rules[most_filter_steps];
    static struct decision ordered[2 * most_decisions + 2];
    unsigned short rule_count = filter_count;
    memcpy(rules, filter_steps, rule_count * sizeof *rules);
    if (!begin_filter()) return false;
    int count = order_decisions(ordered, refusal, first_unknown, unknown);
    jump_count = 0, is_too_long = false;
    unsigned short start = filter_count;
    write_choice(ordered, 0, count - 1);
    write_actions();
    unsigned short end = filter_count;
    for (unsigned short step = start; step < end; ++step) {
        if (filter_steps[step].code == (BPF_JMP | BPF_JA)) filter_steps[step].k += (uint32_t)(end - step - 1);
    }
    for (unsigned short step = 0; step < rule_count; ++step) add_step(rules[step]);
    return !is_too_long;
}

#endif
