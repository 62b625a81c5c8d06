#include "new_http_cloud.hpp"

#include <limits>

#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

using capstan::CloudView, capstan::Error, capstan::ErrorCode, capstan::fail, capstan::Json,
    capstan::Machine, capstan::MachineId, capstan::MachineState, capstan::NodeGroup,
    capstan::NodeGroupId, capstan::NodeTemplate, capstan::Removal, capstan::Removed,
    capstan::Resize, capstan::Resized, capstan::Result, capstan::Task;

namespace {

/// An unknown state counts as `creating`, since such a machine may run later.
MachineState parse_state(const std::string& state) {
    static const std::map<std::string, MachineState> known{{"requested", MachineState::requested},
                                                           {"running", MachineState::running},
                                                           {"deleting", MachineState::deleting},
                                                           {"failed", MachineState::failed}};
    const auto at = known.find(state);
    return at != known.end() ? at->second : MachineState::creating;
}

NodeGroup parse_group(const Json& json) {
    const Json* const machine = json.find("machine");
    return {.id = NodeGroupId(json.text_at({"id"})),
            .min = count_at(json, "min"),
            .max = count_at(json, "max"),
            .target = count_at(json, "target"),
            // When this text changes, the host calls `describe` again.
            .template_fingerprint = machine != nullptr ? to_string(*machine) : ""};
}

Machine parse_machine(const Json& json) {
    Machine out{.id = MachineId(json.text_at({"id"})),
                .group = NodeGroupId(json.text_at({"group"})),
                .state = parse_state(json.text_at({"state"})),
                .zone = json.text_at({"zone"})};
    if (const std::string& word = json.text_at({"error"}); !word.empty())
        out.error = Error{error_code_of(word), "error of the cloud: " + word, word};
    return out;
}

}  // namespace

capstan::Schema NewHttpCloud::schema() {
    return {{.key = "endpoint",
             .type = capstan::SettingType::url,
             .doc = "URL of the API.",
             .required = true},
            {.key = "token",
             .type = capstan::SettingType::secret,
             .doc = "Access token for the API.",
             .required = true}};
}

NewHttpCloud::NewHttpCloud(capstan::Host host, const capstan::Settings& settings)
    : api_(host, settings.text("endpoint"), settings.text("token")) {}

Task<void> NewHttpCloud::self_check() { co_await api_.list("groups"); }

Task<CloudView> NewHttpCloud::refresh() {
    CloudView view;
    std::map<NodeGroupId, Json> machines_of;
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

/// The API compares `expected` with the current target, even if its lists lag, and carries out a
/// request with the same key only once. For an API that does neither use
/// capstan/target_setter.hpp.
Task<Resized> NewHttpCloud::resize(Resize request, std::int64_t by) {
    const std::int64_t target = request.expected_target + by;
    if (request.delta < 1 || target < 0 || target > std::numeric_limits<int>::max())
        co_return fail(ErrorCode::invalid_argument, "the target is out of range");
    const int now = co_await api_.set_target(request.group.value(), static_cast<int>(target),
                                             request.expected_target, request.idempotency_key);
    co_return Resized{now};
}

Task<Resized> NewHttpCloud::increase(Resize request) {
    // The API creates as many machines as it can; the host asks again without all_or_nothing.
    if (request.all_or_nothing)
        co_return fail(ErrorCode::unsupported, "all-or-nothing increases are not supported");
    co_return co_await resize(request, request.delta);
}

Task<Resized> NewHttpCloud::decrease_target(Resize request) {
    return resize(request, -std::int64_t{request.delta});
}

/// The other machines are removed even if one cannot be.
Task<Removed> NewHttpCloud::remove(Removal request) {
    if (request.keep_target)
        co_return fail(ErrorCode::unsupported, "replacing machines is not supported");
    std::vector<Task<void>> removals;
    for (const MachineId& machine : request.machines)
        removals.push_back(api_.remove_machine(machine.value()));
    const auto results = co_await capstan::gather_results(std::move(removals), 8);
    Removed out;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i]) continue;
        out.failed.push_back(results[i].error());
        out.failed.back().subject = request.machines[i].value();
    }
    co_return out;
}

Result<NodeTemplate> NewHttpCloud::describe(NodeGroupId group) const {
    const auto at = machines_of_.find(group);
    if (at == machines_of_.end())
        return fail(ErrorCode::not_found,
                    "group " + capstan::in_quotes(group.value()) + ": its machine type is unknown");
    const Json& machine = at->second;
    capstan::Labels amounts;
    for (const char* resource : {"cpu", "memory", "pods"})
        amounts[resource] = machine.text_at({resource});
    NodeTemplate node{.name = group.value(),
                      .machine_type = machine.text_at({"type"}),
                      .zone = machine.text_at({"zone"}),
                      .fingerprint = to_string(machine)};
    CAPSTAN_TRY(node.capacity, capstan::parse_resources(amounts));
    node.allocatable = node.free = node.capacity;
    node.labels.emplace(capstan::well_known::instance_type_label, node.machine_type);
    node.labels.emplace(capstan::well_known::zone_label, node.zone);
    return node;
}
