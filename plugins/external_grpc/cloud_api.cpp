#include "cloud_api.hpp"

#include <set>
#include <utility>

#include <capstan/sentence.hpp>

#include "cloud_messages.hpp"
#include "node_message.hpp"

namespace capstan::external_grpc {
namespace {

constexpr const char* provider_service =
    "clusterautoscaler.cloudprovider.v1.externalgrpc.CloudProvider";

std::string about_group(const NodeGroupId& group) { return "group " + in_quotes(group.value()); }

NodeGroup group_of(const wire::NodeGroup& reply) {
    NodeGroup out{.id = NodeGroupId(reply.id()), .min = reply.minsize(), .max = reply.maxsize()};
    out.debug = reply.debug();
    return out;
}

/// A request with a group's id as the only field.
template <class Request>
Request request_about(const NodeGroupId& group) {
    Request out;
    out.set_id(group.value());
    return out;
}

template <class Request>
Request resize_request(const NodeGroupId& group, int delta) {
    Request out = request_about<Request>(group);
    out.set_delta(delta);
    return out;
}

/// The task's value, or its error with the group's name at the beginning.
template <class T>
Task<T> named(NodeGroupId group, Task<T> task) {
    Result<T> out = co_await as_result(std::move(task));
    if (!out) co_return fail(within(about_group(group), std::move(out).error()));
    co_return std::move(out);
}

}  // namespace

CloudApi::CloudApi(Host host, ServerAddress server)
    : host_(host), channel_(host, std::move(server), provider_service) {}

Task<void> CloudApi::refresh() const {
    co_await channel_.ask<wire::RefreshResponse>("Refresh", wire::RefreshRequest());
}

Task<std::vector<NodeGroup>> CloudApi::groups() const {
    const auto reply =
        co_await channel_.ask<wire::NodeGroupsResponse>("NodeGroups", wire::NodeGroupsRequest());
    std::vector<NodeGroup> out;
    std::set<std::string> ids;
    for (const wire::NodeGroup& group : reply.nodegroups()) {
        if (group.id().empty()) co_return fail(ErrorCode::unavailable, "a group has no id");
        if (!ids.insert(group.id()).second)
            co_return fail(ErrorCode::unavailable,
                           "two groups have the id " + in_quotes(group.id()));
        out.push_back(group_of(group));
    }
    co_return out;
}

Task<int> CloudApi::target_size(NodeGroupId group) const {
    auto request = request_about<wire::NodeGroupTargetSizeRequest>(group);
    auto asked =
        channel_.ask<wire::NodeGroupTargetSizeResponse>("NodeGroupTargetSize", std::move(request));
    const auto reply = co_await named(group, std::move(asked));
    if (reply.targetsize() < 0)
        co_return fail(ErrorCode::unavailable, about_group(group) + ": its target size is " +
                                                   std::to_string(reply.targetsize()));
    co_return reply.targetsize();
}

Task<std::vector<Machine>> CloudApi::machines(NodeGroupId group) const {
    auto request = request_about<wire::NodeGroupNodesRequest>(group);
    auto asked = channel_.ask<wire::NodeGroupNodesResponse>("NodeGroupNodes", std::move(request));
    const auto reply = co_await named(group, std::move(asked));
    std::vector<Machine> out;
    for (const wire::Instance& instance : reply.instances()) {
        if (instance.id().empty())
            co_return fail(ErrorCode::unavailable, about_group(group) + ": a machine has no id");
        out.push_back(machine_of(instance, group));
    }
    co_return out;
}

Task<void> CloudApi::increase_size(NodeGroupId group, int delta) const {
    auto request = resize_request<wire::NodeGroupIncreaseSizeRequest>(group, delta);
    auto asked = channel_.ask<wire::NodeGroupIncreaseSizeResponse>("NodeGroupIncreaseSize",
                                                                   std::move(request));
    co_await named(group, std::move(asked));
}

Task<void> CloudApi::decrease_target_size(NodeGroupId group, int delta) const {
    auto request = resize_request<wire::NodeGroupDecreaseTargetSizeRequest>(group, -delta);
    auto asked = channel_.ask<wire::NodeGroupDecreaseTargetSizeResponse>(
        "NodeGroupDecreaseTargetSize", std::move(request));
    co_await named(group, std::move(asked));
}

Task<void> CloudApi::delete_nodes(NodeGroupId group, std::vector<NodeReference> nodes) const {
    auto request = request_about<wire::NodeGroupDeleteNodesRequest>(group);
    for (const NodeReference& node : nodes) *request.add_nodes() = message_of(node);
    auto asked = channel_.ask<wire::NodeGroupDeleteNodesResponse>("NodeGroupDeleteNodes",
                                                                  std::move(request));
    co_await named(group, std::move(asked));
}

Task<NodeTemplate> CloudApi::template_node(NodeGroupId group) const {
    auto request = request_about<wire::NodeGroupTemplateNodeInfoRequest>(group);
    auto asked = channel_.ask<wire::NodeGroupTemplateNodeInfoResponse>("NodeGroupTemplateNodeInfo",
                                                                       std::move(request));
    const auto reply = co_await named(group, std::move(asked));
    const std::string& bytes = node_bytes_of(reply);
    if (bytes.empty())
        co_return fail(ErrorCode::not_found, about_group(group) + ": its template has no node");
    Result<NodeTemplate> node = parse_node(bytes);
    if (!node) co_return fail(within(about_group(group) + ": its template", node.error()));
    co_return std::move(node);
}

Task<GroupOptions> CloudApi::options(NodeGroupId group, OptionDefaults defaults) const {
    auto request = request_about<wire::NodeGroupAutoscalingOptionsRequest>(group);
    *request.mutable_defaults() = message_of(defaults);
    auto asked = channel_.ask<wire::NodeGroupAutoscalingOptionsResponse>("NodeGroupGetOptions",
                                                                         std::move(request));
    const auto reply = co_await named(group, std::move(asked));
    if (!reply.has_nodegroupautoscalingoptions()) co_return GroupOptions();
    co_return options_of(reply.nodegroupautoscalingoptions(), defaults);
}

Task<double> CloudApi::hourly_price(NodeReference node) const {
    wire::PricingNodePriceRequest request;
    *request.mutable_node() = message_of(node);
    *request.mutable_starttimestamp() = message_of(host_.now());
    *request.mutable_endtimestamp() = message_of(host_.now() + std::chrono::hours(1));
    const auto reply = co_await channel_.ask<wire::PricingNodePriceResponse>("PricingNodePrice",
                                                                             std::move(request));
    co_return reply.price();
}

}  // namespace capstan::external_grpc
