#include "grpc_frame.hpp"

#include <cstdint>

#include <capstan/sentence.hpp>

namespace capstan::external_grpc {
namespace {

constexpr std::size_t prefix_size = 5;

}  // namespace

Result<std::string> frame_message(std::string_view message) {
    if (message.size() > longest_message) {
        return fail(ErrorCode::invalid_argument,
                    "the request has " + std::to_string(message.size()) +
                        " bytes, more than the maximum of " + std::to_string(longest_message));
    }
    const auto size = static_cast<std::uint32_t>(message.size());
    std::string out(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((size >> shift) & 0xff);
    return out.append(message);
}

Result<std::string_view> unframe_message(std::string_view body) {
    const auto bad = [](std::string why) { return fail(ErrorCode::unavailable, std::move(why)); };
    if (body.empty()) return bad("the response has no message");
    if (body.size() < prefix_size) return bad("the response ends inside the message length");
    if (body[0] != '\0') return bad("the response is compressed, which was not requested");
    std::size_t size = 0;
    for (std::size_t i = 1; i < prefix_size; ++i)
        size = (size << 8) | static_cast<unsigned char>(body[i]);
    const std::string_view rest = body.substr(prefix_size);
    if (rest.size() < size) {
        return bad("the response ends after " + std::to_string(rest.size()) + " of " +
                   counted(static_cast<std::int64_t>(size), "byte"));
    }
    if (rest.size() > size) return bad("the response has more than one message");
    return rest;
}

}  // namespace capstan::external_grpc
