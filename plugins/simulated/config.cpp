#include "config.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <capstan/ascii.hpp>

#include "machine.hpp"
#include "nodes.hpp"

namespace capstan::simulated {
namespace {

std::optional<int> find_count(const Settings& table, std::string_view key) {
    if (!table.has(key)) return std::nullopt;
    return static_cast<int>(table.integer(key));
}

template <class T, class Read>
void read_if_there(const Settings& table, std::string_view key, Read read, std::optional<T>& out) {
    if (table.has(key)) out = (table.*read)(key);
}

Shortage read_shortage(const std::string& name) {
    if (name == "refuse") return Shortage::refuse;
    return name == "silent" ? Shortage::silent : Shortage::report;
}

ErrorCode read_code(std::string_view name) {
    for (capstan_status status = CAPSTAN_E_UNSUPPORTED; status <= CAPSTAN_E_BUSY; ++status) {
        if (name_of(error_code(status)) == name) return error_code(status);
    }
    return ErrorCode::unavailable;
}

std::optional<Error> find_failure(const Settings& table, std::string_view key = "fail") {
    if (!table.has(key)) return std::nullopt;
    const Settings failure = table.table(key);
    return Error{read_code(failure.text("code")),
                 failure.has("message") ? failure.text("message") : "simulated failure"};
}

int count_of(const Settings& table, std::string_view key) {
    return static_cast<int>(table.integer(key));
}

std::vector<int> numbers_of(const Settings& change) {
    if (!change.has("machines")) return {};
    std::vector<int> out;
    for (const std::int64_t number : change.integers("machines"))
        out.push_back(static_cast<int>(number));
    return out;
}

LeaveReason read_reason(std::string_view name) {
    for (std::int32_t value = CAPSTAN_LEAVES_OTHER; value <= CAPSTAN_LEAVES_UNHEALTHY; ++value) {
        if (name_of(static_cast<LeaveReason>(value)) == name)
            return static_cast<LeaveReason>(value);
    }
    return LeaveReason::other;
}

std::optional<Announcement> find_notice(const Settings& change) {
    if (!change.has("notice")) return std::nullopt;
    const Settings notice = change.table("notice");
    Announcement out;
    if (notice.has("reason")) out.reason = read_reason(notice.text("reason"));
    read_if_there(notice, "after", &Settings::duration, out.after);
    return out;
}

Change read_change(const Settings& change) {
    return {.at = change.duration("at"),
            .capacity = find_count(change, "capacity"),
            .unlimited = change.boolean("unlimited"),
            .failure = find_failure(change),
            .removal_failure = find_failure(change, "fail_removals"),
            .machine_error = find_failure(change, "error"),
            .recover = change.boolean("recover"),
            .target = find_count(change, "target"),
            .lose = count_of(change, "lose"),
            .take = count_of(change, "take"),
            .notice = find_notice(change),
            .withdraw = change.boolean("withdraw"),
            .machines = numbers_of(change),
            .run = count_of(change, "run"),
            .add = count_of(change, "add")};
}

/// Changes with the same time stay in the order of the file.
std::vector<Change> read_changes(const Settings& group) {
    std::vector<Change> out;
    for (const Settings& change : group.tables("changes")) {
        Change read = read_change(change);
        const auto at = std::ranges::upper_bound(out, read.at, {}, &Change::at);
        out.insert(at, std::move(read));
    }
    return out;
}

GroupOptions read_options(const Settings& options) {
    GroupOptions out;
    read_if_there(options, "utilization_threshold", &Settings::number, out.utilization_threshold);
    read_if_there(options, "gpu_utilization_threshold", &Settings::number,
                  out.gpu_utilization_threshold);
    read_if_there(options, "unneeded_time", &Settings::duration, out.unneeded_time);
    read_if_there(options, "unready_time", &Settings::duration, out.unready_time);
    read_if_there(options, "device_settling_time", &Settings::duration, out.device_settling_time);
    read_if_there(options, "settling_time", &Settings::duration, out.settling_time);
    read_if_there(options, "max_node_provision_time", &Settings::duration,
                  out.max_node_provision_time);
    read_if_there(options, "drain_timeout", &Settings::duration, out.drain_timeout);
    read_if_there(options, "zero_or_max", &Settings::boolean, out.zero_or_max);
    read_if_there(options, "ignore_daemonsets_utilization", &Settings::boolean,
                  out.ignore_daemonsets_utilization);
    return out;
}

int size_of(const Settings& group) {
    return static_cast<int>(group.integer(group.has("size") ? "size" : "min"));
}

GroupConfig read_group(const Settings& group, const Settings& cloud) {
    const Location location{.zone = group.has("zone") ? group.text("zone") : std::string(),
                            .region = cloud.text("region"),
                            .spot = group.boolean("spot")};
    GroupConfig out{.id = NodeGroupId(group.text("id")),
                    .min = static_cast<int>(group.integer("min")),
                    .max = find_count(group, "max"),
                    .size = size_of(group),
                    .node = read_node(group.table("machine"), group.text("id"), location),
                    .types = read_types(group.table("machine")),
                    .boot = group.duration("boot"),
                    .delete_time = group.duration("delete_time"),
                    .refresh_every = cloud.duration("refresh_every"),
                    .capacity = find_count(group, "capacity"),
                    .on_exhausted = read_shortage(group.text("on_exhausted")),
                    .error_after = group.duration("error_after"),
                    .failure = find_failure(group),
                    .options = read_options(group.table("options")),
                    .addresses = group.has("addresses") ? group.text("addresses") : std::string(),
                    .changes = read_changes(group)};
    if (group.has("price_per_hour")) {
        out.price =
            Price{.per_hour = group.number("price_per_hour"), .currency = cloud.text("currency")};
    }
    out.spot = location.spot;
    return out;
}

std::optional<Price> read_price(const Settings& type, std::string_view key, const Settings& cloud) {
    if (!type.has(key)) return std::nullopt;
    return Price{.per_hour = type.number(key), .currency = cloud.text("currency")};
}

MachineTypeConfig read_machine_type(const Settings& type, const Settings& cloud) {
    const Settings machine = type.table("machine");
    MachineTypeConfig out{
        .name = machine.text("type"),
        .node = read_node(machine, machine.text("type"), {.region = cloud.text("region")}),
        .zones = type.texts("zones"),
        .on_demand = type.boolean("on_demand"),
        .spot = type.boolean("spot"),
        .price = read_price(type, "price_per_hour", cloud),
        .spot_price = read_price(type, "spot_price_per_hour", cloud),
        .group = {.types = {machine.text("type")},
                  .boot = type.duration("boot"),
                  .delete_time = type.duration("delete_time"),
                  .refresh_every = cloud.duration("refresh_every"),
                  .capacity = find_count(type, "capacity"),
                  .on_exhausted = read_shortage(type.text("on_exhausted")),
                  .error_after = type.duration("error_after"),
                  .failure = find_failure(type)},
        .creation_failure = find_failure(type, "fail_create"),
        .deletion_failure = find_failure(type, "fail_delete")};
    if (out.zones.empty()) out.zones.emplace_back();
    return out;
}

void check_machine_types(const Settings& settings) {
    std::set<std::string> names;
    for (const Settings& type : settings.tables("machine_types")) {
        const Settings machine = type.table("machine");
        check_node(machine);
        if (!machine.tables("mix").empty())
            machine.reject("mix", "not allowed here: created groups have one machine type");
        if (!machine.has("type") || machine.text("type").empty()) {
            machine.reject("cpu", "a machine type needs a name in `type`");
        } else if (!names.insert(machine.text("type")).second) {
            machine.reject("type", "duplicate machine type");
        }
        std::set<std::string> zones;
        for (const std::string& zone : type.texts("zones"))
            if (!zones.insert(zone).second) type.reject("zones", "duplicate zone");
        if (!type.boolean("on_demand") && !type.boolean("spot"))
            type.reject("on_demand", "on_demand and spot are both false");
    }
}

void check_size(const Settings& group) {
    const std::int64_t min = group.integer("min");
    const int size = size_of(group);
    const std::string_view size_key = group.has("size") ? "size" : "min";
    const auto is_above = [&](std::string_view key) {
        return group.has(key) && size > group.integer(key);
    };
    if (group.has("max") && min > group.integer("max")) {
        group.reject("min", "is above max, " + std::to_string(group.integer("max")));
    } else if (size < min || is_above("max")) {
        group.reject("size", "is not between min and max");
    }
    if (is_above("capacity")) group.reject(size_key, "is above the capacity");
}

/// Rejects a list `machines` if its length differs from the number of machines that vanish.
void check_machines(const Settings& change) {
    const auto named = static_cast<std::int64_t>(change.integers("machines").size());
    if (named != change.integer("lose") + change.integer("take") ||
        (change.integer("lose") > 0 && change.integer("take") > 0))
        change.reject("machines",
                      "must be as many as `lose` or `take`, and only one of these may be set");
}

void check_change(const Settings& change) {
    const auto is_there = [&](std::string_view key) { return change.has(key); };
    const auto is_some = [&](std::string_view key) { return change.integer(key) > 0; };
    const bool does_something =
        std::ranges::any_of(std::array<std::string_view, 6>{"capacity", "fail", "fail_removals",
                                                            "error", "target", "notice"},
                            is_there) ||
        std::ranges::any_of(std::array<std::string_view, 4>{"lose", "take", "run", "add"},
                            is_some) ||
        change.boolean("unlimited") || change.boolean("recover") || change.boolean("withdraw");
    if (!does_something) change.reject("at", "the change does nothing");
    if (change.has("capacity") && change.boolean("unlimited"))
        change.reject("unlimited", "cannot be combined with capacity");
    for (const std::string_view key : {"fail", "fail_removals", "error"}) {
        if (change.has(key) && change.boolean("recover"))
            change.reject("recover", "cannot be combined with fail, fail_removals or error");
    }
    const bool is_about_notices = change.has("notice") || change.boolean("withdraw");
    if (is_about_notices && (is_some("lose") || is_some("take"))) {
        change.reject("at", "notices and vanishing machines need separate changes");
    } else if (change.has("machines") && !is_about_notices) {
        check_machines(change);
    }
}

bool is_currency(std::string_view code) {
    return code.size() == 3 && std::ranges::all_of(code, [](char c) { return is_ascii_upper(c); });
}

}  // namespace

void check_config(const Settings& settings) {
    if (!is_currency(settings.text("currency")))
        settings.reject("currency", "must be three capital letters");
    std::set<std::string> ids, node_names;
    for (const Settings& group : settings.tables("groups")) {
        const std::string id = group.text("id");
        if (id.empty()) group.reject("id", "must not be empty");
        if (!ids.insert(id).second) {
            group.reject("id", "duplicate group id");
        } else if (settings.boolean("register_nodes") &&
                   !node_names.insert(node_name(NodeGroupId(id), 1)).second) {
            group.reject("id", "its nodes would have the same names as those of another group");
        }
        check_size(group);
        check_node(group.table("machine"));
        for (const Settings& change : group.tables("changes")) check_change(change);
    }
    check_machine_types(settings);
}

Config read_config(const Settings& settings) {
    Config out{.latency = settings.duration("latency"),
               .failure = find_failure(settings),
               .answer_latency = settings.duration("answer_latency"),
               .answer_failure = find_failure(settings, "fail_answers"),
               .list_lag = settings.duration("list_lag"),
               .list_omits = count_of(settings, "list_omits"),
               .notices = settings.boolean("notices"),
               .register_nodes = settings.boolean("register_nodes")};
    for (const Settings& group : settings.tables("groups"))
        out.groups.push_back(read_group(group, settings));
    for (const Settings& type : settings.tables("machine_types"))
        out.machine_types.push_back(read_machine_type(type, settings));
    return out;
}

}  // namespace capstan::simulated
