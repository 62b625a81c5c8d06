#include "cloud_skeleton.hpp"

#include <charconv>
#include <map>

#include <capstan/sentence.hpp>

using capstan::ErrorCode;
using capstan::Task;

namespace {

int parse_count(const std::string& text, const std::string& what) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
    throw capstan::Failure(ErrorCode::unavailable,
                           what + ": " + capstan::in_quotes(text) + " is no count");
}

/// A state that is not known may be one that will run: it is not left out.
capstan::MachineState parse_state(const std::string& state) {
    static const std::map<std::string, capstan::MachineState> known{
        {"queued", capstan::MachineState::requested},
        {"active", capstan::MachineState::running},
        {"leaving", capstan::MachineState::deleting},
        {"broken", capstan::MachineState::failed}};
    const auto at = known.find(state);
    return at != known.end() ? at->second : capstan::MachineState::creating;
}

capstan::Error about(const capstan::MachineId& machine, capstan::Error error) {
    error.subject = machine.value();
    return error;
}

}  // namespace

capstan::Schema CloudSkeleton::schema() {
    return {{.key = "endpoint",
             .type = capstan::SettingType::url,
             .doc = "Where the API is.",
             .required = true},
            {.key = "token",
             .type = capstan::SettingType::secret,
             .doc = "What it is asked with.",
             .required = true}};
}

CloudSkeleton::CloudSkeleton(capstan::Host host, const capstan::Settings& settings)
    : api_(host, settings.text("endpoint"), settings.text("token")) {}

Task<std::vector<Fields>> CloudSkeleton::list_groups() { return api_.list({"groups"}, 5); }

Task<void> CloudSkeleton::self_check() { co_await list_groups(); }

Task<std::vector<capstan::NodeGroup>> CloudSkeleton::groups() {
    std::vector<capstan::NodeGroup> out;
    for (const Fields& fields : co_await list_groups()) {
        const std::string what = "group " + capstan::in_quotes(fields[0]);
        out.push_back({.id = capstan::NodeGroupId(fields[0]),
                       .min = parse_count(fields[1], what),
                       .max = parse_count(fields[2], what),
                       .target = parse_count(fields[3], what),
                       // Groups of one machine type share a template; it is asked for again when
                       // the type changes.
                       .template_fingerprint = fields[4]});
    }
    co_return out;
}

Task<std::vector<capstan::Machine>> CloudSkeleton::machines() {
    std::vector<capstan::Machine> out;
    std::vector<std::string> path{"machines"};
    for (const Fields& fields : co_await api_.list(std::move(path), 4)) {
        out.push_back({.id = capstan::MachineId(fields[0]),
                       .group = capstan::NodeGroupId(fields[1]),
                       .state = parse_state(fields[2]),
                       .zone = fields[3]});
    }
    co_return out;
}

Task<capstan::CloudView> CloudSkeleton::refresh() {
    capstan::CloudView view;
    view.groups = co_await groups();
    view.machines = co_await machines();
    co_return view;
}

Task<capstan::Resized> CloudSkeleton::increase(capstan::Resize r) {
    // The API makes as many as there are, and the host asks once more without.
    if (r.all_or_nothing) throw capstan::Failure(capstan::ErrorCode::unsupported, "not promised");
    co_return capstan::Resized{co_await api_.set_target(
        r.group.value(), r.expected_target + r.delta, r.expected_target, r.idempotency_key)};
}

Task<capstan::Resized> CloudSkeleton::decrease_target(capstan::Resize r) {
    co_return capstan::Resized{co_await api_.set_target(
        r.group.value(), r.expected_target - r.delta, r.expected_target, r.idempotency_key)};
}

/// One machine that cannot go does not keep the others.
Task<capstan::Removed> CloudSkeleton::remove(capstan::Removal request) {
    capstan::Removed out;
    for (const capstan::MachineId& machine : request.machines) {
        try {
            co_await api_.remove_machine(machine.value(),
                                         request.idempotency_key + "/" + machine.value());
        } catch (const capstan::Failure& failure) {
            out.failed.push_back(about(machine, failure.error()));
        }
    }
    co_return out;
}

Task<capstan::NodeTemplate> CloudSkeleton::describe(capstan::NodeGroupId group) {
    for (const Fields& fields : co_await list_groups()) {
        if (fields[0] != group.value()) continue;
        capstan::NodeTemplate node{
            .name = group.value(), .machine_type = fields[4], .fingerprint = fields[4]};
        capstan::Labels quantities;
        std::vector<std::string> path{"types", fields[4]};
        for (const Fields& pair : co_await api_.list(std::move(path), 2))
            quantities[pair[0]] = pair[1];
        const auto capacity = capstan::parse_resources(quantities);
        if (!capacity)
            throw capstan::Failure(within("machine type " + fields[4], capacity.error()));
        node.capacity = node.allocatable = node.free = *capacity;
        co_return node;
    }
    throw capstan::Failure(ErrorCode::not_found, "group " + capstan::in_quotes(group.value()) +
                                                     ": the cloud has none of that name");
}
