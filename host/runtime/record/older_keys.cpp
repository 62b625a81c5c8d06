#include "runtime/record/older_keys.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace capstan::runtime::record {
namespace {

namespace json = boost::json;

/// Calls `f` for each value at `path`, such as "decision/increases/*", where `*` is each item of a
/// list or each member of an object. An absent path has no value.
template <class F>
void each_at(json::value& value, std::string_view path, const F& f) {
    if (path.empty()) return f(value);
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view step = path.substr(0, end);
    const std::string_view rest = path.substr(std::min(end + 1, path.size()));
    if (json::object* const object = value.if_object()) {
        if (step == "*") {
            for (auto& [key, member] : *object) each_at(member, rest, f);
        } else if (json::value* const member = object->if_contains(step)) {
            each_at(*member, rest, f);
        }
    } else if (json::array* const array = value.if_array(); array != nullptr && step == "*") {
        for (json::value& item : *array) each_at(item, rest, f);
    }
}

struct Renamed {
    std::string_view path, from, to;
};

void rename_keys(json::value& root, const Renamed& renamed) {
    each_at(root, renamed.path, [&](json::value& value) {
        json::object* const object = value.if_object();
        json::value* const member = object != nullptr ? object->if_contains(renamed.from) : nullptr;
        if (member == nullptr) return;
        json::value moved = std::move(*member);
        object->erase(renamed.from);
        object->insert_or_assign(renamed.to, std::move(moved));
    });
}

void rename_words(json::value& root, const Renamed& renamed) {
    each_at(root, renamed.path, [&](json::value& value) {
        const json::string* const word = value.if_string();
        if (word != nullptr && *word == renamed.from) value = json::string(renamed.to);
    });
}

// Keys inside an object are renamed before the object's own key.
constexpr std::array memory_keys{
    Renamed{"memory/known_groups/*", "some", "sample_nodes"},
    Renamed{"memory/answered_targets/*", "unheard", "unanswered"},
    Renamed{"memory/answered_targets/*", "unheard_until", "unanswered_until"},
    Renamed{"memory", "make_backoffs", "offering_backoffs"},
    Renamed{"memory", "cloud_rests", "cloud_backoffs"},
    Renamed{"memory", "groups_to_come", "upcoming_groups"},
    Renamed{"memory", "blind_since", "unobserved_since"},
    Renamed{"memory", "last_of", "last_by_group"}};

constexpr std::array record_keys{
    Renamed{"circumstances", "blind_because", "unobserved_because"},
    Renamed{"", "circumstances", "call_context"},
    Renamed{"", "known_misses", "skipped_hooks"},
    Renamed{"", "theories", "candidate_groups"},
    Renamed{"cluster/pods/*", "of", "pod_group"},
    Renamed{"cluster", "classes", "pod_groups"},
    Renamed{"outcome/decision/increases/*", "pods_helped", "schedulable_pods"},
    Renamed{"outcome/decision", "helped", "schedulable"},
    Renamed{"outcome/decision", "unhelped", "unschedulable"},
    Renamed{"outcome/decision", "none_made", "no_new_group_reason"}};

/// The paths of reasons, with the new keys.
constexpr std::array<std::string_view, 4> codes{
    "outcome/decision/unschedulable/*/reason/code",
    "outcome/decision/unschedulable/*/groups/*/reason/code",
    "outcome/decision/new_groups/*/dropped/code", "outcome/decision/no_new_group_reason/code"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> code_words{
    {{"being_made", "group_upcoming"},
     {"from_zero_off", "scale_from_zero_disabled"},
     {"not_made", "not_created"},
     {"would_take_it", "would_fit"}}};

}  // namespace

void rename_older_memory_keys(json::value& document) {
    for (const Renamed& renamed : memory_keys) rename_keys(document, renamed);
}

void rename_older_record_keys(json::value& document) {
    for (const Renamed& renamed : record_keys) rename_keys(document, renamed);
    for (const std::string_view path : codes)
        for (const auto& [from, to] : code_words) rename_words(document, {path, from, to});
    rename_older_memory_keys(document);
    each_at(document, "outcome", rename_older_memory_keys);
}

}  // namespace capstan::runtime::record
