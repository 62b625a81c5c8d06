#include "grpc_status.hpp"

#include <array>
#include <charconv>
#include <cstddef>

namespace capstan::external_grpc {
namespace {

struct GrpcCode {
    std::string_view name;
    ErrorCode error;
};

/// Indexed by number. UNKNOWN and INTERNAL count as failures of the server and not as mistakes of
/// this plugin: servers in Go answer UNKNOWN for every error without a code.
constexpr std::array<GrpcCode, 17> grpc_codes{{
    {"OK", ErrorCode::internal},
    {"CANCELLED", ErrorCode::cancelled},
    {"UNKNOWN", ErrorCode::unavailable},
    {"INVALID_ARGUMENT", ErrorCode::invalid_argument},
    {"DEADLINE_EXCEEDED", ErrorCode::deadline},
    {"NOT_FOUND", ErrorCode::not_found},
    {"ALREADY_EXISTS", ErrorCode::conflict},
    {"PERMISSION_DENIED", ErrorCode::permission},
    {"RESOURCE_EXHAUSTED", ErrorCode::quota},
    {"FAILED_PRECONDITION", ErrorCode::conflict},
    {"ABORTED", ErrorCode::conflict},
    {"OUT_OF_RANGE", ErrorCode::invalid_argument},
    {"UNIMPLEMENTED", ErrorCode::unsupported},
    {"INTERNAL", ErrorCode::unavailable},
    {"UNAVAILABLE", ErrorCode::unavailable},
    {"DATA_LOSS", ErrorCode::unavailable},
    {"UNAUTHENTICATED", ErrorCode::unauthenticated},
}};

const GrpcCode& row_of(int code) noexcept {
    const auto at = static_cast<std::size_t>(code);
    return grpc_codes[code >= 0 && at < grpc_codes.size() ? at : std::size_t{grpc_unknown}];
}

}  // namespace

std::string_view name_of_grpc_code(int code) noexcept { return row_of(code).name; }

ErrorCode error_code_of(int grpc_code) noexcept { return row_of(grpc_code).error; }

std::optional<int> find_grpc_code(std::string_view text) noexcept {
    int code = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, code);
    if (error != std::errc() || read != end || code < 0 || text.size() > 3) return std::nullopt;
    return code;
}

std::string decode_grpc_message(std::string_view encoded) {
    std::string out;
    while (!encoded.empty()) {
        unsigned char byte = 0;
        const bool is_escape = encoded[0] == '%' && encoded.size() >= 3;
        const char* const digits = encoded.data() + 1;
        if (is_escape && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            out += static_cast<char>(byte);
            encoded.remove_prefix(3);
        } else {
            out += encoded[0];
            encoded.remove_prefix(1);
        }
    }
    return out;
}

}  // namespace capstan::external_grpc
