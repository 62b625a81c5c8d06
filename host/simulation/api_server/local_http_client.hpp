/// Requests to an API server in this process, without a network and on whatever clock it has.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "io/http_client.hpp"
#include "simulation/api_server/api_server.hpp"

namespace capstan::simulation::api_server {

/// Has the errors that a network would have: a reply that is cut off is a lost connection, and a
/// peer that gives up has the server see it leave. What a URL says before its path does not count.
/// [the loop's thread]
class LocalHttpClient final : public io::HttpClient {
public:
    /// Each request as it leaves, before it may be refused.
    using OnRequest = std::function<void(const io::ServedRequest&)>;

    /// Borrows both.
    LocalHttpClient(ApiServer& server, io::Loop& loop, OnRequest on_request = {});
    LocalHttpClient(const LocalHttpClient&) = delete;
    LocalHttpClient& operator=(const LocalHttpClient&) = delete;
    /// No callback runs afterwards.
    ~LocalHttpClient() override;

    RequestId send(HttpRequest request, Done done) override;
    RequestId stream(HttpRequest request, Listener listener, Done done) override;
    void cancel(RequestId id) override;

    /// False: the server's port is closed. What is open is lost, and new connections are refused.
    void set_reachable(bool reachable);

private:
    class Exchange;
    RequestId begin(HttpRequest request, Listener listener, bool is_stream, Done done);
    void hand_over(std::shared_ptr<Exchange> exchange, const io::ServedRequest& request);

    ApiServer& server_;
    io::Loop& loop_;
    const OnRequest on_request_;
    bool is_reachable_ = true;
    RequestId last_id_ = 0;
    /// Shared with exchanges, which take themselves out, and may outlive this.
    std::shared_ptr<std::map<RequestId, std::shared_ptr<Exchange>>> open_;
};

}  // namespace capstan::simulation::api_server
