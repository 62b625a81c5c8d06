#include "plugin_runtime/instances/readable_view.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/from_abi.hpp>
#include <capstan/sentence.hpp>

namespace capstan::plugin_runtime::instances {
namespace {

using capstan::detail::element;
using capstan::detail::misfit;
using capstan::detail::misfit_in;

static_assert(most_machines_of_group == capstan::detail::most_elements);

Result<void> check_machines(std::string_view what, std::optional<int> machines) {
    if (!machines || *machines <= most_machines_of_group) return {};
    return misfit(std::string(what) + " is " + std::to_string(*machines) + ", at most " +
                  std::to_string(most_machines_of_group) + " are allowed");
}

Result<void> check_number(std::string_view list, capstan_array array, std::uint32_t most) {
    if (array.count <= most) return {};
    return misfit(std::string(list) + " has " + std::to_string(array.count) +
                  " elements, at most " + std::to_string(most) + " are allowed");
}

Result<NodeGroup> sized_group_from_abi(const capstan_group& raw) {
    CAPSTAN_TRY(NodeGroup out, group_from_abi(raw));
    CAPSTAN_CHECK(check_machines("min", out.min));
    CAPSTAN_CHECK(check_machines("target", out.target));
    return out;
}

/// The id of an element with another mistake; absent: the id is invalid, too.
std::optional<std::string> find_id(capstan_str id) {
    if (capstan::detail::find_fault(id, capstan::detail::Text::required) != nullptr)
        return std::nullopt;
    return std::string(text(id));
}

std::optional<Duration> target_lag_of(const capstan_cloud_view& raw) {
    if (raw.target_lag_ms <= 0) return std::nullopt;
    return std::chrono::milliseconds(
        std::min(raw.target_lag_ms, capstan::detail::longest_advice_ms));
}

class ViewReader {
public:
    explicit ViewReader(const capstan_cloud_view& raw) : raw_(raw) {}

    Result<CloudView> read() && {
        CAPSTAN_CHECK(capstan::detail::check_size(raw_));
        CAPSTAN_CHECK(capstan::detail::check_array<capstan_group>("groups", raw_.groups));
        CAPSTAN_CHECK(capstan::detail::check_array<capstan_machine>("machines", raw_.machines));
        CAPSTAN_CHECK(capstan::detail::check_array<capstan_error>("unreadable", raw_.unreadable));
        CAPSTAN_CHECK(check_number("groups", raw_.groups, groups_of_cloud_max));
        CAPSTAN_CHECK(check_number("machines", raw_.machines, machines_of_cloud_max));
        out_.complete = raw_.complete != 0;
        out_.target_lag = target_lag_of(raw_);
        CAPSTAN_TRY(
            out_.lists_all_with_prefix,
            capstan::detail::text_from_abi("lists_all_with_prefix", raw_.lists_all_with_prefix));
        read_list<capstan_error>("unreadable", raw_.unreadable, capstan::detail::error_from_abi,
                                 &ViewReader::take_error, &ViewReader::mark_view);
        read_list<capstan_group>("groups", raw_.groups, sized_group_from_abi,
                                 &ViewReader::take_group, &ViewReader::mark_group);
        read_list<capstan_machine>("machines", raw_.machines, machine_from_abi,
                                   &ViewReader::take_machine, &ViewReader::mark_machine);
        find_repeated_machines();
        mark_short_groups();
        keep_groups_hidden();
        std::erase_if(out_.groups, [&](const NodeGroup& group) {
            return unreadable_ids_.contains(group.id.value());
        });
        return std::move(out_);
    }

private:
    /// `mark_unreadable` gets NULL where not even the size of an element is right.
    template <class Raw, class F, class Value>
    void read_list(std::string_view name, capstan_array array, F one_from_abi,
                   void (ViewReader::*take)(std::uint32_t, Value),
                   void (ViewReader::*mark_unreadable)(const Raw*, Error)) {
        const View<Raw> view(array);
        for (std::uint32_t i = 0; i < view.size(); ++i) {
            const Raw& raw = view[i];
            if (raw.struct_size > array.stride) {
                (this->*mark_unreadable)(
                    nullptr,
                    misfit(element(name, i) + ".struct_size is " + std::to_string(raw.struct_size) +
                           ", the stride is " + std::to_string(array.stride))
                        .value());
                continue;
            }
            auto value = one_from_abi(raw);
            if (value) {
                (this->*take)(i, *std::move(value));
                continue;
            }
            const bool has_size = capstan::detail::check_size(raw).has_value();
            (this->*mark_unreadable)(has_size ? &raw : nullptr,
                                     misfit_in(element(name, i), std::move(value).error()).value());
        }
    }

    void take_error(std::uint32_t, Error error) {
        unreadable_ids_.insert(error.subject);
        out_.unreadable.push_back(std::move(error));
    }
    void take_group(std::uint32_t index, NodeGroup group) {
        const std::string id = group.id.value();
        if (!groups_.insert(id).second)
            return mark_unreadable(id, repeated_id("groups", index, id));
        out_.groups.push_back(std::move(group));
    }
    void take_machine(std::uint32_t index, Machine machine) {
        out_.machines.push_back(std::move(machine));
        places_.push_back(index);
    }

    void mark_view(const capstan_error*, Error error) { mark_unreadable({}, std::move(error)); }
    void mark_group(const capstan_group* raw, Error error) {
        const auto id = raw != nullptr ? find_id(raw->id) : std::nullopt;
        mark_unreadable(id.value_or(std::string()), std::move(error));
    }
    void mark_machine(const capstan_machine* raw, Error error) {
        const auto group = raw != nullptr ? find_id(raw->group_id) : std::nullopt;
        if (group) return mark_unreadable(*group, std::move(error));
        if (!machine_without_group_) machine_without_group_ = std::move(error);
    }

    /// Only the first error of a group is kept.
    void mark_unreadable(const std::string& group, Error error) {
        out_.complete = false;
        if (!unreadable_ids_.insert(group).second) return;
        error.subject = group;
        out_.unreadable.push_back(std::move(error));
    }

    static Error repeated_id(std::string_view list, std::uint32_t index, const std::string& id) {
        return misfit(element(list, index) + ".id " + in_quotes(id) + " is listed twice").value();
    }

    /// The machine may belong to either group, so both are unreadable.
    void find_repeated_machines() {
        std::map<std::string_view, std::size_t> first;
        for (std::size_t m = 0; m < out_.machines.size(); ++m) {
            const auto [at, is_new] = first.try_emplace(out_.machines[m].id.value(), m);
            if (is_new) continue;
            const Error error = repeated_id("machines", places_[m], out_.machines[m].id.value());
            mark_unreadable(out_.machines[at->second].group.value(), error);
            mark_unreadable(out_.machines[m].group.value(), error);
        }
    }

    /// A machine without a group may be missing in each of these groups.
    void mark_short_groups() {
        if (!machine_without_group_) return;
        std::map<std::string_view, int> listed;
        for (const Machine& machine : out_.machines)
            if (machine.state != MachineState::deleting) ++listed[machine.group.value()];
        const std::size_t before = out_.unreadable.size();
        for (const NodeGroup& group : out_.groups)
            if (!group.target || *group.target > listed[group.id.value()])
                mark_unreadable(group.id.value(), *machine_without_group_);
        if (out_.unreadable.size() == before) out_.unreadable.push_back(*machine_without_group_);
    }

    /// A view that is not complete and names no missing group may lack any group. Groups that are
    /// unreadable for a mistake of their own are not the missing ones, so an error without a
    /// subject is added, which says that groups may be missing.
    void keep_groups_hidden() {
        const bool hides = raw_.complete == 0 && raw_.unreadable.count == 0;
        const bool names_all =
            std::ranges::none_of(out_.unreadable, [](const Error& e) { return e.subject.empty(); });
        if (!hides || out_.unreadable.empty() || !names_all) return;
        out_.unreadable.push_back(
            {.code = ErrorCode::unavailable, .message = "its cloud did not list all groups"});
    }

    const capstan_cloud_view& raw_;
    CloudView out_{};
    std::set<std::string> groups_{};                // the ids of the list
    std::set<std::string> unreadable_ids_{};        // empty: a group without a valid id
    std::vector<std::uint32_t> places_{};           // of machines in the list
    std::optional<Error> machine_without_group_{};  // its error
};

}  // namespace

Result<CloudView> readable_view_from_abi(const capstan_cloud_view& raw) {
    return ViewReader(raw).read();
}

namespace {

// A text that is equal to a checked one needs no check.
bool is_same(capstan_str raw, const std::string& known) {
    return (raw.ptr != nullptr || raw.len == 0) && text(raw) == known;
}
template <class Tag>
bool is_same(capstan_str raw, const Id<Tag>& known) {
    return is_same(raw, known.value());
}

bool is_same(const capstan_kv& raw, const std::pair<const std::string, std::string>& known) {
    return is_same(raw.key, known.first) && is_same(raw.value, known.second);
}

bool is_same(const capstan_group& raw, const NodeGroup& known);
bool is_same(const capstan_machine& raw, const Machine& known);

/// Whether the size of an element agrees with the stride of its list.
template <class T>
bool is_whole(const T& raw, std::uint32_t stride) {
    if constexpr (capstan::detail::Growing<T>)
        return raw.struct_size <= stride && capstan::detail::check_size(raw).has_value();
    return true;
}

template <class Raw, class Known>
bool is_same_list(capstan_array array, const Known& known) {
    if (array.count != known.size() || !capstan::detail::check_array<Raw>("", array)) return false;
    auto at = known.begin();
    for (const Raw& raw : View<Raw>(array)) {
        if (!is_whole(raw, array.stride) || !is_same(raw, *at)) return false;
        ++at;
    }
    return true;
}

/// For an optional struct behind a pointer, which has no text to copy.
template <class Raw, class Known, class F>
bool is_same_pointed(const Raw* raw, const std::optional<Known>& known, F from_abi) {
    if (raw == nullptr || !known) return raw == nullptr && !known;
    const Result<Known> value = from_abi(*raw);
    return value && *value == *known;
}

bool are_same_numbers(const capstan_group& raw, const NodeGroup& known) {
    const auto find = [&raw](std::uint64_t bit, auto value) {
        return (raw.present & bit) != 0 ? std::optional(value) : std::nullopt;
    };
    return find(CAPSTAN_GROUP_MIN, raw.min) == known.min &&
           find(CAPSTAN_GROUP_MAX, raw.max) == known.max &&
           find(CAPSTAN_GROUP_TARGET, raw.target) == known.target &&
           find(CAPSTAN_GROUP_HEALTH, raw.healthy != 0) == known.healthy &&
           find(CAPSTAN_GROUP_SPOT, raw.spot != 0) == known.spot &&
           find(CAPSTAN_GROUP_AUTOPROVISIONED, raw.autoprovisioned != 0).value_or(false) ==
               known.autoprovisioned;
}

bool is_same(const capstan_group& raw, const NodeGroup& known) {
    return are_same_numbers(raw, known) && is_same(raw.id, known.id) &&
           is_same(raw.health_reason, known.health_reason) && is_same(raw.debug, known.debug) &&
           is_same(raw.template_fingerprint, known.template_fingerprint) &&
           is_same_list<capstan_kv>(raw.tags, known.tags) &&
           is_same_list<capstan_str>(raw.zones, known.zones) &&
           is_same_pointed(raw.price, known.price, price_from_abi) &&
           is_same_pointed(raw.options, known.options, group_options_from_abi);
}

bool are_same_numbers(const capstan_machine& raw, const Machine& known) {
    const auto find = [&raw](std::uint64_t bit, auto value) {
        return (raw.present & bit) != 0 ? std::optional(value) : std::nullopt;
    };
    return capstan::detail::machine_state_from_abi(raw.state) == known.state &&
           find(CAPSTAN_MACHINE_LAUNCHED, time_from_unix_ns(raw.launched_unix_ns)) ==
               known.launched &&
           find(CAPSTAN_MACHINE_LEAVES, capstan::detail::leaving_from_abi(raw)) == known.leaves &&
           find(CAPSTAN_MACHINE_SPOT, raw.spot != 0) == known.spot &&
           find(CAPSTAN_MACHINE_PRICE, raw.price_per_hour) == known.price_per_hour;
}

bool is_same(const capstan_machine& raw, const Machine& known) {
    return raw.error == nullptr && !known.error && are_same_numbers(raw, known) &&
           is_same(raw.id, known.id) && is_same(raw.group_id, known.group) &&
           is_same(raw.machine_type, known.machine_type) && is_same(raw.zone, known.zone) &&
           is_same(raw.template_fingerprint, known.template_fingerprint) &&
           is_same(raw.node_name, known.node_name) &&
           is_same_list<capstan_str>(raw.addresses, known.addresses);
}

}  // namespace

bool is_unchanged(const capstan_cloud_view& raw, const CloudView& known) {
    return capstan::detail::check_size(raw) && raw.unreadable.count == 0 &&
           known.unreadable.empty() && (raw.complete != 0) == known.complete &&
           is_same(raw.lists_all_with_prefix, known.lists_all_with_prefix) &&
           target_lag_of(raw) == known.target_lag &&
           is_same_list<capstan_group>(raw.groups, known.groups) &&
           is_same_list<capstan_machine>(raw.machines, known.machines);
}

}  // namespace capstan::plugin_runtime::instances
