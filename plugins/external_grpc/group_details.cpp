#include "group_details.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::external_grpc {
namespace {

constexpr std::string_view hostname_label = "kubernetes.io/hostname";

/// Each node has a host name of its own, which tells nothing of the group.
bool is_one_of(const NodeTemplate& group, const Labels& node) {
    return std::all_of(group.labels.begin(), group.labels.end(), [&](const auto& label) {
        if (label.first == hostname_label) return true;
        const auto at = node.find(label.first);
        return at != node.end() && at->second == label.second;
    });
}

Labels copy_labels(View<capstan_kv> pairs) {
    Labels out;
    for (const capstan_kv& pair : pairs)
        out.emplace(capstan::text(pair.key), capstan::text(pair.value));
    return out;
}

}  // namespace

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
    if (price && std::isfinite(*price) && *price >= 0) known_[group].price_per_hour = *price;
}

void AllDetails::publish(const std::vector<NodeGroup>& groups) {
    std::erase_if(known_, [&](const auto& entry) {
        return std::none_of(groups.begin(), groups.end(),
                            [&](const NodeGroup& group) { return group.id == entry.first; });
    });
    published_.publish(known_);
}

const GroupDetails* AllDetails::find(const NodeGroupId& group) const {
    const auto at = known_.find(group);
    return at != known_.end() ? &at->second : nullptr;
}

Result<Price> AllDetails::price(const TemplateView& node) const {
    const Labels labels = copy_labels(node.labels());
    if (const auto groups = published_.read()) {
        for (const auto& [id, group] : *groups) {
            if (!group.price_per_hour || !group.node || !is_one_of(*group.node, labels)) continue;
            return Price{.per_hour = *group.price_per_hour, .currency = config_.currency};
        }
    }
    return fail(ErrorCode::not_found, "no price is known for " + in_quotes(node.name()));
}

GroupOptions AllDetails::options(std::string_view group) const {
    const auto groups = published_.read();
    if (!groups) return {};
    const auto at = groups->find(NodeGroupId(group));
    return at != groups->end() ? at->second.options : GroupOptions{};
}

}  // namespace capstan::external_grpc
