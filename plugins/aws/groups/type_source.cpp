#include "type_source.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>

namespace capstan::aws {
namespace {

constexpr Duration type_life = std::chrono::minutes(20);
constexpr Duration type_life_stale = std::chrono::hours(24);
/// Share of the lifetime that is subtracted at random, so that types read together are not all due
/// together.
constexpr double type_jitter = 0.5;
constexpr Duration type_pause = std::chrono::minutes(1);

}  // namespace

TypeSource::TypeSource(const Host& host, Ec2Api& api, bool asks_ec2)
    : host_(host), api_(api), asks_ec2_(asks_ec2), reading_(host), warnings_(host) {}

void TypeSource::want(const std::string& name) { wanted_.insert(name); }

bool TypeSource::is_due(const std::string& name) const {
    const auto at = entries_.find(name);
    return at == entries_.end() || host_.monotonic() >= at->second.due;
}

/// The due types among `names`; if there are any, all other due types as well.
std::vector<std::string> TypeSource::find_due(const std::vector<std::string>& names) const {
    std::set<std::string> out;
    if (!asks_ec2_ || host_.monotonic() < failed_until_) return {};
    for (const std::string& name : names)
        if (is_due(name)) out.insert(name);
    if (out.empty()) return {};
    for (const std::string& name : wanted_)
        if (is_due(name)) out.insert(name);
    return {out.begin(), out.end()};
}

Task<std::vector<InstanceType>> TypeSource::get(std::vector<std::string> names) {
    for (const std::string& name : names) want(name);
    // A call under way may have begun before these types were wanted.
    for (int i = 0; i < 2; ++i) {
        std::vector<std::string> due = find_due(names);
        if (due.empty()) break;
        co_await reading_.join(read(std::move(due)));
    }
    std::vector<InstanceType> out;
    std::vector<std::string> unknown;
    for (const std::string& name : names) {
        const InstanceType* const type = find(name);
        if (type != nullptr) {
            out.push_back(*type);
        } else {
            unknown.push_back(name);
        }
    }
    if (unknown.empty()) co_return out;
    const std::string all = listed(unknown, [](const std::string& name) { return name; });
    co_return fail(ErrorCode::not_found, "unknown instance types: " + all);
}

const InstanceType* TypeSource::find(const std::string& name) const {
    const auto at = entries_.find(name);
    if (at != entries_.end()) {
        const Entry& entry = at->second;
        if (entry.type && host_.monotonic() < entry.stale) return &*entry.type;
    }
    return table().find(name);
}

Task<bool> TypeSource::read(std::vector<std::string> names) {
    const auto answer = co_await as_result(api_.describe_instance_types(names));
    if (answer) {
        keep(names, *answer);
        warnings_.end("types");
    } else {
        failed_until_ = host_.monotonic() + type_pause;
        warn_of_table(answer.error());
    }
    co_return answer.has_value();
}

/// Stores an answer. A name without a type in the answer is unknown to EC2.
void TypeSource::keep(const std::vector<std::string>& names,
                      const std::vector<InstanceType>& answer) {
    const Duration now = host_.monotonic();
    const auto life = [&] {
        const double share = 1 - type_jitter * host_.random_share();
        return std::chrono::duration_cast<Duration>(type_life * share);
    };
    for (const InstanceType& type : answer) {
        const InstanceType* const before = find(type.name);
        if (before == nullptr || *before != type) ++version_;
    }
    for (const std::string& name : names) entries_[name] = Entry{.due = now + life()};
    for (const InstanceType& type : answer) {
        const Duration due = now + life();
        entries_[type.name] = Entry{.type = type, .due = due, .stale = due + type_life_stale};
    }
}

void TypeSource::warn_of_table(const Error& error) {
    warnings_.set("types", "cannot read instance types from EC2; using the table of " +
                               table().date() + ": " + error.message);
}

Task<bool> TypeSource::read_all() {
    if (!asks_ec2_ || host_.monotonic() < std::max(all_due_, failed_until_)) co_return true;
    const std::vector<std::string> all;
    if (co_await read(all)) all_due_ = host_.monotonic() + type_life;
    co_return true;
}

Task<std::shared_ptr<const TypeTable>> TypeSource::get_all() {
    co_await reading_.join(read_all());
    const bool is_of_ec2 = all_due_ > Duration::zero();
    if (all_ && all_version_ == version_ && all_is_of_ec2_ == is_of_ec2) co_return all_;
    all_version_ = version_;
    all_is_of_ec2_ = is_of_ec2;
    all_ = std::make_shared<const TypeTable>(is_of_ec2 ? make_table() : table());
    co_return all_;
}

/// The types that EC2 has answered, as a table dated today.
TypeTable TypeSource::make_table() const {
    std::vector<InstanceType> types;
    for (const auto& [name, entry] : entries_)
        if (entry.type && host_.monotonic() < entry.stale) types.push_back(*entry.type);
    return TypeTable::of(std::move(types), format_rfc3339(host_.now()).substr(0, 10));
}

}  // namespace capstan::aws
