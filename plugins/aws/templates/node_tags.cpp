#include "node_tags.hpp"

#include <optional>
#include <utility>

#include <capstan/label_syntax.hpp>
#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

constexpr std::string_view label_part = "label/", taint_part = "taint/",
                           resource_part = "resources/";

/// The key without the prefix and `part`; nullopt if the key does not begin with both.
std::optional<std::string_view> find_tag_part(std::string_view key, std::string_view part) {
    if (!key.starts_with(node_template_prefix)) return std::nullopt;
    key.remove_prefix(node_template_prefix.size());
    if (!key.starts_with(part)) return std::nullopt;
    return key.substr(part.size());
}

std::string tag_left_out(const std::string& key, const std::string& why) {
    return "tag " + key + ": " + why + "; ignored";
}

/// The effect follows the last colon. Without a colon the text is the effect.
Result<Taint> read_taint_tag(std::string_view key, std::string_view written) {
    const std::size_t colon = written.rfind(':');
    const bool has_colon = colon != std::string_view::npos;
    const auto effect = find_effect(has_colon ? written.substr(colon + 1) : written);
    const std::string_view value = has_colon ? written.substr(0, colon) : std::string_view();
    if (!effect) {
        return fail(ErrorCode::invalid_argument,
                    in_quotes(written) +
                        " has no effect; expected \"value:EFFECT\" with NoSchedule, "
                        "PreferNoSchedule or NoExecute");
    }
    CAPSTAN_CHECK(check_label_key(key));
    CAPSTAN_CHECK(check_label_value(value));
    return Taint{.key = std::string(key), .value = std::string(value), .effect = *effect};
}

Result<void> read_label_tag(std::string_view key, const std::string& value, Labels& out) {
    CAPSTAN_CHECK(check_label_key(key));
    CAPSTAN_CHECK(check_label_value(value));
    out.insert_or_assign(std::string(key), value);
    return {};
}

Result<void> read_resource_tag(std::string_view name, std::string_view written, Resources& out) {
    CAPSTAN_CHECK(check_label_key(name));
    CAPSTAN_TRY(const Quantity quantity, parse_quantity(written));
    if (quantity.sign() < 0) {
        return fail(ErrorCode::invalid_argument, in_quotes(written) + " is negative");
    }
    out.set(name, amount_of(name, quantity));
    return {};
}

Result<void> read_node_tag(const std::string& key, const std::string& value, NodeTags& out) {
    if (const auto label = find_tag_part(key, label_part))
        return read_label_tag(*label, value, out.labels);
    if (const auto resource = find_tag_part(key, resource_part))
        return read_resource_tag(*resource, value, out.resources);
    if (const auto taint = find_tag_part(key, taint_part)) {
        CAPSTAN_TRY(Taint read, read_taint_tag(*taint, value));
        out.taints.push_back(std::move(read));
    }
    return {};
}

}  // namespace

NodeTags read_node_tags(const Labels& tags) {
    NodeTags out;
    for (const auto& [key, value] : tags) {
        const Result<void> read = read_node_tag(key, value, out);
        if (!read) out.warnings.push_back(tag_left_out(key, read.error().message));
    }
    return out;
}

ResourceTags read_resource_tags(const Labels& tags) {
    ResourceTags out;
    for (const auto& [key, value] : tags) {
        const auto name = find_tag_part(key, resource_part);
        if (!name) continue;
        const Result<void> read = read_resource_tag(*name, value, out.resources);
        if (!read) out.warnings.push_back(tag_left_out(key, read.error().message));
    }
    return out;
}

bool is_template_tag(std::string_view key) noexcept {
    if (key.starts_with("eks:")) return true;
    if (!key.starts_with(node_template_prefix)) return false;
    key.remove_prefix(node_template_prefix.size());
    return key.starts_with(label_part) || key.starts_with(taint_part) ||
           key.starts_with(resource_part);
}

}  // namespace capstan::aws
