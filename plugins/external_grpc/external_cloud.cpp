#include "external_cloud.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

namespace capstan::external_grpc {
namespace {

/// How long a server may take to list a target that it has accepted. Most list it at once.
constexpr Duration target_lag = std::chrono::minutes(2);

std::string title_of(const NodeGroupId& group) { return "group " + in_quotes(group.value()); }

}  // namespace

ExternalCloud::ExternalCloud(Host host, CloudConfig config)
    : host_(host),
      config_(std::move(config)),
      api_(host, config_.server),
      nodes_(host),
      details_(host, api_, config_),
      targets_(host) {}

Task<void> ExternalCloud::start() {
    nodes_.start();
    co_return;
}

Task<void> ExternalCloud::stop() {
    nodes_.stop();
    co_return;
}

Task<void> ExternalCloud::self_check() { co_await api_.groups(); }

Task<SharedCloudView> ExternalCloud::refresh() {
    if (view_ && host_.monotonic() - viewed_at_ < config_.refresh_every) co_return *view_;
    const Duration began = host_.monotonic();
    const std::uint64_t changes = changes_;
    CloudView groups = co_await read();
    const SharedCloudView view(std::move(groups));
    // A view may lack changes that were made while it was read, so such a view is not cached.
    view_.reset();
    if (changes_ == changes && view->complete) view_ = view;
    viewed_at_ = began;
    co_return view;
}

void ExternalCloud::note_change() {
    ++changes_;
    view_.reset();
}

/// Reads all groups. A group that cannot be read is marked unreadable; the others are still read.
Task<CloudView> ExternalCloud::read() {
    co_await api_.refresh();
    CloudView out;
    out.target_lag = target_lag;
    out.groups = co_await api_.groups();
    std::vector<Task<GroupRead>> reads;
    for (const NodeGroup& group : out.groups) reads.push_back(read_group(group.id));
    auto results = co_await gather_results(std::move(reads), config_.parallel_calls);
    for (std::size_t i = 0; i < results.size(); ++i) {
        NodeGroup& group = out.groups[i];
        if (!results[i]) {
            Error error = std::move(results[i]).error();
            error.subject = group.id.value();
            out.unreadable.push_back(std::move(error));
            out.complete = false;
            continue;
        }
        group.target = results[i]->target;
        for (Machine& machine : results[i]->machines) out.machines.push_back(std::move(machine));
        const GroupDetails* const details = details_.find(group.id);
        if (details != nullptr) add_details(*details, group);
    }
    details_.keep(out.groups);
    groups_.clear();
    for (const NodeGroup& group : out.groups) groups_.emplace(group.id, group);
    co_return out;
}

void ExternalCloud::add_details(const GroupDetails& details, NodeGroup& group) const {
    if (details.node) group.template_fingerprint = details.node->fingerprint;
    group.price = Price{.per_hour = details.price_per_hour, .currency = config_.currency};
    group.options = details.options;
}

Task<ExternalCloud::GroupRead> ExternalCloud::read_group(NodeGroupId group) {
    GroupRead out;
    out.target = co_await api_.target_size(group);
    out.machines = co_await api_.machines(group);
    co_await details_.update(group);
    co_return out;
}

const NodeGroup* ExternalCloud::find_group(const NodeGroupId& id) const {
    const auto at = groups_.find(id);
    return at != groups_.end() ? &at->second : nullptr;
}

/// For a decrease with the number of machines: a server might end some if the target fell below.
Task<TargetSetter::Current> ExternalCloud::read_current(NodeGroupId group, bool with_machines) {
    TargetSetter::Current out;
    out.target = co_await api_.target_size(group);
    if (const NodeGroup* const known = find_group(group)) {
        out.min = known->min;
        out.max = known->max;
    }
    if (!with_machines) co_return out;
    const std::vector<Machine> machines = co_await api_.machines(group);
    out.machines = static_cast<int>(std::ranges::count_if(machines, [](const Machine& machine) {
        return machine.state == MachineState::running || machine.state == MachineState::creating;
    }));
    co_return out;
}

Task<Resized> ExternalCloud::send_change(NodeGroupId group, int change, int target) {
    note_change();
    auto sent =
        change > 0 ? api_.increase_size(group, change) : api_.decrease_target_size(group, -change);
    Result<void> done = co_await as_result(std::move(sent));
    if (done) co_return Resized{target};
    Error error = std::move(done).error();
    // The server may have carried the request out.
    if (error.provider_code == "connection_lost") error.code = ErrorCode::deadline;
    co_return fail(std::move(error));
}

Task<Resized> ExternalCloud::change_target(Resize request, int change) {
    const TargetSetter::Read read = [this, group = request.group, change] {
        return read_current(group, change < 0);
    };
    const TargetSetter::Set set = [this, group = request.group, change](int target) {
        return send_change(group, change, target);
    };
    return change > 0 ? targets_.increase(std::move(request), read, set)
                      : targets_.decrease(std::move(request), read, set);
}

Task<Resized> ExternalCloud::increase(Resize request) {
    if (request.all_or_nothing) {
        co_return fail(
            ErrorCode::unsupported,
            title_of(request.group) + ": the protocol does not support all-or-nothing increases");
    }
    const int change = request.delta;
    co_return co_await change_target(std::move(request), change);
}

Task<Resized> ExternalCloud::decrease_target(Resize request) {
    const int change = -request.delta;
    return change_target(std::move(request), change);
}

/// By the listed target; the host counts what was agreed to since.
Result<void> ExternalCloud::check_minimum(const Removal& request) const {
    const NodeGroup* const group = find_group(request.group);
    if (group == nullptr || request.force || !group->min || !group->target) return {};
    const int left = *group->target - static_cast<int>(request.machines.size());
    if (left >= *group->min) return {};
    return fail(ErrorCode::invalid_argument,
                title_of(request.group) + ": removing " +
                    counted(static_cast<std::int64_t>(request.machines.size()), "machine") +
                    " would leave " + std::to_string(left) + ", below the minimum of " +
                    std::to_string(*group->min));
}

Task<void> ExternalCloud::remove_batch(NodeGroupId group, std::vector<MachineId> machines) {
    std::vector<NodeReference> nodes;
    for (const MachineId& machine : machines) nodes.push_back(nodes_.reference(machine));
    note_change();
    co_await api_.delete_nodes(group, std::move(nodes));
}

Task<Removed> ExternalCloud::remove(Removal request) {
    if (request.keep_target)
        co_return fail(
            ErrorCode::unsupported,
            title_of(request.group) + ": the protocol does not support replacing machines");
    if (const auto stays = check_minimum(request); !stays) co_return fail(stays.error());
    const GroupDetails* const details = details_.find(request.group);
    const bool is_all_at_once = (details != nullptr ? details->options.zero_or_max : std::nullopt)
                                    .value_or(config_.defaults.zero_or_max);
    std::vector<std::vector<MachineId>> batches;
    if (is_all_at_once) {
        batches.push_back(request.machines);
    } else {
        for (const MachineId& machine : request.machines) batches.push_back({machine});
    }
    Removed out;
    for (const std::vector<MachineId>& batch : batches) {
        const Result<void> removed = co_await as_result(remove_batch(request.group, batch));
        if (removed) continue;
        for (const MachineId& machine : batch) {
            out.failed.push_back(removed.error());
            out.failed.back().subject = machine.value();
        }
    }
    co_return out;
}

Task<NodeTemplate> ExternalCloud::describe(NodeGroupId group) {
    co_await details_.update(group);
    const GroupDetails* const details = details_.find(group);
    if (details == nullptr)
        co_return fail(ErrorCode::not_found, title_of(group) + ": the group no longer exists");
    co_return details->node;
}

}  // namespace capstan::external_grpc
