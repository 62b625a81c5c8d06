#include "eks_labels.hpp"

#include <optional>
#include <string_view>

#include <capstan/label_syntax.hpp>
#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

std::optional<Effect> find_eks_effect(std::string_view effect) noexcept {
    if (effect == "NO_SCHEDULE") return Effect::no_schedule;
    if (effect == "NO_EXECUTE") return Effect::no_execute;
    if (effect == "PREFER_NO_SCHEDULE") return Effect::prefer_no_schedule;
    return std::nullopt;
}

}  // namespace

EksLabels read_eks_labels(const EksNodegroup& nodegroup, const std::string& image_id) {
    EksLabels out{.labels = {{"eks.amazonaws.com/nodegroup", nodegroup.name}}};
    if (!nodegroup.capacity_type.empty())
        out.labels.emplace("eks.amazonaws.com/capacityType", nodegroup.capacity_type);
    if (image_id.starts_with("ami-"))
        out.labels.emplace("eks.amazonaws.com/nodegroup-image", image_id);
    for (const auto& [key, value] : nodegroup.labels) {
        if (is_label_key(key) && is_label_value(value)) {
            out.labels.insert_or_assign(key, value);
        } else {
            out.warnings.push_back("node group " + nodegroup.name + ": " +
                                   in_quotes(key + "=" + value) + " is not a valid label; ignored");
        }
    }
    return out;
}

Result<std::vector<Taint>> read_eks_taints(const EksNodegroup& nodegroup) {
    std::vector<Taint> out;
    for (const EksTaint& taint : nodegroup.taints) {
        const auto effect = find_eks_effect(taint.effect);
        if (!effect) {
            return fail(ErrorCode::unsupported,
                        "node group " + nodegroup.name + ": taint " + in_quotes(taint.key) +
                            " has effect " + in_quotes(taint.effect) +
                            "; expected NO_SCHEDULE, NO_EXECUTE or PREFER_NO_SCHEDULE");
        }
        out.push_back({.key = taint.key, .value = taint.value, .effect = *effect});
    }
    return out;
}

}  // namespace capstan::aws
