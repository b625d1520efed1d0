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
            return changed.add(added, ids_of(ids, "summand_add"), how, running.execution());
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
        changed.update(given, ids_of(ids, "summand_update"), running.execution());
    });
}

summand_status summand_remove(summand_index* index, const summand_ids* ids, size_t* removed, summand_error** error) {
    return call(error, [&] {
        const std::size_t gone = living(index, "summand_remove").remove(ids_of(ids, "summand_remove"));
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
        const auto numbers = ids_of(ids, "summand_contains");
        required(there, "summand_contains", "there");
        for (std::size_t i = 0; i < numbers.size(); ++i) there[i] = asked.contains(numbers[i]) ? 1 : 0;
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
