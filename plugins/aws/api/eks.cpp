#include "eks.hpp"

#include <limits>
#include <utility>

#include <capstan/json.hpp>
#include <capstan/url.hpp>

#include "../wire/aws_client.hpp"
#include "eks_json.hpp"

namespace capstan::aws {
namespace {

Labels texts_of(const Json* object) {
    Labels out;
    if (object == nullptr) return out;
    for (const auto& [key, value] : object->members()) {
        if (value.is_text()) out.insert_or_assign(key, value.text());
    }
    return out;
}

std::vector<EksTaint> eks_taints_of(const Json* list) {
    std::vector<EksTaint> out;
    if (list == nullptr) return out;
    for (const Json& item : list->items()) {
        out.push_back({.key = item.text_at({"key"}),
                       .value = item.text_at({"value"}),
                       .effect = item.text_at({"effect"})});
    }
    return out;
}

std::optional<int> find_size(const Json* value) {
    const auto size = value != nullptr ? value->integer() : std::nullopt;
    if (!size || *size < 0 || *size > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(*size);
}

}  // namespace

Result<EksNodegroup> read_nodegroup(const Json& answer) {
    const Json* const group = answer.find("nodegroup");
    if (group == nullptr || !group->is_object())
        return fail(ErrorCode::unavailable, "eks:DescribeNodegroup: the response has no nodegroup");
    return EksNodegroup{.name = group->text_at({"nodegroupName"}),
                        .cluster = group->text_at({"clusterName"}),
                        .ami_type = group->text_at({"amiType"}),
                        .capacity_type = group->text_at({"capacityType"}),
                        .version = group->text_at({"version"}),
                        .disk_size_gib = find_size(group->find("diskSize")),
                        .labels = texts_of(group->find("labels")),
                        .tags = texts_of(group->find("tags")),
                        .taints = eks_taints_of(group->find("taints"))};
}

Task<EksNodegroup> EksApi::describe_nodegroup(std::string cluster, std::string name) {
    std::string path =
        "/clusters/" + percent_encode(cluster) + "/node-groups/" + percent_encode(name);
    const Json answer = co_await client_.get(Service::eks, "DescribeNodegroup", std::move(path));
    co_return read_nodegroup(answer);
}

}  // namespace capstan::aws
