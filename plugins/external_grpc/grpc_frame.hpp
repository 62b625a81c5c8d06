/// A message as it stands in the body of a gRPC request or reply: one byte that says whether it is
/// compressed, four of its length, the message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::external_grpc {

/// What one request or reply may have, as the host's HTTP service bounds them.
inline constexpr std::size_t longest_message = (16u << 20) - 5;

/// `invalid_argument`: it is longer than `longest_message`.
Result<std::string> frame_message(std::string_view message);

/// The one message of a unary reply; points into `body`. An error, `unavailable`: there is none or
/// more than one, it is compressed, or it ends too early.
Result<std::string_view> unframe_message(std::string_view body);

}  // namespace capstan::external_grpc
