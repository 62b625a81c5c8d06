#include "autoscaler/dump/status_map.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <capstan/time_text.hpp>
#include <capstan/whole_number.hpp>

#include "kubernetes/client/access/kubeconfig_yaml.hpp"

namespace capstan::autoscaler::dump {
namespace {

using kubernetes::client::YamlValue;

/// NULL: a part of the path is absent.
const YamlValue* find(const YamlValue& from, std::initializer_list<std::string_view> path) {
    const YamlValue* at = &from;
    for (const std::string_view key : path) {
        if (at == nullptr) return nullptr;
        at = at->find(key);
    }
    return at;
}

std::string text_at(const YamlValue& from, std::initializer_list<std::string_view> path) {
    const YamlValue* const at = find(from, path);
    return at == nullptr ? std::string() : at->text;
}

/// Absent: it is not there, or is not a number of nodes.
std::optional<int> count_at(const YamlValue& from, std::initializer_list<std::string_view> path) {
    constexpr std::int64_t most = 1'000'000;
    const auto number = find_whole_number(text_at(from, path));
    if (!number || *number < 0 || *number > most) return std::nullopt;
    return static_cast<int>(*number);
}

StatusGroup read_group(const YamlValue& group) {
    StatusGroup out{.name = text_at(group, {"name"}),
                    .min = count_at(group, {"health", "minSize"}),
                    .max = count_at(group, {"health", "maxSize"})};
    const int target = count_at(group, {"health", "cloudProviderTarget"}).value_or(0);
    const int missing = count_at(group, {"health", "nodeCounts", "longUnregistered"}).value_or(0);
    out.target = std::max(target - missing, 0);
    if (text_at(group, {"scaleUp", "status"}) != "Backoff") return out;
    out.backoff = {.code = text_at(group, {"scaleUp", "backoffInfo", "errorCode"}),
                   .message = text_at(group, {"scaleUp", "backoffInfo", "errorMessage"}),
                   .since = find_rfc3339(text_at(group, {"scaleUp", "lastTransitionTime"}))};
    return out;
}

}  // namespace

Result<std::vector<StatusGroup>> parse_status(const std::string& text) {
    CAPSTAN_TRY(const YamlValue status, kubernetes::client::parse_yaml("status", text));
    const YamlValue* const groups = status.find("nodeGroups");
    if (groups == nullptr || groups->kind != YamlValue::Kind::list)
        return fail(ErrorCode::invalid_config, "status: has no list nodeGroups");
    std::vector<StatusGroup> out;
    for (const YamlValue& group : groups->children) {
        out.push_back(read_group(group));
        if (out.back().name.empty()) out.pop_back();
    }
    return out;
}

}  // namespace capstan::autoscaler::dump
