/* use_test FOLDER: every function of summand.h does what the C++ one does; vectors that are compared one by one are the
 * oracle. The folder is a new one. */
#include "check.h"

static float distance(const float* a, const float* b) {
    float sum = 0;
    for (size_t d = 0; d < kColumns; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

/* The k nearest of the vectors that are there (null: all), the smaller id first among equals. */
static void nearest(const float* base, const unsigned char* there, size_t rows, const float* query, size_t k,
                    int64_t* ids, float* scores) {
    size_t found = 0;
    for (size_t row = 0; row < rows; ++row) {
        const float score = distance(base + row * kColumns, query);
        size_t place = found;
        if (there && !there[row]) continue;
        if (found == k && score >= scores[k - 1]) continue;
        if (found == k) --place;
        for (; place > 0 && scores[place - 1] > score; --place) {
            scores[place] = scores[place - 1];
            ids[place] = ids[place - 1];
        }
        scores[place] = score;
        ids[place] = (int64_t)row;
        if (found < k) ++found;
    }
}

/* The index, which scores every vector again, finds what comparing all finds. */
static void check_finds_all(const summand_index* index, const float* base, const unsigned char* there, size_t rows) {
    float* values = some_vectors(kQueries, 99);
    const summand_vectors queries = vectors_of(values, kQueries);
    summand_search_options options = {sizeof options, 0, 0, 0, kRows * 2, NULL, NULL};
    int64_t ids[kQueries * kNearest], expected_ids[kNearest];
    float scores[kQueries * kNearest], expected_scores[kNearest];
    summand_error* error;
    CHECK_OK(summand_search(index, &queries, kNearest, &options, ids, scores, &error));
    for (size_t q = 0; q < kQueries; ++q) {
        nearest(base, there, rows, values + q * kColumns, kNearest, expected_ids, expected_scores);
        CHECK(memcmp(ids + q * kNearest, expected_ids, sizeof expected_ids) == 0);
        CHECK(memcmp(scores + q * kNearest, expected_scores, sizeof expected_scores) == 0);
    }
    free(values);
}

static const char* folder;

static const char* in_folder(const char* name) {
    static char path[4096];
    CHECK(snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path);
    return path;
}

static int count_steps(const summand_progress* progress, void* context) {
    CHECK(progress->size == sizeof *progress && progress->stage[0] != '\0' && progress->step <= progress->steps);
    ++*(int*)context;
    return 0;
}

static int stop(const summand_progress* progress, void* context) {
    (void)progress;
    ++*(int*)context;
    return 1;
}

static void an_index_is_built_searched_and_saved(void) {
    float* values = some_vectors(kRows, 1);
    const summand_vectors base = vectors_of(values, kRows);
    int steps = 0;
    const summand_execution execution = {sizeof execution, 2, count_steps, &steps};
    summand_build_options options = {sizeof options, NULL, NULL, 0, 3, 0, NULL, NULL, NULL, &execution};
    summand_index *index, *copy, *again;
    summand_error* error;
    size_t count;
    void *bytes, *other;
    char* text;
    CHECK_OK(summand_build(&base, "PQ2x4,Refine(fp32)", &options, &index, &error));
    CHECK(steps > 0);
    CHECK_OK(summand_size(index, &count, &error));
    CHECK(count == kRows);
    CHECK_OK(summand_dimensions(index, &count, &error));
    CHECK(count == kColumns);
    check_finds_all(index, values, NULL, kRows);
    CHECK_OK(summand_info(index, &text, &error));
    CHECK(strstr(text, "\"vectors\":400") != NULL && strstr(text, "\"method\":\"PQ\"") != NULL);
    summand_free(text);

    CHECK_OK(summand_to_bytes(index, &bytes, &count, &error));
    CHECK_OK(summand_from_bytes(bytes, count, &copy, &error));
    check_finds_all(copy, values, NULL, kRows);
    summand_close(copy);

    CHECK_OK(summand_save(index, in_folder("index.smd"), &error));
    CHECK_OK(summand_verify(in_folder("index.smd"), &text, &error));
    CHECK(text[0] == '\0');
    summand_free(text);
    CHECK_OK(summand_open(in_folder("index.smd"), NULL, &copy, &error));
    check_finds_all(copy, values, NULL, kRows);
    summand_close(copy);

    CHECK_OK(summand_build(&base, "PQ2x4,Refine(fp32)", &options, &again, &error)); /* the same seed */
    CHECK_OK(summand_to_bytes(again, &other, &count, &error));
    CHECK(memcmp(bytes, other, count) == 0);
    summand_free(bytes);
    summand_free(other);
    summand_close(again);
    summand_close(index);
    free(values);
}

static void files_are_built_from_and_damage_is_told(void) {
    float* values = some_vectors(kRows, 1);
    const int32_t columns = kColumns;
    FILE* file = fopen(in_folder("base.fvecs"), "wb");
    summand_vectors vectors = {sizeof vectors, NULL, 0, 0, NULL};
    char base[4096];
    summand_index* index;
    summand_error* error;
    char* text;
    CHECK(file != NULL);
    for (size_t row = 0; row < kRows; ++row)
        CHECK(fwrite(&columns, sizeof columns, 1, file) == 1 &&
              fwrite(values + row * kColumns, sizeof *values, kColumns, file) == kColumns);
    CHECK(fclose(file) == 0);
    vectors.file = strcpy(base, in_folder("base.fvecs"));
    CHECK_OK(summand_build(&vectors, "PQ2x4,Refine(flat)", NULL, &index, &error));
    check_finds_all(index, values, NULL, kRows);
    CHECK_OK(summand_save(index, in_folder("flat.smd"), &error));
    summand_close(index);

    file = fopen(in_folder("flat.smd"), "r+b");
    CHECK(file != NULL && fseek(file, 200, SEEK_SET) == 0 && fputc('!', file) == '!' && fclose(file) == 0);
    CHECK_OK(summand_verify(in_folder("flat.smd"), &text, &error));
    CHECK(strstr(text, "checksum") != NULL && text[strlen(text) - 1] == '\n');
    summand_free(text);
    CHECK_FAILS(summand_open(in_folder("flat.smd"), NULL, &index, &error), SUMMAND_ERROR, "flat.smd");
    free(values);
}

static void a_progress_function_stops_work(void) {
    float* values = some_vectors(kRows, 1);
    const summand_vectors base = vectors_of(values, kRows);
    int asked = 0;
    const summand_execution execution = {sizeof execution, 0, stop, &asked};
    const summand_build_options options = {sizeof options, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, &execution};
    summand_index* index = NULL;
    summand_error* error;
    CHECK_FAILS(summand_build(&base, "PQ2x4", &options, &index, &error), SUMMAND_CANCELLED, "cancelled");
    CHECK(index == NULL && asked > 0);
    CHECK(summand_build(&base, "PQ2x4", &options, &index, NULL) == SUMMAND_CANCELLED);
    free(values);
}

static void searches_take_filters_a_radius_and_fewer_vectors_than_k(void) {
    float *values = some_vectors(kRows, 1), *asked = some_vectors(1, 99);
    const summand_vectors base = vectors_of(values, kRows), query = vectors_of(asked, 1);
    const int64_t numbers[] = {7, 3, 250};
    const summand_ids few = {sizeof few, numbers, 3, NULL};
    summand_search_options options = {sizeof options, 0, 0, 0, kRows, NULL, NULL};
    int64_t ids[5];
    float scores[5];
    summand_filter* filter;
    summand_answers* found;
    summand_index* index;
    summand_error* error;
    CHECK_OK(summand_build(&base, "PQ2x4,Refine(fp32)", NULL, &index, &error));
    CHECK_OK(summand_filter_ids(&few, &filter, &error));
    options.filter = filter;
    CHECK_OK(summand_search(index, &query, 5, &options, ids, NULL, &error));
    CHECK(ids[0] + ids[1] + ids[2] == 260 && ids[3] == -1 && ids[4] == -1);
    CHECK_OK(summand_search(index, &query, 5, &options, ids, scores, &error));
    CHECK(scores[2] < scores[3] && scores[0] == distance(asked, values + ids[0] * kColumns));
    summand_filter_free(filter);

    const uint16_t bitmap[] = {12346, 0, 1, 0, 0, 1, 16, 0, 3, 250}; /* of 3 and 250, where bytes are little-endian */
    CHECK_OK(summand_filter_roaring(bitmap, sizeof bitmap, 32, &filter, &error));
    options.filter = filter;
    CHECK_OK(summand_search(index, &query, 5, &options, ids, NULL, &error));
    CHECK(ids[0] + ids[1] == 253 && ids[2] == -1);
    summand_filter_free(filter);

    CHECK_OK(summand_filter_ranges("10-19,30-", &filter, &error));
    options.filter = filter;
    CHECK_OK(summand_search_range(index, &query, 60000, &options, &found, &error));
    CHECK(found->queries == 1 && found->begin[0] == 0);
    size_t within = 0;
    for (size_t row = 0; row < kRows; ++row)
        within += distance(asked, values + row * kColumns) < 60000 && ((row >= 10 && row < 20) || row >= 30);
    CHECK(within > 5 && found->begin[1] == within);
    for (size_t i = 0; i < within; ++i)
        CHECK(found->scores[i] == distance(asked, values + found->ids[i] * kColumns) &&
              (i == 0 || found->scores[i - 1] <= found->scores[i]));
    summand_answers_free(found);
    summand_filter_free(filter);

    options.filter = NULL;
    options.refine = SUMMAND_NO_REFINE;
    CHECK_OK(summand_search(index, &query, 5, &options, ids, scores, &error));
    CHECK(scores[0] != distance(asked, values + ids[0] * kColumns)); /* that of the code */
    summand_close(index);
    free(values);
    free(asked);
}

static void exact_neighbors_are_the_truth_to_tune_for(void) {
    float *values = some_vectors(kRows, 1), *asked = some_vectors(kQueries, 5);
    const summand_vectors base = vectors_of(values, kRows), queries = vectors_of(asked, kQueries);
    int64_t truth[kQueries * kNearest], ids[kNearest], few[kRows + 1];
    float scores[kQueries * kNearest], expected[kNearest];
    summand_index* index;
    summand_error* error;
    char* text;
    CHECK_OK(summand_exact_neighbors(&base, &queries, kNearest, NULL, NULL, truth, scores, &error));
    for (size_t q = 0; q < kQueries; ++q) {
        nearest(values, NULL, kRows, asked + q * kColumns, kNearest, ids, expected);
        CHECK(memcmp(truth + q * kNearest, ids, sizeof ids) == 0);
        CHECK(memcmp(scores + q * kNearest, expected, sizeof expected) == 0);
    }
    const summand_vectors one = vectors_of(asked, 1);
    CHECK_OK(summand_exact_neighbors(&base, &one, kRows + 1, "ip", NULL, few, NULL, &error));
    CHECK(few[kRows] == -1 && few[kRows - 1] != -1);

    CHECK_OK(summand_build(&base, "IVF8,PQ2x4,Refine(fp32)", NULL, &index, &error));
    CHECK_FAILS(summand_tune(index, &queries, truth, kNearest, "recall@20=0.5", NULL, &error), SUMMAND_ERROR, "20");
    CHECK_OK(summand_tune(index, &queries, truth, kNearest, "recall@10=0.9", NULL, &error));
    CHECK_OK(summand_info(index, &text, &error));
    CHECK(strstr(text, "\"search\":{\"") != NULL);
    summand_free(text);
    summand_close(index);

    CHECK_OK(summand_build(&base, "PQ1x1", NULL, &index, &error));
    CHECK_FAILS(summand_tune(index, &queries, truth, kNearest, "recall@10=0.99", NULL, &error), SUMMAND_ERROR,
                "cannot reach recall@10=0.99");
    summand_close(index);
    free(values);
    free(asked);
}

static void check_contents(const summand_index* index, const float* base, const unsigned char* there) {
    size_t live = 0, size;
    summand_error* error;
    for (size_t row = 0; row < 2 * kRows; ++row) live += there[row];
    CHECK_OK(summand_size(index, &size, &error));
    CHECK(size == live);
    check_finds_all(index, base, there, 2 * kRows);
}

static void a_folder_is_changed_by_a_writer_and_followed_by_a_reader(void) {
    float *values = some_vectors(2 * kRows, 1), *other = some_vectors(2, 77);
    const summand_vectors learn = vectors_of(values, kRows), late = vectors_of(values + kRows * kColumns, kRows);
    const summand_vectors two = vectors_of(other, 2);
    const summand_open_options writing = {sizeof writing, 1, NULL};
    const int64_t numbers[] = {5, 401}, missing[] = {5, 6};
    const summand_ids changed = {sizeof changed, numbers, 2, NULL}, gone = {sizeof gone, missing, 2, NULL};
    unsigned char there[2 * kRows], asked[2];
    int64_t first = -1, ids[kRows];
    summand_ids of_late = {sizeof of_late, ids, kRows, NULL};
    summand_index *index, *reader;
    summand_filter* filter;
    summand_error* error;
    size_t removed;
    int news;
    char* text;
    memset(there, 0, sizeof there);
    CHECK_OK(summand_create(in_folder("living"), &learn, "PQ2x4,Refine(fp32)", NULL, &index, &error));
    CHECK_OK(summand_open(in_folder("living"), NULL, &reader, &error));
    CHECK_OK(summand_add(index, &learn, NULL, SUMMAND_REFUSE, NULL, &first, &error));
    CHECK(first == 0);
    memset(there, 1, kRows);
    check_contents(index, values, there);
    CHECK_OK(summand_refresh(reader, &news, &error));
    CHECK(news == 1);
    check_contents(reader, values, there);
    CHECK_OK(summand_refresh(reader, &news, &error));
    CHECK(news == 0);

    for (size_t i = 0; i < kRows; ++i) ids[i] = kRows + (int64_t)i;
    CHECK_OK(summand_add(index, &late, &of_late, SUMMAND_REFUSE, NULL, NULL, &error));
    memset(there, 1, sizeof there);
    CHECK_FAILS(summand_add(index, &late, &of_late, SUMMAND_REFUSE, NULL, NULL, &error), SUMMAND_ERROR,
                "the id 400 is in the index already");
    CHECK_OK(summand_add(index, &late, &of_late, SUMMAND_REPLACE, NULL, NULL, &error));
    CHECK_OK(summand_update(index, &two, &changed, NULL, &error));
    memcpy(values + 5 * kColumns, other, kColumns * sizeof *values);
    memcpy(values + 401 * kColumns, other + kColumns, kColumns * sizeof *values);
    check_contents(index, values, there);

    CHECK_OK(summand_remove(index, &gone, &removed, &error));
    CHECK(removed == 2);
    CHECK_OK(summand_remove(index, &gone, &removed, &error));
    CHECK(removed == 0);
    CHECK_FAILS(summand_update(index, &two, &gone, NULL, &error), SUMMAND_ERROR, "the id 5 is not in the index");
    CHECK_OK(summand_contains(index, &changed, asked, &error));
    CHECK(asked[0] == 0 && asked[1] == 1);
    there[5] = there[6] = 0;
    CHECK_OK(summand_filter_ranges("100-299", &filter, &error));
    CHECK_OK(summand_remove_kept(index, filter, &removed, &error));
    CHECK(removed == 200);
    summand_filter_free(filter);
    memset(there + 100, 0, 200);
    check_contents(index, values, there);

    CHECK_OK(summand_set_commit_every(index, 0, &error));
    CHECK_OK(summand_remove(index, &changed, NULL, &error));
    CHECK_OK(summand_refresh(reader, NULL, &error));
    CHECK_OK(summand_contains(reader, &changed, asked, &error));
    CHECK(asked[1] == 1); /* until the writer commits */
    CHECK_OK(summand_commit(index, &error));
    CHECK_OK(summand_refresh(reader, NULL, &error));
    there[401] = 0;
    check_contents(reader, values, there);
    CHECK_OK(summand_compact(index, SUMMAND_TIERS, NULL, &error));
    CHECK_OK(summand_compact(index, SUMMAND_ALL, NULL, &error));
    check_contents(index, values, there);
    CHECK_OK(summand_info(index, &text, &error));
    CHECK(strstr(text, "\"removed\":0") != NULL && strstr(text, "\"segments\":[{\"number\"") != NULL);
    summand_free(text);
    CHECK_OK(summand_health(index, NULL, &text, &error));
    CHECK(strstr(text, "\"recall_at_10\":") != NULL && strstr(text, "\"retrain\":false") != NULL);
    summand_free(text);

    CHECK_FAILS(summand_open(in_folder("living"), &writing, &reader, &error), SUMMAND_ERROR, "one writer at a time");
    CHECK_FAILS(summand_remove(reader, &changed, NULL, &error), SUMMAND_ERROR, "was opened for reading");
    summand_close(index);
    CHECK_OK(summand_open(in_folder("living"), &writing, &index, &error));
    check_contents(index, values, there);
    summand_close(index);
    summand_close(reader);
    CHECK_OK(summand_verify(in_folder("living"), &text, &error));
    CHECK(text[0] == '\0');
    summand_free(text);
    free(values);
    free(other);
}

static void ids_may_be_texts(void) {
    float* values = some_vectors(4, 1);
    const summand_vectors vectors = vectors_of(values, 4), query = vectors_of(values, 1);
    const char* const texts[] = {"a", "\xc3\xa4 b", "c", "d"};
    const char* const some[] = {"c", "nobody"};
    const summand_ids all = {sizeof all, NULL, 4, texts}, two = {sizeof two, NULL, 2, some};
    summand_search_options options = {sizeof options, 0, 0, 0, 4, NULL, NULL};
    int64_t ids[5];
    unsigned char there[2];
    const char** names;
    summand_filter* filter;
    summand_index* index;
    summand_error* error;
    size_t removed;
    CHECK_OK(summand_create(in_folder("texts"), &vectors, "PQ1x1,Refine(fp32)", NULL, &index, &error));
    CHECK_OK(summand_add(index, &vectors, &all, SUMMAND_REFUSE, NULL, NULL, &error));
    CHECK_FAILS(summand_add(index, &vectors, &all, SUMMAND_REFUSE, NULL, NULL, &error), SUMMAND_ERROR, "the id 'a' is");
    CHECK_OK(summand_update(index, &vectors, &all, NULL, &error));
    CHECK_OK(summand_search(index, &query, 5, &options, ids, NULL, &error));
    CHECK_OK(summand_names(index, ids, 5, &names, &error));
    CHECK(strcmp(names[0], "a") == 0 && strcmp(names[4], "") == 0 && ids[4] == -1);
    for (size_t i = 0; i < 4; ++i) CHECK(strcmp(names[i], texts[ids[i]]) == 0);
    summand_free((void*)names);
    CHECK_OK(summand_filter_names(index, &two, &filter, &error));
    options.filter = filter;
    CHECK_OK(summand_search(index, &query, 2, &options, ids, NULL, &error));
    CHECK(ids[0] == 2 && ids[1] == -1);
    summand_filter_free(filter);
    CHECK_OK(summand_contains(index, &two, there, &error));
    CHECK(there[0] == 1 && there[1] == 0);
    CHECK_OK(summand_remove(index, &two, &removed, &error));
    CHECK(removed == 1);
    CHECK_OK(summand_names(index, NULL, 0, &names, &error));
    summand_free((void*)names);
    summand_close(index);
    free(values);
}

int main(int count, char** arguments) {
    CHECK(count == 2);
    folder = arguments[1];
    an_index_is_built_searched_and_saved();
    files_are_built_from_and_damage_is_told();
    a_progress_function_stops_work();
    searches_take_filters_a_radius_and_fewer_vectors_than_k();
    exact_neighbors_are_the_truth_to_tune_for();
    a_folder_is_changed_by_a_writer_and_followed_by_a_reader();
    ids_may_be_texts();
    return 0;
}
