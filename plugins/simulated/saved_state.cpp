#include "saved_state.hpp"

#include <limits>
#include <optional>
#include <utility>

#include <capstan/json.hpp>

namespace capstan::simulated {
namespace {

using std::chrono::milliseconds;

std::int64_t ms_after(Time start, Time moment) {
    return std::chrono::floor<milliseconds>(moment - start).count();
}

Json write(const MachineRecord& machine, Time start) {
    const auto moment = [start](const std::optional<Time>& at) {
        return at ? Json(ms_after(start, *at)) : Json();
    };
    Json out = Json::array({Json(machine.number), Json(ms_after(start, machine.requested)),
                            moment(machine.launched), moment(machine.gone_at)});
    if (!machine.type.empty() || machine.leaves) out.append(machine.type);
    if (machine.leaves) {
        out.append(static_cast<std::int64_t>(machine.leaves->reason));
        out.append(moment(machine.leaves->at));
    }
    return out;
}

Unexpected refuse() {
    return fail(ErrorCode::invalid_argument, "the saved state of the machines cannot be read");
}

/// Absent: there is no such member, or it is no integer.
std::optional<std::int64_t> integer_at(const Json& json, std::string_view key) {
    const Json* const member = json.find(key);
    return member == nullptr ? std::nullopt : member->integer();
}

Result<std::optional<Time>> read_moment(const Json& json, Time start) {
    if (json.is_null()) return std::optional<Time>();
    const std::optional<std::int64_t> ms = json.integer();
    if (!ms) return refuse();
    return std::optional(start + milliseconds(*ms));
}

Result<MachineRecord> read_machine(const Json& json, Time start) {
    const std::vector<Json>& parts = json.items();
    if (parts.size() < 4) return refuse();
    const std::optional<std::int64_t> number = parts[0].integer();
    if (!number || *number < 1 || *number > std::numeric_limits<int>::max()) return refuse();
    MachineRecord out{.number = static_cast<int>(*number)};
    CAPSTAN_TRY(const std::optional<Time> requested, read_moment(parts[1], start));
    if (!requested) return refuse();
    out.requested = *requested;
    CAPSTAN_TRY(out.launched, read_moment(parts[2], start));
    CAPSTAN_TRY(out.gone_at, read_moment(parts[3], start));
    if (parts.size() > 4) out.type = parts[4].text();
    if (parts.size() > 6) {
        out.leaves = Leaving{static_cast<LeaveReason>(parts[5].integer().value_or(0))};
        CAPSTAN_TRY(out.leaves->at, read_moment(parts[6], start));
    }
    return out;
}

Result<GroupRecord> read_group_record(const Json& json, Time start) {
    const std::optional<std::int64_t> last = integer_at(json, "last");
    const Json* const machines = json.find("machines");
    if (!last || machines == nullptr) return refuse();
    GroupRecord out{.last_number = static_cast<int>(*last)};
    for (const Json& each : machines->items()) {
        CAPSTAN_TRY(MachineRecord machine, read_machine(each, start));
        out.machines.push_back(std::move(machine));
    }
    return out;
}

Json write(const GroupPlan& plan) {
    Json out = Json::object({{"type", plan.machine_type},
                             {"zone", plan.zone},
                             {"spot", plan.spot},
                             {"labels", Json::object()},
                             {"taints", Json::array()}});
    for (const auto& [key, value] : plan.labels) out.at("labels").set(key, value);
    for (const Taint& taint : plan.taints) {
        out.at("taints").append(Json::array(
            {Json(taint.key), Json(taint.value), Json(std::string(name_of(taint.effect)))}));
    }
    return out;
}

Result<GroupPlan> read_plan(const std::string& name, const Json& json) {
    const Json* const labels = json.find("labels");
    const Json* const taints = json.find("taints");
    const Json* const spot = json.find("spot");
    if (labels == nullptr || taints == nullptr || spot == nullptr) return refuse();
    GroupPlan out{.name = name,
                  .machine_type = json.text_at({"type"}),
                  .zone = json.text_at({"zone"}),
                  .spot = spot->boolean()};
    for (const auto& [key, value] : labels->members()) out.labels.emplace(key, value.text());
    for (const Json& each : taints->items()) {
        if (each.items().size() != 3) return refuse();
        const auto effect = find_effect(each.items()[2].text());
        if (!effect) return refuse();
        out.taints.push_back({each.items()[0].text(), each.items()[1].text(), *effect});
    }
    return out;
}

}  // namespace

void shift(Ledger& ledger, Duration by) {
    ledger.start += by;
    ledger.saved += by;
    for (auto& [id, group] : ledger.groups) {
        for (MachineRecord& machine : group.machines) {
            machine.requested += by;
            if (machine.launched) *machine.launched += by;
            if (machine.gone_at) *machine.gone_at += by;
            if (machine.leaves && machine.leaves->at) *machine.leaves->at += by;
        }
    }
}

std::string to_text(const Ledger& ledger) {
    Json out = Json::object({{"start", ms_after(Time{}, ledger.start)},
                             {"saved", ms_after(ledger.start, ledger.saved)},
                             {"written", ms_after(Time{}, ledger.written)},
                             {"groups", Json::object()}});
    for (const auto& [id, group] : ledger.groups) {
        Json& written = out.at("groups").at(id);
        written.set("last", group.last_number).set("machines", Json::array());
        for (const MachineRecord& machine : group.machines)
            written.at("machines").append(write(machine, ledger.start));
    }
    if (!ledger.plans.empty()) out.set("plans", Json::object());
    for (const auto& [name, plan] : ledger.plans) out.at("plans").set(name, write(plan));
    return to_string(out);
}

Result<Ledger> parse_ledger(std::string_view text) {
    const Result<Json> json = parse_json(text);
    if (!json) return refuse();
    const std::optional<std::int64_t> start = integer_at(*json, "start");
    const std::optional<std::int64_t> saved = integer_at(*json, "saved");
    const std::optional<std::int64_t> written = integer_at(*json, "written");
    const Json* const groups = json->find("groups");
    if (!start || !saved || !written || groups == nullptr) return refuse();
    Ledger out{.start = Time(milliseconds(*start))};
    out.saved = out.start + milliseconds(*saved);
    out.written = Time(milliseconds(*written));
    for (const auto& [id, each] : groups->members()) {
        CAPSTAN_TRY(GroupRecord group, read_group_record(each, out.start));
        out.groups.emplace(id, std::move(group));
    }
    const Json* const plans = json->find("plans");
    if (plans == nullptr) return out;
    for (const auto& [name, each] : plans->members()) {
        CAPSTAN_TRY(GroupPlan plan, read_plan(name, each));
        out.plans.emplace(name, std::move(plan));
    }
    return out;
}

}  // namespace capstan::simulated
