/// Parses taints. For the inverse see to_string in taints.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <capstan/result.hpp>
#include <capstan/sentence.hpp>
#include <capstan/taints.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// In kubectl's format. The effect follows the last colon, since a value may contain colons.
/// Does not check whether Kubernetes allows the key and the value.
///     "dedicated=gpu:NoSchedule"        "dedicated:NoSchedule"        "gpu=:NoSchedule"
/// Fails with `invalid_argument` on anything else: without a key, or with an unknown effect.
inline Result<Taint> parse_taint(std::string_view written) {
    const std::size_t colon = written.rfind(':');
    const bool has_effect = colon != std::string_view::npos;
    const std::string_view front = written.substr(0, has_effect ? colon : 0);
    const std::optional<Effect> effect =
        has_effect ? find_effect(written.substr(colon + 1)) : std::nullopt;
    const std::size_t equal = front.find('=');
    const std::string_view key = front.substr(0, equal);
    if (!effect || key.empty()) {
        return fail(ErrorCode::invalid_argument,
                    in_quotes(written) + " is not a taint such as \"key=value:NoSchedule\"");
    }
    const std::string_view value =
        equal == std::string_view::npos ? std::string_view() : front.substr(equal + 1);
    return Taint{.key = std::string(key), .value = std::string(value), .effect = *effect};
}

CAPSTAN_NAMESPACE_END
