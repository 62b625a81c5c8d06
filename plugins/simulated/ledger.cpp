#include "ledger.hpp"

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
    if (!machine.type.empty()) out.append(machine.type);
    return out;
}

Unexpected refuse() {
    return fail(ErrorCode::invalid_argument, "what was kept of the machines cannot be read");
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
    return out;
}

Result<GroupRecord> read_group(const Json& json, Time start) {
    const Json* const last = json.find("last");
    const Json* const machines = json.find("machines");
    if (last == nullptr || !last->integer() || machines == nullptr) return refuse();
    GroupRecord out{.last_number = static_cast<int>(*last->integer())};
    for (const Json& each : machines->items()) {
        CAPSTAN_TRY(MachineRecord machine, read_machine(each, start));
        out.machines.push_back(std::move(machine));
    }
    return out;
}

}  // namespace

std::string to_text(const Ledger& ledger) {
    Json out = Json::object({{"start", ms_after(Time{}, ledger.start)},
                             {"saved", ms_after(ledger.start, ledger.saved)},
                             {"groups", Json::object()}});
    for (const auto& [id, group] : ledger.groups) {
        Json& written = out.at("groups").at(id);
        written.set("last", group.last_number).set("machines", Json::array());
        for (const MachineRecord& machine : group.machines)
            written.at("machines").append(write(machine, ledger.start));
    }
    return to_string(out);
}

Result<Ledger> parse_ledger(std::string_view text) {
    const Result<Json> json = parse_json(text);
    if (!json) return refuse();
    const Json* const start = json->find("start");
    const Json* const saved = json->find("saved");
    const Json* const groups = json->find("groups");
    if (start == nullptr || !start->integer() || saved == nullptr || !saved->integer() ||
        groups == nullptr)
        return refuse();
    Ledger out{.start = Time(milliseconds(*start->integer()))};
    out.saved = out.start + milliseconds(*saved->integer());
    for (const auto& [id, each] : groups->members()) {
        CAPSTAN_TRY(GroupRecord group, read_group(each, out.start));
        out.groups.emplace(id, std::move(group));
    }
    return out;
}

}  // namespace capstan::simulated
