/// Taints that people write. How they are written back: to_string in taints.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <capstan/result.hpp>
#include <capstan/sentence.hpp>
#include <capstan/taints.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// As kubectl has it. The effect is what follows the last colon; a value may have more of them.
/// Whether a key or a value is one that Kubernetes allows is not looked at.
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
                    in_quotes(written) + " is no taint: write \"key=value:NoSchedule\"");
    }
    const std::string_view value =
        equal == std::string_view::npos ? std::string_view() : front.substr(equal + 1);
    return Taint{.key = std::string(key), .value = std::string(value), .effect = *effect};
}

CAPSTAN_NAMESPACE_END
