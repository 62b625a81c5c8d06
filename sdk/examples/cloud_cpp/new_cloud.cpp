#include "new_cloud.hpp"

#include <algorithm>
#include <iterator>

#include <capstan/sentence.hpp>

using capstan::ErrorCode;
using capstan::Resized;
using capstan::Result;

namespace {

std::string name_of(const capstan::NodeGroupId& group) {
    return "group " + capstan::in_quotes(group.value());
}

}  // namespace

NewCloud::NewCloud(capstan::Host host, const capstan::Settings& settings)
    : host_(host), config_(read_config(settings)) {
    // Machines that exist from the start have booted already.
    for (const GroupConfig& group : config_.groups)
        add_machines(group.id, group.initial, config_.boot);
}

Result<void> NewCloud::reconfigure(const capstan::Settings& settings) {
    config_ = read_config(settings);
    ++revision_;
    for (GroupConfig& group : config_.groups) {
        group.node.fingerprint = std::to_string(revision_);
        if (!machines_.contains(group.id)) add_machines(group.id, group.initial, config_.boot);
    }
    std::erase_if(machines_,
                  [this](const auto& group) { return !find_group(group.first.value()); });
    return {};
}

capstan::CloudView NewCloud::refresh() const {
    capstan::CloudView view;
    for (const GroupConfig& group : config_.groups) {
        view.groups.push_back(
            {.id = group.id,
             .min = group.min,
             .max = group.max,
             .target = target(group.id),
             .template_fingerprint = group.node.fingerprint,
             .price =
                 capstan::Price{.per_hour = group.price_per_hour, .currency = config_.currency},
             .options = capstan::GroupOptions{.unneeded_time = group.unneeded_time}});
        for (const Machine& machine : machines_.at(group.id)) {
            view.machines.push_back({.id = machine.id,
                                     .group = group.id,
                                     .state = is_running(machine)
                                                  ? capstan::MachineState::running
                                                  : capstan::MachineState::requested,
                                     .machine_type = group.node.machine_type,
                                     .zone = group.node.zone,
                                     .launched = machine.launched});
        }
    }
    return view;
}

Result<Resized> NewCloud::increase(capstan::Resize request) {
    if (const Resized* known = resized_.find(request.idempotency_key)) return *known;
    CAPSTAN_TRY(const GroupConfig* config, group(request.group));
    CAPSTAN_CHECK(check_expected(request));
    if (request.delta > config->max - target(config->id)) {
        return fail(ErrorCode::invalid_argument,
                    name_of(config->id) + ": " + capstan::counted(request.delta, "more machine") +
                        " would exceed the maximum of " + std::to_string(config->max));
    }
    add_machines(config->id, request.delta, capstan::Duration(0));
    host_.info("machines requested", {capstan::field("group", config->id.value())});
    return resized_.keep(request.idempotency_key, {.target = target(config->id)});
}

Result<Resized> NewCloud::decrease_target(capstan::Resize request) {
    if (const Resized* known = resized_.find(request.idempotency_key)) return *known;
    CAPSTAN_TRY(const GroupConfig* config, group(request.group));
    CAPSTAN_CHECK(check_expected(request));
    Machines& machines = machines_.at(config->id);
    const auto first =
        std::ranges::find_if_not(machines, [this](const Machine& m) { return is_running(m); });
    const auto open = static_cast<int>(std::distance(first, machines.end()));
    if (request.delta > open) {
        return fail(ErrorCode::invalid_argument,
                    name_of(config->id) + ": only " + capstan::counted(open, "machine") + " of " +
                        std::to_string(request.delta) + " can be cancelled, the others run");
    }
    machines.resize(machines.size() - static_cast<std::size_t>(request.delta));
    return resized_.keep(request.idempotency_key, {.target = target(config->id)});
}

Result<capstan::Removed> NewCloud::remove(capstan::Removal request) {
    if (const capstan::Removed* known = removed_.find(request.idempotency_key)) return *known;
    CAPSTAN_TRY(const GroupConfig* config, group(request.group));
    Machines& machines = machines_.at(config->id);
    const std::set<capstan::MachineId> unwanted(request.machines.begin(), request.machines.end());
    const auto goes = [&unwanted](const Machine& m) { return unwanted.contains(m.id); };
    const auto going = static_cast<int>(std::ranges::count_if(machines, goes));
    const bool is_lowered = !request.keep_target;
    if (is_lowered && !request.force && target(config->id) - going < config->min) {
        return fail(ErrorCode::invalid_argument,
                    name_of(config->id) + ": removing " + capstan::counted(going, "machine") +
                        " would go below the minimum of " + std::to_string(config->min));
    }
    capstan::Removed answer{.failed = unknown_machines(config->id, unwanted)};
    std::erase_if(machines, goes);
    if (!is_lowered) add_machines(config->id, going, capstan::Duration(0));
    return removed_.keep(request.idempotency_key, std::move(answer));
}

std::vector<capstan::Error> NewCloud::unknown_machines(const capstan::NodeGroupId& group,
                                                       std::set<capstan::MachineId> wanted) const {
    for (const Machine& machine : machines_.at(group)) wanted.erase(machine.id);
    std::vector<capstan::Error> out;
    for (const capstan::MachineId& id : wanted) {
        out.push_back(
            {.code = ErrorCode::not_found,
             .message = name_of(group) + ": no such machine: " + capstan::in_quotes(id.value()),
             .subject = id.value()});
    }
    return out;
}

Result<capstan::NodeTemplate> NewCloud::describe(capstan::NodeGroupId id) const {
    CAPSTAN_TRY(const GroupConfig* config, group(id));
    return config->node;
}

const GroupConfig* NewCloud::find_group(std::string_view id) const {
    const auto at = std::ranges::find(
        config_.groups, id, [](const GroupConfig& g) -> std::string_view { return g.id.value(); });
    return at != config_.groups.end() ? &*at : nullptr;
}

Result<const GroupConfig*> NewCloud::group(const capstan::NodeGroupId& id) const {
    if (const GroupConfig* config = find_group(id.value())) return config;
    return fail(ErrorCode::not_found, name_of(id) + ": unknown group");
}

bool NewCloud::is_running(const Machine& machine) const {
    return host_.monotonic() >= machine.requested + config_.boot;
}

void NewCloud::add_machines(const capstan::NodeGroupId& group, int count, capstan::Duration age) {
    Machines& machines = machines_[group];
    for (int i = 0; i < count; ++i) {
        const std::string id =
            "new_cloud://" + group.value() + "/" + std::to_string(next_machine_++);
        machines.push_back({capstan::MachineId(id), host_.monotonic() - age, host_.now() - age});
    }
}

/// Fails with `conflict` if the target has changed since the host decided, and with
/// `invalid_argument` if the change is by less than one machine.
Result<void> NewCloud::check_expected(const capstan::Resize& request) const {
    const int now = target(request.group);
    if (request.delta < 1)
        return fail(ErrorCode::invalid_argument,
                    name_of(request.group) + ": the change must be at least one machine");
    if (request.expected_target == now) return {};
    return fail(ErrorCode::conflict, name_of(request.group) + ": its target is " +
                                         std::to_string(now) + ", not " +
                                         std::to_string(request.expected_target));
}

int NewCloud::target(const capstan::NodeGroupId& group) const {
    return static_cast<int>(machines_.at(group).size());
}
