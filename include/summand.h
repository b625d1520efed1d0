/* summand for C and for whoever can call C: compact codes and nearest-neighbour search.
 *
 *     summand_vectors base = {sizeof base, values, rows, dimensions, NULL};
 *     summand_index *index;
 *     summand_error *error;
 *     if (summand_build(&base, "IVF1024,LOCQ8", NULL, &index, &error) != SUMMAND_OK) {
 *         fprintf(stderr, "%s\n", summand_error_message(error));
 *         summand_error_free(error);
 *     }
 *
 * Rules that hold for every function:
 *
 * - What can fail returns a status, and takes as its last argument where to put an error. There *error is NULL after
 *   success, and after a failure an object with a message, which the caller frees. A null pointer instead: no message
 * is wanted. After a failure results are as they were.
 * - Structs that are passed in begin with their size, `sizeof` of the struct. Fields that are zero mean what is usual.
 * A program built with an older header may pass a shorter struct to a newer library: fields it does not know are zero.
 * - A null pointer to options means all of them as usual; other pointers may not be null where nothing says so.
 * - Texts are UTF-8 or any other bytes without zeros, ended by one. Arrays and texts that are passed in are read during
 *   the call only, but for a filter, which lives until a search that uses it has returned.
 * - Nothing is kept beside the handles: no global state, no state of threads. No C++ exception leaves the library.
 *
 * Threads: any number of them may search one index at once, and look at it. One may change an index in a folder
 * meanwhile; changes wait for each other. `summand_tune`, and `summand_close`, need the handle for themselves.
 *
 * docs/c.md has a program. Words are those of the C++ interface: an index is a file, or a folder to
 * which vectors can be added; the same functions serve both.
 */
#ifndef SUMMAND_H
#define SUMMAND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

typedef enum summand_status {
    SUMMAND_OK = 0,
    SUMMAND_ERROR = 1, /* a mistake of the caller, or a bad file: the message says which value, and what was expected */
    SUMMAND_CANCELLED = 2, /* a progress function asked to stop; nothing was written */
    SUMMAND_NO_MEMORY = 3,
    SUMMAND_INTERNAL = 4 /* a mistake of the library */
} summand_status;

typedef struct summand_error summand_error;

const char* summand_error_message(const summand_error* error); /* "" for null; lives as long as the error */
void summand_error_free(summand_error* error);                 /* null is nothing to free, here and below */

/* Frees texts and bytes that a function has returned. */
void summand_free(void* memory);

const char* summand_version(void); /* "0.1.0" */

/* ---- What goes in ------------------------------------------------------------------------------------------------ */

/* Vectors: values in memory, row by row, or a file of any format (docs/command-line.md). */
typedef struct summand_vectors {
    size_t size;
    const float* values; /* rows × dimensions; null: those of the file */
    size_t rows;
    size_t dimensions;
    const char* file; /* null: the values */
} summand_vectors;

/* Ids of an index in a folder: numbers from 0 to 2^63 - 2, or texts from 1 to 1,024 bytes of UTF-8 without control
 * characters. The first vectors that are added decide which; summand_names has the texts of answers. */
typedef struct summand_ids {
    size_t size;
    const int64_t* numbers;
    size_t count;
    const char* const* names; /* instead of numbers */
} summand_ids;

typedef struct summand_progress {
    size_t size;
    const char* stage; /* "k-means", "encode", … */
    size_t step;       /* finished units */
    size_t steps;      /* all units */
    double objective;  /* what the stage minimises, per vector; NaN: nothing */
    double seconds;    /* since the stage began */
} summand_progress;

/* How long work runs. Results do not depend on it. */
typedef struct summand_execution {
    size_t size;
    size_t threads; /* 0: as many as the machine has */
    /* Called now and then in the thread of the call; anything but 0 stops the work. Null: nobody is told. */
    int (*progress)(const summand_progress* progress, void* context);
    void* context; /* handed to `progress` */
} summand_execution;

/* ---- Making and opening ------------------------------------------------------------------------------------------ */

typedef struct summand_index summand_index;

typedef struct summand_build_options {
    size_t size;
    const char* metric;           /* "euclidean", "ip" or "cosine"; null: euclidean */
    const summand_vectors* learn; /* to learn from instead of the base; null: the base */
    size_t learn_size;            /* vectors drawn to learn from, at most; 0: as many as are usual */
    uint64_t seed;                /* of every random choice; 0: 1, as everywhere */
    uint64_t memory_bytes;        /* where no spec is given: what the index may take; 0: as much as the vectors */
    const char* target;           /* where no spec is given: what searches shall find; null: "recall@10=0.95" */
    const char* path;       /* where the index will be saved: Refine(flat) keeps the way from there to the vectors */
    const char* checkpoint; /* file to save the work in and to go on from; null: none */
    const summand_execution* execution;
} summand_build_options;

/* An index in memory. `spec` as in docs/command-line.md, "IVF1024,LOCQ8"; null or "": one is chosen and tuned. */
summand_status summand_build(const summand_vectors* base, const char* spec, const summand_build_options* options,
                             summand_index** index, summand_error** error);

/* An empty index in a new folder, that may be written; its model is learnt from `learn`. Of the options only metric,
 * learn_size, seed and execution are of use. */
summand_status summand_create(const char* folder, const summand_vectors* learn, const char* spec,
                              const summand_build_options* options, summand_index** index, summand_error** error);

typedef struct summand_open_options {
    size_t size;
    int write;           /* of a folder: take its lock, and change it */
    const char* vectors; /* of a file: where the vectors of Refine(flat) are now; null: where the index says */
} summand_open_options;

/* A file, which is mapped, or a folder. */
summand_status summand_open(const char* path, const summand_open_options* options, summand_index** index,
                            summand_error** error);

/* What summand_to_bytes wrote. */
summand_status summand_from_bytes(const void* bytes, size_t count, summand_index** index, summand_error** error);

/* Frees the handle, and the lock of a folder; what was not committed is gone. Null is nothing to close. */
void summand_close(summand_index* index);

/* ---- Searching --------------------------------------------------------------------------------------------------- */

typedef struct summand_filter summand_filter;

summand_status summand_filter_ids(const summand_ids* ids, summand_filter** filter, summand_error** error);
/* Of ids that are texts: those that are in the index now. */
summand_status summand_filter_names(const summand_index* index, const summand_ids* ids, summand_filter** filter,
                                    summand_error** error);
/* "0-999,2000,3000-" */
summand_status summand_filter_ranges(const char* text, summand_filter** filter, summand_error** error);
/* A Roaring bitmap in its portable format of 32 or of 64 bits. */
summand_status summand_filter_roaring(const void* bytes, size_t count, int bits, summand_filter** filter,
                                      summand_error** error);
void summand_filter_free(summand_filter* filter);

#define SUMMAND_NO_REFINE SIZE_MAX /* as `refine`: the first layer's scores count */

/* What a search may cost; 0: what the index says. */
typedef struct summand_search_options {
    size_t size;
    size_t probes;                /* cells to visit */
    double reach;                 /* at least 1: cells up to so many times as far as the eighth nearest one */
    size_t candidates;            /* instead: visit cells until their lists hold as many vectors */
    size_t refine;                /* candidates that the second layer scores again, at least k */
    const summand_filter* filter; /* null keeps all */
    const summand_execution* execution;
} summand_search_options;

/* The k nearest vectors of each query, best first, as rows of k ids and k scores; scores may be null. Smaller scores
 * are better. Where fewer than k exist, a row ends with ids of -1 and scores of +infinity. */
summand_status summand_search(const summand_index* index, const summand_vectors* queries, size_t k,
                              const summand_search_options* options, int64_t* ids, float* scores,
                              summand_error** error);

/* Query i has the answers begin[i] … begin[i + 1] - 1, best first. */
typedef struct summand_answers {
    size_t queries;
    const size_t* begin;
    const int64_t* ids;
    const float* scores;
} summand_answers;

/* Everything with a score below `radius`, which is squared for euclidean. */
summand_status summand_search_range(const summand_index* index, const summand_vectors* queries, float radius,
                                    const summand_search_options* options, summand_answers** found,
                                    summand_error** error);
void summand_answers_free(summand_answers* found);

/* The k nearest by comparing all vectors, as summand_search returns them; `base` is read in pieces. metric as above. */
summand_status summand_exact_neighbors(const summand_vectors* base, const summand_vectors* queries, size_t k,
                                       const char* metric, const summand_execution* execution, int64_t* ids,
                                       float* scores, summand_error** error);

/* Makes the cheapest search that finds enough of `truth`, rows of so many ids for each query, the default of an index
 * that is no folder; summand_save keeps it. Fails, and changes nothing, where no search reaches the target. */
summand_status summand_tune(summand_index* index, const summand_vectors* queries, const int64_t* truth,
                            size_t neighbors, const char* target, const summand_execution* execution,
                            summand_error** error);

/* ---- Looking ----------------------------------------------------------------------------------------------------- */

summand_status summand_size(const summand_index* index, size_t* vectors, summand_error** error);
summand_status summand_dimensions(const summand_index* index, size_t* dimensions, summand_error** error);

/* What `summand info --json` says of it. To be freed. */
summand_status summand_info(const summand_index* index, char** json, summand_error** error);

/* What is wrong with a file or folder of ours, a line each; "" where it is sound. To be freed. */
summand_status summand_verify(const char* path, char** problems, summand_error** error);

/* Of an index that is no folder: its file, atomically, or the bytes of its file, to be freed. */
summand_status summand_save(const summand_index* index, const char* path, summand_error** error);
summand_status summand_to_bytes(const summand_index* index, void** bytes, size_t* count, summand_error** error);

/* ---- An index in a folder ---------------------------------------------------------------------------------------- */

typedef enum summand_duplicates {
    SUMMAND_REFUSE = 0, /* an id that is there already is an error, and nothing is added */
    SUMMAND_REPLACE = 1 /* its vector is replaced */
} summand_duplicates;

/* Adds vectors. Without ids (null) they go on from the largest that ever was, and the first of them is put into
 * `first_id`, unless that is null. On the disk when it returns, as all changes. */
summand_status summand_add(summand_index* index, const summand_vectors* vectors, const summand_ids* ids,
                           summand_duplicates duplicates, const summand_execution* execution, int64_t* first_id,
                           summand_error** error);

/* Replaces vectors in one step; an id that is not there is an error, and nothing changes then. */
summand_status summand_update(summand_index* index, const summand_vectors* vectors, const summand_ids* ids,
                              const summand_execution* execution, summand_error** error);

/* Removes ids, or all that a filter keeps. `removed`, which may be null: how many were there. */
summand_status summand_remove(summand_index* index, const summand_ids* ids, size_t* removed, summand_error** error);
summand_status summand_remove_kept(summand_index* index, const summand_filter* filter, size_t* removed,
                                   summand_error** error);

/* The texts of ids that a search has found, in one piece of memory to be freed; "" for one that is not there any more,
 * and for -1. */
summand_status summand_names(const summand_index* index, const int64_t* ids, size_t count, const char*** names,
                             summand_error** error);

/* Whether each of the ids is there, as 0 or 1. */
summand_status summand_contains(const summand_index* index, const summand_ids* ids, unsigned char* there,
                                summand_error** error);

/* How many vectors may change before that is committed by itself: 1 at first, 0 never. */
summand_status summand_set_commit_every(summand_index* index, size_t changes, summand_error** error);

/* Makes all changes durable and visible to others, at once. */
summand_status summand_commit(summand_index* index, summand_error** error);

typedef enum summand_compaction {
    SUMMAND_ALL = 0,  /* everything into one segment without dead rows */
    SUMMAND_TIERS = 1 /* runs of segments of similar size */
} summand_compaction;

summand_status summand_compact(summand_index* index, summand_compaction what, const summand_execution* execution,
                               summand_error** error);

/* Takes up what another process has committed; `changed`, which may be null: 1 where there was something. */
summand_status summand_refresh(const summand_index* index, int* changed, summand_error** error);

/* What `summand health --json` says of it. To be freed. */
summand_status summand_health(const summand_index* index, const summand_execution* execution, char** json,
                              summand_error** error);

#ifdef __cplusplus
}
#endif

#endif
