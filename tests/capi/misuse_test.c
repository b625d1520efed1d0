/* misuse_test FOLDER: whatever is passed wrongly is told by its value, and nothing is read or changed. */
#include "check.h"

static summand_index *plain, *living;
static summand_vectors base, query;
static int64_t ids[kNearest];
static float scores[kNearest];
static summand_error* error;

static void null_pointers_are_told(void) {
    summand_index* index = NULL;
    summand_filter* filter = NULL;
    summand_answers* found = NULL;
    summand_ids none = {sizeof none, NULL, 3, NULL};
    summand_vectors empty = base;
    unsigned char there[3];
    size_t count;
    void* bytes;
    char* text;
    empty.values = NULL;
    CHECK_FAILS(summand_search(NULL, &query, 1, NULL, ids, scores, &error), SUMMAND_ERROR,
                "summand_search: expected an index, got a null pointer");
    CHECK_FAILS(summand_search(plain, NULL, 1, NULL, ids, scores, &error), SUMMAND_ERROR,
                "summand_search: expected queries, got a null pointer");
    CHECK_FAILS(summand_search(plain, &query, 1, NULL, NULL, scores, &error), SUMMAND_ERROR,
                "summand_search: expected ids, got a null pointer");
    CHECK_FAILS(summand_search(plain, &empty, 1, NULL, ids, scores, &error), SUMMAND_ERROR,
                "summand_search: expected values of queries, got a null pointer");
    CHECK_FAILS(summand_search_range(plain, &query, 1, NULL, NULL, &error), SUMMAND_ERROR,
                "expected found, got a null");
    CHECK_FAILS(summand_search_range(NULL, &query, 1, NULL, &found, &error), SUMMAND_ERROR, "expected an index, got a");
    CHECK_FAILS(summand_build(NULL, "PQ2x4", NULL, &index, &error), SUMMAND_ERROR, "summand_build: expected base, got");
    CHECK_FAILS(summand_build(&base, "PQ2x4", NULL, NULL, &error), SUMMAND_ERROR, "summand_build: expected index, got");
    CHECK_FAILS(summand_create(NULL, &base, "PQ2x4", NULL, &index, &error), SUMMAND_ERROR,
                "expected folder, got a null");
    CHECK_FAILS(summand_create("folder", NULL, "PQ2x4", NULL, &index, &error), SUMMAND_ERROR, "expected learn, got a");
    CHECK_FAILS(summand_open(NULL, NULL, &index, &error), SUMMAND_ERROR, "summand_open: expected path, got a null");
    CHECK_FAILS(summand_open("index", NULL, NULL, &error), SUMMAND_ERROR, "summand_open: expected index, got a null");
    CHECK_FAILS(summand_from_bytes(NULL, 5, &index, &error), SUMMAND_ERROR, "expected bytes, got a null pointer");
    CHECK_FAILS(summand_filter_ids(&none, &filter, &error), SUMMAND_ERROR, "expected 3 ids, got a null pointer");
    CHECK_FAILS(summand_filter_ids(NULL, &filter, &error), SUMMAND_ERROR, "expected ids, got a null pointer");
    CHECK_FAILS(summand_filter_ranges(NULL, &filter, &error), SUMMAND_ERROR, "expected text, got a null pointer");
    CHECK_FAILS(summand_filter_ranges("1", NULL, &error), SUMMAND_ERROR, "expected filter, got a null pointer");
    CHECK_FAILS(summand_exact_neighbors(&base, NULL, 1, NULL, NULL, ids, NULL, &error), SUMMAND_ERROR,
                "expected queries, got a null pointer");
    CHECK_FAILS(summand_tune(plain, &query, NULL, 10, "recall@10=0.5", NULL, &error), SUMMAND_ERROR,
                "expected truth, got a null pointer");
    CHECK_FAILS(summand_tune(plain, &query, ids, 10, NULL, NULL, &error), SUMMAND_ERROR, "expected target, got a null");
    CHECK_FAILS(summand_size(NULL, &count, &error), SUMMAND_ERROR, "summand_size: expected an index, got a null");
    CHECK_FAILS(summand_size(plain, NULL, &error), SUMMAND_ERROR, "summand_size: expected vectors, got a null");
    CHECK_FAILS(summand_dimensions(plain, NULL, &error), SUMMAND_ERROR, "expected dimensions, got a null pointer");
    CHECK_FAILS(summand_info(plain, NULL, &error), SUMMAND_ERROR, "summand_info: expected json, got a null pointer");
    CHECK_FAILS(summand_health(living, NULL, NULL, &error), SUMMAND_ERROR, "expected json, got a null pointer");
    CHECK_FAILS(summand_verify(NULL, &text, &error), SUMMAND_ERROR, "summand_verify: expected path, got a null");
    CHECK_FAILS(summand_verify("path", NULL, &error), SUMMAND_ERROR, "expected problems, got a null pointer");
    CHECK_FAILS(summand_save(plain, NULL, &error), SUMMAND_ERROR, "summand_save: expected path, got a null pointer");
    CHECK_FAILS(summand_to_bytes(plain, &bytes, NULL, &error), SUMMAND_ERROR, "expected count, got a null pointer");
    CHECK_FAILS(summand_add(NULL, &base, NULL, SUMMAND_REFUSE, NULL, NULL, &error), SUMMAND_ERROR, "expected an index");
    CHECK_FAILS(summand_add(living, NULL, NULL, SUMMAND_REFUSE, NULL, NULL, &error), SUMMAND_ERROR,
                "expected vectors, got a null pointer");
    CHECK_FAILS(summand_update(living, &base, NULL, NULL, &error), SUMMAND_ERROR, "expected ids, got a null pointer");
    CHECK_FAILS(summand_remove(living, NULL, NULL, &error), SUMMAND_ERROR, "expected ids, got a null pointer");
    CHECK_FAILS(summand_remove_kept(living, NULL, NULL, &error), SUMMAND_ERROR,
                "expected a filter, got a null pointer");
    none.count = 0;
    CHECK_FAILS(summand_contains(living, &none, NULL, &error), SUMMAND_ERROR, "expected there, got a null pointer");
    CHECK_OK(summand_contains(living, &none, there, &error));
    CHECK(index == NULL && filter == NULL && found == NULL);
    CHECK(summand_search(NULL, NULL, 0, NULL, NULL, NULL, NULL) == SUMMAND_ERROR); /* nobody wants the message */
    summand_close(NULL);
    summand_filter_free(NULL);
    summand_answers_free(NULL);
    summand_error_free(NULL);
    summand_free(NULL);
    CHECK(strcmp(summand_error_message(NULL), "") == 0);
}

/* A struct whose first field is not its size was not filled, or comes from another header. */
static void wrong_sizes_of_structs_are_told(void) {
    summand_search_options searching = {0, 0, 0, 0, 0, NULL, NULL};
    summand_build_options building = {sizeof building + 8, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL};
    summand_open_options opening = {sizeof opening - 1, 0, NULL};
    summand_execution execution = {sizeof(size_t), 0, NULL, NULL};
    summand_vectors vectors = base;
    summand_ids few = {1, ids, 3, NULL};
    summand_index* index;
    summand_filter* filter;
    vectors.size = 7;
    CHECK_FAILS(summand_search(plain, &query, 1, &searching, ids, scores, &error), SUMMAND_ERROR,
                "summand_search: expected the size of summand_search_options in its first field");
    CHECK_FAILS(summand_build(&base, "PQ2x4", &building, &index, &error), SUMMAND_ERROR, "with a newer summand.h");
    CHECK_FAILS(summand_open("index", &opening, &index, &error), SUMMAND_ERROR, "size of summand_open_options");
    CHECK_FAILS(summand_compact(living, SUMMAND_ALL, &execution, &error), SUMMAND_ERROR, "size of summand_execution");
    CHECK_FAILS(summand_search(plain, &vectors, 1, NULL, ids, scores, &error), SUMMAND_ERROR, "got 7");
    CHECK_FAILS(summand_filter_ids(&few, &filter, &error), SUMMAND_ERROR, "size of summand_ids");
    searching.size = offsetof(summand_search_options, candidates); /* of a header that did not know the rest */
    searching.candidates = 12345;
    CHECK_OK(summand_search(plain, &query, 1, &searching, ids, scores, &error));
}

static void wrong_values_are_told(void) {
    summand_vectors narrow = query, both = base, huge = base;
    summand_search_options options = {sizeof options, 5, 0, 0, 0, NULL, NULL};
    summand_build_options building = {sizeof building, "angular", NULL, 0, 0, 0, NULL, NULL, NULL, NULL};
    const summand_execution execution = {sizeof execution, (size_t)1 << 40, NULL, NULL};
    const int64_t numbers[] = {3, 3, -1};
    const summand_ids twice = {sizeof twice, numbers, 2, NULL}, negative = {sizeof negative, numbers + 2, 1, NULL};
    const char* const texts[] = {"a", NULL};
    const summand_ids both_kinds = {sizeof both_kinds, numbers, 2, texts}, hollow = {sizeof hollow, NULL, 2, texts};
    const char** names;
    summand_vectors two = base, one = base;
    summand_index* index;
    summand_filter* filter;
    summand_answers* found;
    narrow.dimensions = 3;
    both.file = "base.fvecs";
    huge.rows = SIZE_MAX / 2;
    two.rows = 2;
    one.rows = 1;
    CHECK_FAILS(summand_search(plain, &query, 0, NULL, ids, scores, &error), SUMMAND_ERROR,
                "expected k of at least 1, got 0");
    CHECK_FAILS(summand_search(living, &query, 0, NULL, ids, scores, &error), SUMMAND_ERROR,
                "expected k of at least 1, got 0");
    CHECK_FAILS(summand_search(plain, &narrow, 1, NULL, ids, scores, &error), SUMMAND_ERROR,
                "expected queries of 8 dimensions, got 3");
    CHECK_FAILS(summand_search(living, &narrow, 1, NULL, ids, scores, &error), SUMMAND_ERROR,
                "expected queries of 8 dimensions, got 3");
    CHECK_FAILS(summand_search(plain, &both, 1, NULL, ids, scores, &error), SUMMAND_ERROR, "got the file base.fvecs");
    CHECK_FAILS(summand_search(plain, &query, 1, &options, ids, scores, &error), SUMMAND_ERROR, "cells");
    CHECK_FAILS(summand_search_range(plain, &query, 0.0f / 0.0f, NULL, &found, &error), SUMMAND_ERROR, "NaN");
    CHECK_FAILS(summand_build(&both, "PQ2x4", NULL, &index, &error), SUMMAND_ERROR,
                "values or a file of base, got both");
    CHECK_FAILS(summand_build(&huge, "PQ2x4", NULL, &index, &error), SUMMAND_ERROR, "sizes that fit memory");
    CHECK_FAILS(summand_build(&base, "PQ2x4", &building, &index, &error), SUMMAND_ERROR, "angular");
    CHECK_FAILS(summand_build(&base, "XY7", NULL, &index, &error), SUMMAND_ERROR, "unknown method 'XY'");
    building.metric = NULL;
    building.execution = &execution;
    CHECK_FAILS(summand_build(&base, "PQ2x4", &building, &index, &error), SUMMAND_ERROR, "number of threads");
    CHECK_FAILS(summand_filter_ranges("9-x", &filter, &error), SUMMAND_ERROR, "9-x");
    CHECK_FAILS(summand_from_bytes("no index", 8, &index, &error), SUMMAND_ERROR, "memory: ");
    CHECK_FAILS(summand_open("/nowhere/at/all.smd", NULL, &index, &error), SUMMAND_ERROR, "/nowhere/at/all.smd");
    CHECK_FAILS(summand_add(living, &two, &twice, SUMMAND_REFUSE, NULL, NULL, &error), SUMMAND_ERROR, "given twice");
    CHECK_FAILS(summand_add(living, &one, &negative, SUMMAND_REFUSE, NULL, NULL, &error), SUMMAND_ERROR, "got -1");
    CHECK_FAILS(summand_add(living, &one, NULL, (summand_duplicates)2, NULL, NULL, &error), SUMMAND_ERROR, "got 2");
    CHECK_FAILS(summand_remove(living, &both_kinds, NULL, &error), SUMMAND_ERROR, "numbers or texts as ids, got both");
    CHECK_FAILS(summand_remove(living, &hollow, NULL, &error), SUMMAND_ERROR, "a text for each id, got a null pointer");
    CHECK_FAILS(summand_filter_ids(&hollow, &filter, &error), SUMMAND_ERROR, "expected numbers as ids, got texts");
    CHECK_FAILS(summand_filter_roaring(NULL, 3, 32, &filter, &error), SUMMAND_ERROR,
                "expected bytes, got a null pointer");
    CHECK_FAILS(summand_filter_roaring("x", 1, 16, &filter, &error), SUMMAND_ERROR, "expected 32 or 64 bits, got 16");
    CHECK_FAILS(summand_filter_roaring("x", 1, 64, &filter, &error), SUMMAND_ERROR, "is no Roaring bitmap of 64 bits");
    CHECK_FAILS(summand_filter_names(living, &twice, &filter, &error), SUMMAND_ERROR,
                "expected texts as ids, got none");
    CHECK_FAILS(summand_names(living, NULL, 3, &names, &error), SUMMAND_ERROR, "expected 3 ids, got a null pointer");
    CHECK_FAILS(summand_names(living, numbers, 3, NULL, &error), SUMMAND_ERROR, "expected names, got a null pointer");
    CHECK_FAILS(summand_compact(living, (summand_compaction)3, NULL, &error), SUMMAND_ERROR, "got 3");
}

static void the_kind_of_an_index_is_told(const char* folder) {
    const summand_open_options with_vectors = {sizeof with_vectors, 0, "base.fvecs"};
    const summand_open_options writing = {sizeof writing, 1, NULL};
    const char* of_file = "expected an index in a folder, made by summand_create, got one of a file";
    const char* of_folder = "expected an index of a file, made by summand_build, got one in a folder";
    const summand_ids few = {sizeof few, ids, 1, NULL};
    summand_index* index;
    summand_filter* filter;
    const char** names;
    unsigned char there;
    size_t count;
    void* bytes;
    char* text;
    CHECK_FAILS(summand_add(plain, &base, NULL, SUMMAND_REFUSE, NULL, NULL, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_update(plain, &base, &few, NULL, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_remove(plain, &few, NULL, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_contains(plain, &few, &there, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_names(plain, ids, 1, &names, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_filter_names(plain, &few, &filter, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_commit(plain, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_set_commit_every(plain, 1, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_compact(plain, SUMMAND_ALL, NULL, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_refresh(plain, NULL, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_health(plain, NULL, &text, &error), SUMMAND_ERROR, of_file);
    CHECK_FAILS(summand_save(living, "index.smd", &error), SUMMAND_ERROR, of_folder);
    CHECK_FAILS(summand_to_bytes(living, &bytes, &count, &error), SUMMAND_ERROR, of_folder);
    CHECK_FAILS(summand_tune(living, &query, ids, 1, "recall@1=0.5", NULL, &error), SUMMAND_ERROR, of_folder);
    CHECK_FAILS(summand_open(folder, &with_vectors, &index, &error), SUMMAND_ERROR, "keeps its vectors");
    CHECK_FAILS(summand_open("index.smd", &writing, &index, &error), SUMMAND_ERROR, "expected a folder to write");
}

int main(int count, char** arguments) {
    float* values = some_vectors(kRows, 1);
    char folder[4096];
    CHECK(count == 2 && snprintf(folder, sizeof folder, "%s/misused", arguments[1]) < (int)sizeof folder);
    base = vectors_of(values, kRows);
    query = vectors_of(values, 1);
    CHECK_OK(summand_build(&base, "PQ2x4", NULL, &plain, &error));
    CHECK_OK(summand_create(folder, &base, "PQ2x4", NULL, &living, &error));
    null_pointers_are_told();
    wrong_sizes_of_structs_are_told();
    wrong_values_are_told();
    the_kind_of_an_index_is_told(folder);
    summand_close(plain);
    summand_close(living);
    free(values);
    return 0;
}
