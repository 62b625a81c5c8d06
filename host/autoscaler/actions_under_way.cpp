#include "autoscaler/actions_under_way.hpp"

#include <utility>

namespace capstan::autoscaler {

bool is_under_way(const Error& error) noexcept { return error.provider_code == under_way; }

ActionsUnderWay::Key ActionsUnderWay::begin(const NodeGroupId& group, std::string action) {
    const std::lock_guard lock(mutex_);
    open_.emplace(++last_, Open{group, std::move(action)});
    return last_;
}

void ActionsUnderWay::end(Key key, Ended ended) {
    std::function<void()> on_end;
    {
        const std::lock_guard lock(mutex_);
        if (open_.erase(key) == 0) return;
        ended_.push_back(std::move(ended));
        on_end = on_end_;
    }
    if (on_end) on_end();
}

void ActionsUnderWay::set_on_end(std::function<void()> on_end) {
    const std::lock_guard lock(mutex_);
    on_end_ = std::move(on_end);
}

std::map<NodeGroupId, std::string> ActionsUnderWay::groups() const {
    const std::lock_guard lock(mutex_);
    std::map<NodeGroupId, std::string> out;
    for (const auto& [key, open] : open_) out.try_emplace(open.group, open.action);
    return out;
}

std::vector<ActionsUnderWay::Ended> ActionsUnderWay::take_ended() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ended_, {});
}

std::shared_ptr<const std::vector<engine::Group>> with_unreadable_groups(
    std::shared_ptr<const std::vector<engine::Group>> groups,
    const std::map<NodeGroupId, std::string>& reasons) {
    if (reasons.empty()) return groups;
    std::vector<engine::Group> out = *groups;
    for (engine::Group& group : out) {
        const auto reason = reasons.find(group.group.id);
        if (reason != reasons.end() && group.unreadable_because.empty())
            group.unreadable_because = reason->second;
    }
    return std::make_shared<const std::vector<engine::Group>>(std::move(out));
}

}  // namespace capstan::autoscaler
