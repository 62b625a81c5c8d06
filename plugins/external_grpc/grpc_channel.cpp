#include "grpc_channel.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <capstan/sentence.hpp>

#include "grpc_frame.hpp"
#include "grpc_status.hpp"

namespace capstan::external_grpc {
namespace {

constexpr std::string_view content_type = "application/grpc";

Error error_of_status(const std::string& call, int code, std::string_view encoded_message) {
    const std::string_view name = name_of_grpc_code(code);
    const std::string message = decode_grpc_message(encoded_message);
    Error out{error_code_of(code), call + ": " + std::string(name)};
    if (!message.empty()) out.message += " " + in_quotes(message);
    out.provider_code = name;
    return out;
}

/// The error for the HTTP status of a proxy, or of a server of another protocol. 404 is not treated
/// as UNIMPLEMENTED, since that server does not know gRPC.
ErrorCode error_code_of_http(int status) noexcept {
    switch (status) {
        case 401: return ErrorCode::unauthenticated;
        case 403: return ErrorCode::permission;
        case 429: return ErrorCode::throttled;
        default: return ErrorCode::unavailable;
    }
}

/// A reply that fails immediately has no body (Trailers-Only), and its status is in the headers.
std::string_view find_status_field(const HttpReply& reply, std::string_view name) {
    const std::string_view trailing = reply.trailer(name);
    return trailing.empty() ? reply.header(name) : trailing;
}

}  // namespace

std::string grpc_timeout(Duration timeout) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
    return std::to_string(std::clamp<std::int64_t>(ms, 1, 99'999'999)) + "m";
}

Result<std::string> read_grpc_reply(const std::string& call, const HttpReply& reply) {
    const std::string_view status = find_status_field(reply, "grpc-status");
    const std::string_view type = reply.header("content-type");
    if (status.empty() && (reply.status != 200 || !type.starts_with(content_type))) {
        return fail(error_code_of_http(reply.status),
                    call + ": HTTP status " + std::to_string(reply.status) + ", content-type " +
                        in_quotes(type) + ": not a gRPC response");
    }
    const std::optional<int> code = find_grpc_code(status);
    if (!code) {
        return fail(ErrorCode::unavailable, call + ": invalid grpc-status " + in_quotes(status));
    }
    if (*code != grpc_ok)
        return fail(error_of_status(call, *code, find_status_field(reply, "grpc-message")));
    const std::string_view encoding = reply.header("grpc-encoding");
    if (!encoding.empty() && encoding != "identity")
        return fail(ErrorCode::unavailable, call + ": the response is compressed with " +
                                                in_quotes(encoding) + ", which was not requested");
    const Result<std::string_view> message = unframe_message(reply.body);
    if (!message) return fail(within(call, message.error()));
    return std::string(*message);
}

GrpcChannel::GrpcChannel(Host host, ServerAddress server, std::string service)
    : host_(host), server_(std::move(server)), service_(std::move(service)) {}

std::string GrpcChannel::path_of(std::string_view method) const {
    return service_ + "/" + std::string(method);
}

HttpRequest GrpcChannel::request_of(const std::string& method, std::string body,
                                    Duration timeout) const {
    HttpRequest request("POST", server_.url + "/" + path_of(method));
    request.header("content-type", std::string(content_type) + "+proto")
        .header("te", "trailers")
        .header("grpc-accept-encoding", "identity")
        .header("grpc-timeout", grpc_timeout(timeout))
        .with_body(std::move(body))
        .within(timeout);
    if (!server_.authority.empty()) request.header("host", server_.authority);
    if (server_.url.starts_with("https://")) {
        request.http2();
    } else {
        request.http2_prior_knowledge();
    }
    return request;
}

Task<std::string> GrpcChannel::call(std::string method, std::string message) const {
    const std::string name = path_of(method);
    Result<std::string> framed = frame_message(message);
    if (!framed) co_return fail(within(name, framed.error()));
    const std::optional<Duration> left = co_await time_left(host_);
    const Duration timeout = std::min(server_.timeout, left.value_or(server_.timeout));
    HttpRequest request = request_of(method, *std::move(framed), timeout);
    const Result<HttpReply> reply = co_await as_result(send(host_, std::move(request)));
    if (!reply) co_return fail(within(name, reply.error()));
    co_return read_grpc_reply(name, *reply);
}

}  // namespace capstan::external_grpc
