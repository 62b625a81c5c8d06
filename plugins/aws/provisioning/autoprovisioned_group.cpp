#include "autoprovisioned_group.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/group_plan_hash.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "../templates/node_tags.hpp"

namespace capstan::aws {
namespace {

constexpr std::size_t launch_template_name_max = 128;
constexpr std::size_t tags_max = 50, tag_key_max = 128, tag_value_max = 256;

std::string template_tag(std::string_view part, const std::string& key) {
    return std::string(node_template_prefix).append(part).append("/").append(key);
}

/// The cluster's name with every character that a launch template's name may not have as '-'.
std::string cleaned_cluster(std::string_view cluster) {
    std::string out(cluster);
    std::ranges::replace_if(
        out,
        [](char c) {
            const bool is_alphanumeric = is_ascii_alnum(c);
            return !is_alphanumeric && c != '-' && c != '_' && c != '.';
        },
        '-');
    return out;
}

/// The value of the tag for a taint. The tag's key contains the taint's, so a group can have only
/// one taint with that key.
std::string taint_tag_value(const Taint& taint) {
    return taint.value + ":" + std::string(name_of(taint.effect));
}

Result<void> add_taint_tags(const std::vector<Taint>& taints, Labels& tags) {
    for (const Taint& taint : taints) {
        const auto [at, is_new] =
            tags.emplace(template_tag("taint", taint.key), taint_tag_value(taint));
        if (!is_new && at->second != taint_tag_value(taint))
            return fail(ErrorCode::unsupported, "a tag can hold one taint with key " +
                                                    in_quotes(taint.key) + ", the plan has two");
    }
    return {};
}

Result<void> check_tag_limits(const Labels& tags) {
    if (tags.size() > tags_max)
        return fail(ErrorCode::unsupported,
                    "the group would have " +
                        counted(static_cast<std::int64_t>(tags.size()), "tag") + ", AWS allows " +
                        std::to_string(tags_max));
    for (const auto& [key, value] : tags) {
        if (key.size() <= tag_key_max && value.size() <= tag_value_max) continue;
        return fail(
            ErrorCode::unsupported,
            "tag " + in_quotes(key) +
                " is too long: AWS allows 128 characters for the key and 256 for the value");
    }
    return {};
}

}  // namespace

std::string name_of_made_group(std::string_view plan_name, std::string_view cluster) {
    std::string out = std::string(plan_name) + "." + cleaned_cluster(cluster);
    if (out.size() <= launch_template_name_max) return out;
    const std::string ending = "-" + hex_text(fnv1a64(cluster)).substr(0, 8);
    out.resize(launch_template_name_max - ending.size());
    return out + ending;
}

bool is_made_for(const Labels& tags, std::string_view cluster) noexcept {
    const auto at = tags.find(made_for_tag);
    return at != tags.end() && !cluster.empty() && at->second == cluster;
}

std::string digest_of(const GroupPlan& plan) { return hex_text(hash_of_plan(plan)); }

Labels capacity_type_labels(bool spot) {
    if (!spot) return {{"eks.amazonaws.com/capacityType", "ON_DEMAND"}};
    return {{"eks.amazonaws.com/capacityType", "SPOT"},
            {std::string(well_known::lifecycle_label), "spot"}};
}

Labels MadeTags::all() const {
    Labels out = own;
    out.insert(propagated.begin(), propagated.end());
    return out;
}

Result<MadeTags> make_tags(const GroupPlan& plan, const Labels& labels,
                           const MakingConfig& config) {
    const auto is_of_template = [](std::string_view key) {
        return key.starts_with("k8s.io/cluster-autoscaler/");
    };
    MadeTags out;
    out.propagated.emplace("kubernetes.io/cluster/" + config.cluster, "owned");
    out.propagated.emplace(made_for_tag, config.cluster);
    out.own.emplace(plan_tag, digest_of(plan));
    out.own.emplace("k8s.io/cluster-autoscaler/enabled", "true");
    out.own.emplace("k8s.io/cluster-autoscaler/" + config.cluster, "owned");
    for (const auto& [key, value] : labels) out.own.emplace(template_tag("label", key), value);
    CAPSTAN_CHECK(add_taint_tags(plan.taints, out.own));
    for (const TagFilter& filter : config.discovery) {
        Labels& where = out.propagated.contains(filter.key) ? out.propagated : out.own;
        if (filter.value || !where.contains(filter.key))
            where.insert_or_assign(filter.key, filter.value.value_or("true"));
    }
    for (const auto& [key, value] : config.tags) {
        if (out.own.contains(key) || out.propagated.contains(key)) continue;
        (is_of_template(key) ? out.own : out.propagated).emplace(key, value);
    }
    CAPSTAN_CHECK(check_tag_limits(out.all()));
    return out;
}

std::vector<TagFilter> discovery_of_made_groups(std::string_view cluster) {
    return {{.key = std::string(made_for_tag), .value = std::string(cluster)}};
}

}  // namespace capstan::aws
