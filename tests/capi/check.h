/* What the tests in C share: checks that end the program, and small data. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

/* The call succeeds; `error` is its last argument. */
#define CHECK_OK(call)                                                                                   \
    do {                                                                                                 \
        if ((call) != SUMMAND_OK || error != NULL) {                                                     \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, summand_error_message(error)); \
            exit(1);                                                                                     \
        }                                                                                                \
    } while (0)

/* The call fails with a status and a message that holds a text. */
#define CHECK_FAILS(call, expected, text)                                                                        \
    do {                                                                                                         \
        const summand_status status_ = (call);                                                                   \
        if (status_ != (expected) || strstr(summand_error_message(error), (text)) == NULL) {                     \
            fprintf(stderr, "%s:%d: %s: status %d, '%s', expected status %d, '%s'\n", __FILE__, __LINE__, #call, \
                    (int)status_, summand_error_message(error), (int)(expected), (text));                        \
            exit(1);                                                                                             \
        }                                                                                                        \
        summand_error_free(error);                                                                               \
    } while (0)

enum { kRows = 400, kColumns = 8, kQueries = 20, kNearest = 10 };

/* Whole numbers, so that sums have one value whatever their order. */
static float* some_vectors(size_t rows, unsigned seed) {
    float* values = malloc(rows * kColumns * sizeof *values);
    unsigned state = seed;
    CHECK(values != NULL);
    for (size_t i = 0; i < rows * kColumns; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 24);
    }
    return values;
}

static summand_vectors vectors_of(const float* values, size_t rows) {
    const summand_vectors vectors = {sizeof vectors, values, rows, kColumns, NULL};
    return vectors;
}

#endif
