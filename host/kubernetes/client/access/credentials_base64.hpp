/// Base64 as kubeconfigs have it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capstan::kubernetes::client {

/// Nothing when it is none. Unlike base64_decode it takes line breaks and bits behind the last
/// byte, as Kubernetes does. Line breaks count as nothing, for long values come folded.
std::optional<std::string> find_base64_bytes(std::string_view text);

}  // namespace capstan::kubernetes::client
