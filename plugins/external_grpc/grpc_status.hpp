/// Status codes and messages of gRPC calls.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <capstan/error.hpp>

namespace capstan::external_grpc {

/// The codes that callers compare with; grpc_status.cpp has the table of all codes.
inline constexpr int grpc_ok = 0;
inline constexpr int grpc_unknown = 2;

/// "NOT_FOUND"; an unknown number is "UNKNOWN", as gRPC defines.
std::string_view name_of_grpc_code(int code) noexcept;
/// The error code for a gRPC code other than grpc_ok.
ErrorCode error_code_of(int grpc_code) noexcept;

/// Parses a `grpc-status`; absent if the text is not a number of at most three digits.
std::optional<int> find_grpc_code(std::string_view text) noexcept;

/// Decodes a percent-encoded `grpc-message`. A malformed escape is kept as it is.
std::string decode_grpc_message(std::string_view encoded);

}  // namespace capstan::external_grpc
