/// The framing of a message in the body of a gRPC request or reply: one byte for compression, four
/// bytes for the length, then the message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::external_grpc {

/// The maximum size of a message, by the limit of the host's HTTP service for a body.
inline constexpr std::size_t longest_message = (16u << 20) - 5;

/// `invalid_argument`: the message is longer than `longest_message`.
Result<std::string> frame_message(std::string_view message);

/// The message of a unary reply; a view into `body`. `unavailable`: the body has no message or
/// several, or the message is compressed or truncated.
Result<std::string_view> unframe_message(std::string_view body);

}  // namespace capstan::external_grpc
