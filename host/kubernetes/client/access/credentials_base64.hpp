/// Bytes as text, as kubeconfigs and HTTP's basic authentication have them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capstan::kubernetes {

/// RFC 4648, with padding.
std::string base64_text(std::string_view bytes);

/// Nothing when it is none. Line breaks count as nothing, for long values come folded.
std::optional<std::string> find_base64_bytes(std::string_view text);

}  // namespace capstan::kubernetes
