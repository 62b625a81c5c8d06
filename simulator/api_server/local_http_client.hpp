/// Requests to an API server in this process, without a network, on the clock of the loop.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "io/http_client.hpp"
#include "simulator/api_server/api_server.hpp"

namespace capstan::simulator::api_server {

/// Has the errors that a network would have: a reply that the server cuts is a lost connection, and
/// the server notices when a request is cancelled or times out. The scheme and the host of a URL
/// are ignored. [the loop's thread]
class LocalHttpClient final : public io::HttpClient {
public:
    /// Called with each request when the request leaves, also if the port is closed.
    using OnRequest = std::function<void(const io::ServedRequest&)>;

    /// Borrows the server and the loop.
    LocalHttpClient(ApiServer& server, io::Loop& loop, OnRequest on_request = {});
    LocalHttpClient(const LocalHttpClient&) = delete;
    LocalHttpClient& operator=(const LocalHttpClient&) = delete;
    /// No callback runs afterwards.
    ~LocalHttpClient() override;

    RequestId send(HttpRequest request, Done done) override;
    RequestId stream(HttpRequest request, Listener listener, Done done) override;
    void cancel(RequestId id) override;

    /// False: the server's port is closed. Open requests lose their connection, and new requests
    /// are refused.
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
    /// Requests that have no full reply yet. Shared with the exchanges, which remove themselves
    /// from the map and may outlive the client.
    std::shared_ptr<std::map<RequestId, std::shared_ptr<Exchange>>> open_;
};

}  // namespace capstan::simulator::api_server
