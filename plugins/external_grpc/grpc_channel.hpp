/// gRPC's unary calls over the host's HTTP service.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <capstan/http.hpp>
#include <capstan/task.hpp>

namespace capstan::external_grpc {

/// Where a server is and how it is spoken to.
struct ServerAddress {
    std::string url{};        ///< https://NAME[:PORT], or http:// for one without TLS; no path
    std::string authority{};  ///< what requests call the server; empty: as in `url`
    Duration timeout = std::chrono::seconds(10);  ///< of one call
};

/// Each error says which call it is of, and what the server or the host said.
/// Error::provider_code is the name of the gRPC code, "" where the server gave none. [strand]
class GrpcChannel {
public:
    /// `service` with its package: "grpcplugin.Expander".
    GrpcChannel(Host host, ServerAddress server, std::string service);

    /// The bytes of the reply's message.
    Task<std::string> call(std::string method, std::string message) const;

    /// The same with protobuf's messages. A reply that is none of that type is `unavailable`.
    template <class Reply, class Request>
    Task<Reply> ask(std::string method, Request request) const {
        std::string message;
        request.SerializeToString(&message);
        const std::string bytes = co_await call(method, std::move(message));
        Reply reply;
        if (!reply.ParseFromString(bytes))
            throw Failure(ErrorCode::unavailable, path_of(method) + ": cannot read the reply");
        co_return reply;
    }

private:
    std::string path_of(std::string_view method) const;
    HttpRequest request_of(const std::string& method, std::string body, Duration timeout) const;

    Host host_;
    ServerAddress server_;
    std::string service_;
};

/// The message of a reply, or what the server said instead. `call` is for the error.
Result<std::string> read_grpc_reply(const std::string& call, const HttpReply& reply);

/// A `grpc-timeout`: whole milliseconds, at least one, in at most eight digits.
std::string grpc_timeout(Duration timeout);

}  // namespace capstan::external_grpc
