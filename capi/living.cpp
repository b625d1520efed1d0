// An index in a folder: what changes it.
#include "arguments.h"
#include "handle.h"
#include "summand/describe.h"

using namespace summand;
using namespace summand::capi;

summand_status summand_add(summand_index* index, const summand_vectors* vectors, const summand_ids* ids,
                           summand_duplicates duplicates, const summand_execution* execution, int64_t* first_id,
                           summand_error** error) {
    return call(error, [&] {
        LivingIndex& changed = living(index, "summand_add");
        const VectorSource added = source_of(vectors, "summand_add", "vectors");
        require(duplicates == SUMMAND_REFUSE || duplicates == SUMMAND_REPLACE,
                "summand_add: expected SUMMAND_REFUSE or SUMMAND_REPLACE, got ", static_cast<int>(duplicates));
        const Running running(execution, "summand_add");
        if (ids) {
            const auto how = duplicates == SUMMAND_REPLACE ? Duplicates::replace : Duplicates::refuse;
            return with_ids(ids, "summand_add",
                            [&](auto given) { changed.add(added, given, how, running.execution()); });
        }
        const std::int64_t first = changed.add(added, running.execution());
        if (first_id) *first_id = first;
    });
}

summand_status summand_update(summand_index* index, const summand_vectors* vectors, const summand_ids* ids,
                              const summand_execution* execution, summand_error** error) {
    return call(error, [&] {
        LivingIndex& changed = living(index, "summand_update");
        const VectorSource given = source_of(vectors, "summand_update", "vectors");
        const Running running(execution, "summand_update");
        with_ids(ids, "summand_update", [&](auto which) { changed.update(given, which, running.execution()); });
    });
}

summand_status summand_remove(summand_index* index, const summand_ids* ids, size_t* removed, summand_error** error) {
    return call(error, [&] {
        LivingIndex& changed = living(index, "summand_remove");
        const std::size_t gone = with_ids(ids, "summand_remove", [&](auto which) { return changed.remove(which); });
        if (removed) *removed = gone;
    });
}

summand_status summand_remove_kept(summand_index* index, const summand_filter* filter, size_t* removed,
                                   summand_error** error) {
    return call(error, [&] {
        const IdFilter& ids = required(filter, "summand_remove_kept", "a filter").ids;
        const std::size_t gone = living(index, "summand_remove_kept").remove(ids);
        if (removed) *removed = gone;
    });
}

summand_status summand_contains(const summand_index* index, const summand_ids* ids, unsigned char* there,
                                summand_error** error) {
    return call(error, [&] {
        const LivingIndex& asked = living(index, "summand_contains");
        required(there, "summand_contains", "there");
        with_ids(ids, "summand_contains", [&](auto which) {
            for (std::size_t i = 0; i < which.size(); ++i) there[i] = asked.contains(which[i]) ? 1 : 0;
        });
    });
}

// The texts stand behind the pointers to them.
summand_status summand_names(const summand_index* index, const int64_t* ids, size_t count, const char*** names,
                             summand_error** error) {
    return call(error, [&] {
        const LivingIndex& asked = living(index, "summand_names");
        required(names, "summand_names", "names");
        require(ids != nullptr || count == 0, "summand_names: expected ", count, " ids, got a null pointer");
        const std::vector<std::string> found = asked.names({ids, count});
        std::string block(count * sizeof(char*), '\0');
        for (const std::string& name : found) block.append(name.c_str(), name.size() + 1);
        char* memory = allocated(block);
        const char** pointers = reinterpret_cast<const char**>(memory);
        const char* text = memory + count * sizeof(char*);
        for (std::size_t i = 0; i < count; text += found[i++].size() + 1) pointers[i] = text;
        *names = pointers;
    });
}

summand_status summand_set_commit_every(summand_index* index, size_t changes, summand_error** error) {
    return call(error, [&] { living(index, "summand_set_commit_every").set_commit_every(changes); });
}

summand_status summand_commit(summand_index* index, summand_error** error) {
    return call(error, [&] { living(index, "summand_commit").commit(); });
}

summand_status summand_compact(summand_index* index, summand_compaction what, const summand_execution* execution,
                               summand_error** error) {
    return call(error, [&] {
        LivingIndex& changed = living(index, "summand_compact");
        require(what == SUMMAND_ALL || what == SUMMAND_TIERS,
                "summand_compact: expected SUMMAND_ALL or SUMMAND_TIERS, got ", static_cast<int>(what));
        const Running running(execution, "summand_compact");
        changed.compact(what == SUMMAND_ALL ? Compaction::all : Compaction::tiers, running.execution());
    });
}

summand_status summand_refresh(const summand_index* index, int* changed, summand_error** error) {
    return call(error, [&] {
        const bool news = living(index, "summand_refresh").refresh();
        if (changed) *changed = news ? 1 : 0;
    });
}

summand_status summand_health(const summand_index* index, const summand_execution* execution, char** json,
                              summand_error** error) {
    return call(error, [&] {
        required(json, "summand_health", "json");
        const Running running(execution, "summand_health");
        *json = allocated(describe(living(index, "summand_health").health(running.execution())));
    });
}
