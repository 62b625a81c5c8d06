#include "group_details.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace capstan::external_grpc {
AllDetails::AllDetails(Host host, const CloudApi& api, const CloudConfig& config)
    : host_(host), api_(api), config_(config) {}

bool AllDetails::is_due(const NodeGroupId& group) const {
    const auto at = known_.find(group);
    return at == known_.end() || host_.monotonic() - at->second.read_at >= config_.details_every;
}

template <class T>
Task<std::optional<T>> AllDetails::optional_call(std::string name, Task<T> call) {
    if (missing_calls_.contains(name)) co_return std::optional<T>();
    Result<T> told = co_await as_result(std::move(call));
    if (told) co_return std::optional<T>(*std::move(told));
    if (told.error().code == ErrorCode::unsupported) {
        missing_calls_.insert(name);
        host_.info("the server has no " + name + "; it is not asked again");
    } else {
        host_.warn(name + " failed, what was known stays: " + told.error().message);
    }
    co_return std::optional<T>();
}

Task<void> AllDetails::read_template(NodeGroupId group) {
    const std::string name = "NodeGroupTemplateNodeInfo";
    Result<NodeTemplate> told = fail(ErrorCode::unsupported, "the server has no " + name);
    if (!missing_calls_.contains(name)) told = co_await as_result(api_.template_node(group));
    if (!told && told.error().code == ErrorCode::unsupported) missing_calls_.insert(name);
    known_[group].node = std::move(told);
}

Task<void> AllDetails::update(NodeGroupId group) {
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

void AllDetails::keep(const std::vector<NodeGroup>& groups) {
    std::erase_if(known_, [&](const auto& entry) {
        return std::none_of(groups.begin(), groups.end(),
                            [&](const NodeGroup& group) { return group.id == entry.first; });
    });
}

const GroupDetails* AllDetails::find(const NodeGroupId& group) const {
    const auto at = known_.find(group);
    return at != known_.end() ? &at->second : nullptr;
}

}  // namespace capstan::external_grpc
