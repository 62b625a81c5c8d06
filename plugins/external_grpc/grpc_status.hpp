/// How a gRPC call ended: its code, what the host does about it, and its message as it travels.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <capstan/error.hpp>

namespace capstan::external_grpc {

/// The codes that are looked at by themselves; grpc_status.cpp has the table of all.
inline constexpr int grpc_ok = 0;
inline constexpr int grpc_unknown = 2;

/// "NOT_FOUND"; a number that is no code is "UNKNOWN", as gRPC says.
std::string_view name_of_grpc_code(int code) noexcept;
/// Not for grpc_ok.
ErrorCode error_code_of(int grpc_code) noexcept;

/// The text of a `grpc-status`; nothing: it is no number of at most three digits.
std::optional<int> find_grpc_code(std::string_view text) noexcept;

/// A `grpc-message`, in which bytes may stand as %XX; what is no such escape stays as it is.
std::string decode_grpc_message(std::string_view encoded);

}  // namespace capstan::external_grpc
