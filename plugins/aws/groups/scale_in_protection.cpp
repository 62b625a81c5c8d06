#include "scale_in_protection.hpp"

#include <tuple>
#include <utility>

#include <capstan/json.hpp>
#include <capstan/sentence.hpp>

#include "lifecycle.hpp"
#include "recent_changes.hpp"

namespace capstan::aws {
namespace {

constexpr const char* state_key = "protected_instances";
constexpr Duration refusal_time = std::chrono::minutes(10);
/// From the change until AWS has terminated what it is going to terminate for it.
constexpr Duration hold_time = list_lag_max;

std::string why_unprotected(const Error& error) {
    return "cannot protect instances from scale-in while the desired capacity is lowered, so "
           "failed requests are cancelled later: " +
           error.message;
}

/// Whether AWS takes the change of the instance's protection.
bool is_there(const AutoScalingGroup& group, const std::string& id) {
    const AsgInstance* const instance = find_instance(group, id);
    return instance != nullptr &&
           read_lifecycle(instance->lifecycle_state).membership != Membership::leaving;
}

/// Whether AWS does not have the group any more, or this process may not change it any more.
bool is_final(const Error& error) {
    return error.code == ErrorCode::not_found || error.code == ErrorCode::invalid_argument ||
           error.code == ErrorCode::permission;
}

}  // namespace

/// `{"web": ["i-1", "i-2"]}`
Result<ScaleInProtection::Stored> ScaleInProtection::load() const {
    const Result<StoredValue> kept = read_state(host_, state_key);
    if (!kept && kept.error().code == ErrorCode::not_found) return Stored();
    if (!kept) return fail(kept.error());
    Stored out{.revision = kept->revision};
    CAPSTAN_TRY(const Json json, parse_json(kept->value));
    for (const auto& [group, ids] : json.members())
        for (const Json& id : ids.items()) out.held[group].insert(id.text());
    return out;
}

Result<void> ScaleInProtection::store(const Stored& stored) const {
    Json out = Json::object();
    for (const auto& [group, ids] : stored.held) {
        Json list = Json::array();
        for (const std::string& id : ids) list.append(id);
        out.set(group, std::move(list));
    }
    const auto written = write_state(host_, state_key, to_string(out), stored.revision);
    if (!written) return fail(written.error());
    return {};
}

Result<void> ScaleInProtection::add(const std::string& group,
                                    const std::vector<std::string>& instance_ids) {
    CAPSTAN_TRY(Stored stored, load());
    stored.held[group].insert(instance_ids.begin(), instance_ids.end());
    return store(stored);
}

Result<void> ScaleInProtection::drop(const std::string& group,
                                     const std::vector<std::string>& instance_ids) {
    CAPSTAN_TRY(Stored stored, load());
    for (const std::string& id : instance_ids) stored.held[group].erase(id);
    if (stored.held[group].empty()) stored.held.erase(group);
    return store(stored);
}

void ScaleInProtection::hold(const std::string& group) { held_since_[group] = host_.monotonic(); }

Task<bool> ScaleInProtection::protect(std::string group, std::vector<std::string> instance_ids) {
    if (instance_ids.empty()) co_return true;
    if (refused_at_ && host_.monotonic() - *refused_at_ < refusal_time) co_return false;
    if (const auto added = add(group, instance_ids); !added) {
        warnings_.set(group, why_unprotected(added.error()));
        co_return false;
    }
    const auto done = co_await as_result(api_.set_instance_protection(group, instance_ids, true));
    if (done) {
        warnings_.end(group);
        co_return true;
    }
    if (done.error().code != ErrorCode::permission) throw Failure(done.error());
    refused_at_ = host_.monotonic();
    warnings_.set(group, why_unprotected(done.error()));
    std::ignore = drop(group, instance_ids);
    co_return false;
}

bool ScaleInProtection::was_ended_lately(const std::string& group) const {
    const auto at = ended_at_.find(group);
    return at != ended_at_.end() && host_.monotonic() - at->second < list_lag_max;
}

std::vector<std::string> ScaleInProtection::find_due() {
    const Result<Stored> stored = load();
    if (!stored) return {};
    std::vector<std::string> out;
    for (const auto& [group, ids] : stored->held) {
        const Duration since = held_since_.try_emplace(group, host_.monotonic()).first->second;
        if (host_.monotonic() - since >= hold_time) out.push_back(group);
    }
    return out;
}

Task<void> ScaleInProtection::end(std::string name, std::optional<AutoScalingGroup> group) {
    hold(name);
    const Result<Stored> stored = load();
    if (!stored || !stored->held.contains(name)) co_return;
    std::vector<std::string> all, there;
    for (const std::string& id : stored->held.at(name)) {
        all.push_back(id);
        if (!group || is_there(*group, id)) there.push_back(id);
    }
    Result<void> done;
    if (!there.empty()) done = co_await as_result(api_.set_instance_protection(name, there, false));
    if (!done && (group || !is_final(done.error()))) {
        warnings_.set(name, "cannot end the scale-in protection of " +
                                counted(std::ssize(there), "instance") + " of group " +
                                in_quotes(name) + ": " + done.error().message);
        co_return;
    }
    warnings_.end(name);
    ended_at_[name] = host_.monotonic();
    if (drop(name, all)) held_since_.erase(name);
}

}  // namespace capstan::aws
