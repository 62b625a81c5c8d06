#include "simulated.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

#include "made_groups.hpp"

namespace capstan::simulated {
namespace {

/// The value, or its error with the group's name in front.
template <class T>
T demand(const NodeGroupId& group, Result<T> result) {
    if (!result) throw Failure(within("group " + group.value(), std::move(result).error()));
    return std::move(*result);
}

}  // namespace

Simulated::Simulated(Host host, Config config)
    : host_(host), start_(host_.now()), config_(std::move(config)), nodes_(host_) {
    for (const GroupConfig& group : config_.groups)
        groups_.emplace(group.id.value(), Group(group, start_, start_));
}

void Simulated::reconfigure(Config config) {
    const std::vector<GroupConfig> groups = all_groups(config);
    std::erase_if(groups_, [&](const auto& known) {
        return std::ranges::none_of(
            groups, [&](const GroupConfig& group) { return group.id.value() == known.first; });
    });
    std::erase_if(made_, [&](const auto& entry) { return !groups_.contains(entry.first); });
    for (const GroupConfig& group : groups) {
        const auto known = groups_.find(group.id.value());
        if (known == groups_.end()) {
            groups_.emplace(group.id.value(), Group(group, start_, host_.now()));
        } else {
            known->second.reconfigure(group);
        }
    }
    config_ = std::move(config);
}

Task<void> Simulated::arrive() {
    co_await sleep_for(host_, config_.latency);
    if (config_.register_nodes) co_await recall();
    for (auto& [id, group] : groups_) group.reach(host_.now());
    if (config_.failure) throw Failure(*config_.failure);
}

Group& Simulated::group(const NodeGroupId& id) {
    const auto at = groups_.find(id.value());
    if (at != groups_.end()) return at->second;
    throw Failure(ErrorCode::not_found,
                  "group " + in_quotes(id.value()) + ": the simulated cloud has no such group");
}

Task<SharedCloudView> Simulated::refresh() {
    co_await arrive();
    if (config_.register_nodes) co_await register_nodes();
    const std::vector<std::uint64_t> versions = this->versions();
    if (!told_ || told_->first != versions) told_.emplace(versions, SharedCloudView(view()));
    co_return told_->second;
}

CloudView Simulated::view() const {
    CloudView out;
    std::size_t machines = 0;
    for (const auto& [id, group] : groups_) machines += group.count_machines();
    out.machines.reserve(machines);
    for (const auto& [id, group] : groups_) {
        out.groups.push_back(group.group());
        group.tell_machines(out.machines);
    }
    return out;
}

std::vector<std::uint64_t> Simulated::versions() const {
    std::vector<std::uint64_t> out;
    out.reserve(groups_.size());
    for (const auto& [id, group] : groups_) out.push_back(group.version());
    return out;
}

template <class Change>
Resized Simulated::resize(const Resize& request, Change change) {
    if (const Resized* known = resized_.find(request.idempotency_key)) return *known;
    Group& wanted = group(request.group);
    const Resized answer{demand(request.group, (wanted.*change)(request))};
    if (config_.register_nodes) write_down();
    resized_.keep(request.idempotency_key, answer);
    return answer;
}

Task<Resized> Simulated::increase(Resize request) {
    co_await arrive();
    co_return resize(request, &Group::increase);
}

Task<Resized> Simulated::decrease_target(Resize request) {
    co_await arrive();
    co_return resize(request, &Group::decrease_target);
}

Task<Removed> Simulated::remove(Removal request) {
    co_await arrive();
    if (const Removed* known = removed_.find(request.idempotency_key)) co_return *known;
    Group& wanted = group(request.group);
    Removed answer = demand(request.group, wanted.remove(request));
    if (config_.register_nodes) write_down();
    removed_.keep(request.idempotency_key, answer);
    co_return answer;
}

Task<NodeTemplate> Simulated::describe(NodeGroupId id) {
    co_await arrive();
    co_return group(id).config().node;
}

Result<Price> Simulated::price(const Call&, const TemplateView& node) const {
    {
        const std::lock_guard lock(mutex_);
        const GroupConfig* const config = find_config(node.name());
        if (config != nullptr && config->price) return *config->price;
    }
    NodeTemplate machine{.machine_type = std::string(node.machine_type())};
    for (const capstan_kv& label : node.labels())
        machine.labels.emplace(capstan::text(label.key), capstan::text(label.value));
    if (const auto price = find_price(config_, machine)) return *price;
    return fail(ErrorCode::not_found, "no price is known for " + in_quotes(node.name()));
}

GroupOptions Simulated::options(const Call&, const GroupView& group) const {
    const std::lock_guard lock(mutex_);
    const GroupConfig* const config = find_config(group.id());
    return config != nullptr ? config->options : GroupOptions{};
}

const GroupConfig* Simulated::find_config(std::string_view id) const {
    const auto at = groups_.find(id);
    return at != groups_.end() ? &at->second.config() : nullptr;
}

}  // namespace capstan::simulated
