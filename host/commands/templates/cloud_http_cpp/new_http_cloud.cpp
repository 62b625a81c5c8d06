#include "new_http_cloud.hpp"

#include <limits>

#include <capstan/sentence.hpp>

using capstan::ErrorCode;
using capstan::Json;
using capstan::Task;

namespace {

int count_at(const Json& json, const char* key) {
    const Json* const value = json.find(key);
    const auto number = value != nullptr ? value->integer() : std::nullopt;
    if (number && *number >= 0 && *number <= std::numeric_limits<int>::max())
        return static_cast<int>(*number);
    throw capstan::Failure(ErrorCode::unavailable, std::string(key) + " is no count in " +
                                                       capstan::in_quotes(to_string(json)));
}

/// A state that is not known may be one that will run: it is not left out.
capstan::MachineState parse_state(const std::string& state) {
    static const std::map<std::string, capstan::MachineState> known{
        {"requested", capstan::MachineState::requested},
        {"running", capstan::MachineState::running},
        {"deleting", capstan::MachineState::deleting},
        {"failed", capstan::MachineState::failed}};
    const auto at = known.find(state);
    return at != known.end() ? at->second : capstan::MachineState::creating;
}

capstan::NodeGroup parse_group(const Json& json) {
    const Json* const machine = json.find("machine");
    return {.id = capstan::NodeGroupId(json.text_at({"id"})),
            .min = count_at(json, "min"),
            .max = count_at(json, "max"),
            .target = count_at(json, "target"),
            // Another text: the host asks `describe` again.
            .template_fingerprint = machine != nullptr ? to_string(*machine) : ""};
}

capstan::Machine parse_machine(const Json& json) {
    capstan::Machine out{.id = capstan::MachineId(json.text_at({"id"})),
                         .group = capstan::NodeGroupId(json.text_at({"group"})),
                         .state = parse_state(json.text_at({"state"})),
                         .zone = json.text_at({"zone"})};
    if (const std::string& word = json.text_at({"error"}); !word.empty())
        out.error = capstan::Error{error_code_of(word), "the cloud says " + word, word};
    return out;
}

}  // namespace

capstan::Schema NewHttpCloud::schema() {
    return {{.key = "endpoint",
             .type = capstan::SettingType::url,
             .doc = "Where the API is.",
             .required = true},
            {.key = "token",
             .type = capstan::SettingType::secret,
             .doc = "What it is asked with.",
             .required = true}};
}

NewHttpCloud::NewHttpCloud(capstan::Host host, const capstan::Settings& settings)
    : api_(host, settings.text("endpoint"), settings.text("token")) {}

Task<void> NewHttpCloud::self_check() { co_await api_.list("groups"); }

Task<capstan::CloudView> NewHttpCloud::refresh() {
    capstan::CloudView view;
    std::map<capstan::NodeGroupId, Json> machines_of;
    for (const Json& json : co_await api_.list("groups")) {
        view.groups.push_back(parse_group(json));
        if (const Json* const machine = json.find("machine"))
            machines_of.insert_or_assign(view.groups.back().id, *machine);
    }
    for (const Json& json : co_await api_.list("machines"))
        view.machines.push_back(parse_machine(json));
    machines_of_ = std::move(machines_of);
    co_return view;
}

/// The API compares with the target that it has, whatever its lists show, and does one key once.
/// For one that does neither see the last answers: abi/cloud.h says what `expected_target` is.
Task<capstan::Resized> NewHttpCloud::set_target(capstan::Resize request, int target) {
    const int now = co_await api_.set_target(request.group.value(), target, request.expected_target,
                                             request.idempotency_key);
    co_return capstan::Resized{now};
}

Task<capstan::Resized> NewHttpCloud::increase(capstan::Resize request) {
    if (request.delta < 1 ||
        request.delta > std::numeric_limits<int>::max() - request.expected_target)
        throw capstan::Failure(ErrorCode::invalid_argument, "no number of machines to add");
    co_return co_await set_target(request, request.expected_target + request.delta);
}

Task<capstan::Resized> NewHttpCloud::decrease_target(capstan::Resize request) {
    if (request.delta < 1 || request.delta > request.expected_target)
        throw capstan::Failure(ErrorCode::invalid_argument, "no number of machines to take back");
    co_return co_await set_target(request, request.expected_target - request.delta);
}

/// One machine that cannot go does not keep the others.
Task<capstan::Removed> NewHttpCloud::remove(capstan::Removal request) {
    capstan::Removed out;
    for (const capstan::MachineId& machine : request.machines) {
        try {
            co_await api_.remove_machine(machine.value());
        } catch (const capstan::Failure& failure) {
            out.failed.push_back(failure.error());
            out.failed.back().subject = machine.value();
        }
    }
    co_return out;
}

capstan::Result<capstan::NodeTemplate> NewHttpCloud::describe(capstan::NodeGroupId group) const {
    const auto at = machines_of_.find(group);
    if (at == machines_of_.end())
        return capstan::fail(ErrorCode::not_found, "group " + capstan::in_quotes(group.value()) +
                                                       ": its machines are not known");
    const Json& machine = at->second;
    capstan::Labels amounts;
    for (const char* resource : {"cpu", "memory", "pods"})
        amounts[resource] = machine.text_at({resource});
    capstan::NodeTemplate node{.name = group.value(),
                               .machine_type = machine.text_at({"type"}),
                               .zone = machine.text_at({"zone"}),
                               .fingerprint = to_string(machine)};
    CAPSTAN_TRY(node.capacity, capstan::parse_resources(amounts));
    node.allocatable = node.free = node.capacity;
    node.labels["node.kubernetes.io/instance-type"] = node.machine_type;
    node.labels["topology.kubernetes.io/zone"] = node.zone;
    return node;
}
