/// An API server in this process, for kubectl and for every client that speaks JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "io/http_server.hpp"
#include "simulator/api_server/api_faults.hpp"
#include "simulator/api_server/custom_kinds.hpp"
#include "simulator/api_server/object_store.hpp"
#include "simulator/api_server/watch_streams.hpp"

namespace capstan::simulator::api_server {

/// Serves a store. In addition to the API it serves /capstan/faults: GET lists the faults on
/// demand, POST adds one, DELETE removes all. POST /capstan/faults/cut cuts all watches, and POST
/// /capstan/faults/compact discards the history of changes. [the loop's thread]
class ApiServer {
public:
    struct Options {
        std::string address = "127.0.0.1";
        std::uint16_t port = 0;  ///< 0: any free port
        std::string version = "v1.33.0";
        WatchStreams::Options watches{};
    };
    explicit ApiServer(ObjectStore& store) : ApiServer(store, Options{}) {}
    /// Borrows the store. Custom resources of its definitions are served from now on.
    ApiServer(ObjectStore& store, Options options);
    ApiServer(const ApiServer&) = delete;
    ApiServer& operator=(const ApiServer&) = delete;
    ~ApiServer();

    /// Answers on the network from now on. `unavailable`: the address is taken.
    Result<void> listen();
    /// The port on which the server listens; zero: it does not listen.
    std::uint16_t port() const noexcept;
    std::string url() const;
    /// The text of a kubeconfig that leads to this server.
    std::string kubeconfig() const;

    /// Handles one request as if the network had brought it.
    void handle(const io::ServedRequest& request, const io::Responder& responder);
    /// The reply to a request, without a connection and without faults; absent: the request is a
    /// watch.
    std::optional<HttpReply> answer(const io::ServedRequest& request);

    ApiFaults& faults() noexcept { return faults_; }
    void cut_watches() { watches_.cut_all(); }
    std::size_t watch_count() const noexcept { return watches_.count(); }

private:
    void conclude(const ApiRequest& request, const io::Responder& responder,
                  const std::optional<ApiFault>& fault, std::optional<HttpReply> reply);
    HttpReply reply_to(const ApiRequest& request);
    HttpReply find_reply(const ApiRequest& request);
    Answer<HttpReply> serve_object(const ApiRequest& request);
    std::optional<HttpReply> serve_document(const ApiRequest& request);
    std::optional<HttpReply> serve_openapi(const ApiRequest& request);
    HttpReply serve_faults(const ApiRequest& request);
    Answer<void> watch(const ApiRequest& request, const io::Responder& responder,
                       const std::optional<ApiFault>& fault);

    ObjectStore& store_;
    Options options_;
    CustomKinds custom_kinds_;
    ApiFaults faults_;
    WatchStreams watches_;
    std::unique_ptr<io::HttpServer> http_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace capstan::simulator::api_server
