#include "config_yaml.hpp"

#include <yaml-cpp/yaml.h>

namespace capstan::expanders {
namespace {

Unexpected fail_at(const YAML::Mark& mark, const std::string& why) {
    // A mark counts from zero, and is -1 for what is not in the document.
    const std::string place = mark.is_null()
                                  ? std::string()
                                  : "line " + std::to_string(mark.line + 1) + ", column " +
                                        std::to_string(mark.column + 1) + ": ";
    return fail(ErrorCode::invalid_config, place + why);
}

Result<std::vector<Pattern>> read_patterns(const YAML::Node& list) {
    std::vector<Pattern> out;
    if (list.IsNull()) return out;
    if (!list.IsSequence())
        return fail_at(list.Mark(), "a priority needs a list of regular expressions");
    for (const YAML::Node& item : list) {
        if (!item.IsScalar()) return fail_at(item.Mark(), "a regular expression must be a string");
        auto pattern = parse_pattern(item.Scalar());
        if (!pattern) return fail_at(item.Mark(), pattern.error().message);
        out.push_back(*std::move(pattern));
    }
    return out;
}

Result<Tiers> read_tiers(const YAML::Node& root) {
    if (!root.IsDefined() || root.IsNull())
        return fail(ErrorCode::invalid_config, "the document is empty");
    if (!root.IsMap()) return fail_at(root.Mark(), "expected a map of priorities to lists");
    Tiers out;
    for (const auto& entry : root) {
        if (!entry.first.IsScalar())
            return fail_at(entry.first.Mark(), "a priority must be an integer");
        const auto priority = parse_priority(entry.first.Scalar());
        if (!priority) return fail_at(entry.first.Mark(), priority.error().message);
        CAPSTAN_TRY(auto patterns, read_patterns(entry.second));
        if (!out.try_emplace(*priority, std::move(patterns)).second) {
            return fail_at(entry.first.Mark(), "duplicate priority " + std::to_string(*priority));
        }
    }
    if (out.empty()) return fail_at(root.Mark(), "has no priorities");
    return out;
}

Result<Tiers> read_document(const std::string& document);

bool is_config_map(const YAML::Node& root) {
    return root.IsMap() && root["kind"].IsDefined() && root["data"].IsDefined();
}

/// The whole ConfigMap, as `kubectl get configmap -o yaml` prints it: the document is text in it.
Result<Tiers> read_manifest_data(const YAML::Node& data) {
    const YAML::Node inner =
        data.IsMap() ? data["priorities"] : YAML::Node(YAML::NodeType::Undefined);
    if (!inner.IsDefined() || !inner.IsScalar())
        return fail_at(data.Mark(), "the ConfigMap has no string under the key priorities");
    auto tiers = read_document(inner.Scalar());
    if (!tiers) tiers.error().message.insert(0, "in data.priorities: ");
    return tiers;
}

Result<Tiers> read_document(const std::string& document) {
    const YAML::Node root = YAML::Load(document);
    return is_config_map(root) ? read_manifest_data(root["data"]) : read_tiers(root);
}

}  // namespace

Result<Tiers> parse_priorities_yaml(const std::string& document) {
    try {
        return read_document(document);
    } catch (const YAML::Exception& e) {
        return fail_at(e.mark, e.msg);
    }
}

}  // namespace capstan::expanders
