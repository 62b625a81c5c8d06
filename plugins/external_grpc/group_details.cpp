#include "group_details.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace capstan::external_grpc {
GroupDetailsCache::GroupDetailsCache(Host host, const CloudApi& api, const CloudConfig& config)
    : host_(host), api_(api), config_(config) {}

bool GroupDetailsCache::is_due(const NodeGroupId& group) const {
    const auto at = known_.find(group);
    return at == known_.end() || host_.monotonic() - at->second.read_at >= config_.details_every;
}

template <class T>
Task<std::optional<T>> GroupDetailsCache::optional_call(std::string name, Task<T> call) {
    if (missing_calls_.contains(name)) co_return std::optional<T>();
    Result<T> result = co_await as_result(std::move(call));
    if (result) co_return std::optional<T>(*std::move(result));
    if (result.error().code == ErrorCode::unsupported) {
        missing_calls_.insert(name);
        host_.info("the server has no " + name + "; not called again");
    } else {
        host_.warn(name + " failed; using the previous value: " + result.error().message);
    }
    co_return std::optional<T>();
}

Task<void> GroupDetailsCache::read_template(NodeGroupId group) {
    const std::string name = "NodeGroupTemplateNodeInfo";
    Result<NodeTemplate> result = fail(ErrorCode::unsupported, "the server has no " + name);
    if (!missing_calls_.contains(name)) result = co_await as_result(api_.template_node(group));
    if (!result && result.error().code == ErrorCode::unsupported) missing_calls_.insert(name);
    known_[group].node = std::move(result);
}

Task<void> GroupDetailsCache::update(NodeGroupId group) {
    if (!is_due(group)) co_return;
    known_[group].read_at = host_.monotonic();
    co_await read_template(group);
    auto options =
        co_await optional_call("NodeGroupGetOptions", api_.options(group, config_.defaults));
    if (options) known_[group].options = *options;
    const Result<NodeTemplate>& node = known_[group].node;
    if (!node) co_return;
    NodeReference priced{
        .name = node->name, .labels = node->labels, .annotations = node->annotations};
    auto price = co_await optional_call("PricingNodePrice", api_.hourly_price(std::move(priced)));
    if (price && std::isfinite(*price) && *price >= 0) known_[group].price_per_hour = price;
}

void GroupDetailsCache::keep(const std::vector<NodeGroup>& groups) {
    std::erase_if(known_, [&](const auto& entry) {
        return std::none_of(groups.begin(), groups.end(),
                            [&](const NodeGroup& group) { return group.id == entry.first; });
    });
}

const GroupDetails* GroupDetailsCache::find(const NodeGroupId& group) const {
    const auto at = known_.find(group);
    return at != known_.end() ? &at->second : nullptr;
}

}  // namespace capstan::external_grpc
