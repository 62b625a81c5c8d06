/// A gRPC server in the HTTP of the fake host: its responses to each call, and the requests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/fake_host.hpp>

#include "cloud_messages.hpp"
#include "grpc_frame.hpp"

namespace capstan::external_grpc {

inline constexpr const char* server_url = "https://grpc.example:8086";
inline constexpr const char* cloud_service =
    "clusterautoscaler.cloudprovider.v1.externalgrpc.CloudProvider";

/// A reply with the status after the body.
inline HttpReply grpc_reply(const std::string& message, const std::string& status = "0") {
    return testing::reply(200, *frame_message(message), {{"content-type", "application/grpc"}},
                          {{"grpc-status", status}});
}

/// A failure with the status in the headers and no body.
inline HttpReply grpc_failure(int code, const std::string& message = {}) {
    return testing::reply(200, {},
                          {{"content-type", "application/grpc"},
                           {"grpc-status", std::to_string(code)},
                           {"grpc-message", message}});
}

class FakeServer {
public:
    explicit FakeServer(testing::FakeHost& host, std::string service = cloud_service)
        : host_(host), service_(std::move(service)) {}

    std::string url(const std::string& method) const {
        return std::string(server_url) + "/" + service_ + "/" + method;
    }
    /// The response to any number of calls with any request.
    template <class Reply>
    FakeServer& always(const std::string& method, const Reply& reply) {
        host_.http().always("POST", url(method), grpc_reply(reply.SerializeAsString()));
        return *this;
    }
    /// The response to any number of calls with exactly this request.
    template <class Request, class Reply>
    FakeServer& on(const std::string& method, const Request& request, const Reply& reply) {
        return arrange(method, request, grpc_reply(reply.SerializeAsString()));
    }
    template <class Request>
    FakeServer& refuse(const std::string& method, const Request& request, int code) {
        return arrange(method, request, grpc_failure(code));
    }
    FakeServer& refuse(const std::string& method, int code, const std::string& message = {}) {
        host_.http().always("POST", url(method), grpc_failure(code, message));
        return *this;
    }
    /// Accepts the request and never responds.
    template <class Request>
    FakeServer& hang(const std::string& method, const Request& request) {
        return arrange(method, request, std::nullopt);
    }

    /// The requests of a call, in order.
    template <class Request>
    std::vector<Request> requests(const std::string& method) const {
        std::vector<Request> out;
        for (const HttpRequest& request : host_.http().requests()) {
            if (request.url != url(method)) continue;
            Request message;
            message.ParseFromString(std::string(*unframe_message(request.body)));
            out.push_back(std::move(message));
        }
        return out;
    }

private:
    template <class Request>
    FakeServer& arrange(const std::string& method, const Request& request,
                        std::optional<HttpReply> reply) {
        host_.http().on({.method = "POST",
                         .url = url(method),
                         .request_body = *frame_message(request.SerializeAsString()),
                         .reply = std::move(reply),
                         .times = -1});
        return *this;
    }

    testing::FakeHost& host_;
    std::string service_;
};

}  // namespace capstan::external_grpc
