/// gRPC's unary calls over the host's HTTP service.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <capstan/http.hpp>
#include <capstan/task.hpp>

namespace capstan::external_grpc {

/// The address of a server, and the timeout of calls.
struct ServerAddress {
    std::string url{};        ///< https://NAME[:PORT], or http:// for one without TLS; no path
    std::string authority{};  ///< the pseudo-header `:authority`; empty: that of `url`
    Duration timeout = std::chrono::seconds(10);  ///< of one call
};

/// Each error names the call and has the message of the server or the host. Error::provider_code is
/// the name of the gRPC code if the server gave one, and else that of the host's error. [strand]
class GrpcChannel {
public:
    /// `service` includes its package: "grpcplugin.Expander".
    GrpcChannel(Host host, ServerAddress server, std::string service);

    /// The bytes of the reply's message.
    Task<std::string> call(std::string method, std::string message) const;

    /// Like `call`, with protobuf messages. `unavailable`: the reply cannot be parsed.
    template <class Reply, class Request>
    Task<Reply> ask(std::string method, Request request) const {
        std::string message;
        request.SerializeToString(&message);
        const std::string bytes = co_await call(method, std::move(message));
        Reply reply;
        if (!reply.ParseFromString(bytes))
            throw Failure(ErrorCode::unavailable, path_of(method) + ": cannot read the response");
        co_return reply;
    }

private:
    std::string path_of(std::string_view method) const;
    HttpRequest request_of(const std::string& method, std::string body, Duration timeout) const;

    Host host_;
    ServerAddress server_;
    std::string service_;
};

/// The message of a reply, or the server's error. `call` is named in the error.
Result<std::string> read_grpc_reply(const std::string& call, const HttpReply& reply);

/// A `grpc-timeout`: whole milliseconds, at least one, in at most eight digits.
std::string grpc_timeout(Duration timeout);

}  // namespace capstan::external_grpc
