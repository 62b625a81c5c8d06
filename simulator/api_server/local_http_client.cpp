#include "simulator/api_server/local_http_client.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "io/served_connection.hpp"

namespace capstan::simulator::api_server {
namespace {

/// "http://api.local/api/v1/pods?limit=5" -> "/api/v1/pods?limit=5"
std::string target_of(const std::string& url) {
    const std::size_t scheme = url.find("://");
    const std::size_t path = url.find('/', scheme == std::string::npos ? 0 : scheme + 3);
    return path == std::string::npos ? "/" : url.substr(path);
}

Error lost(const std::string& what) {
    Error error{ErrorCode::unavailable, what + ": the connection was lost"};
    error.provider_code = io::connection_lost;
    return error;
}

}  // namespace

/// One request and its reply. Neither the client nor the server is called inside a call of the
/// other: all calls go through the loop, in order.
class LocalHttpClient::Exchange final : public io::Responder::Exchange::Link,
                                        public std::enable_shared_from_this<Exchange> {
public:
    Exchange(io::Loop& loop, std::string what, Listener listener, bool is_stream, Done done)
        : loop_(loop),
          what_(std::move(what)),
          listener_(std::move(listener)),
          is_stream_(is_stream),
          done_(std::move(done)) {}

    /// `gone` is called once, when the exchange is over.
    void start(Duration timeout, std::function<void()> gone) {
        gone_ = std::move(gone);
        timer_ = loop_.after(timeout, [weak = weak_from_this()] {
            const auto self = weak.lock();
            if (!self) return;
            self->timer_.reset();
            self->finish(fail(ErrorCode::deadline, self->what_ + ": no response in time"));
        });
    }
    void finish(Result<HttpReply> result) {
        if (std::exchange(is_over_, true)) return;
        if (const auto timer = std::exchange(timer_, std::nullopt)) loop_.cancel(*timer);
        later([result = std::move(result)](Exchange& self) mutable {
            if (const Done done = std::exchange(self.done_, nullptr)) done(std::move(result));
        });
        for (auto& then : std::exchange(closed_, {}))
            boost::asio::post(loop_.io(), std::move(then));
        if (const auto gone = std::exchange(gone_, nullptr)) gone();
    }
    void lose() { finish(fail(lost(what_))); }
    void refuse() { finish(fail(ErrorCode::unavailable, what_ + ": connection refused")); }
    /// No callback of the client runs any more.
    void drop_callbacks() {
        done_ = nullptr;
        listener_ = {};
    }

    void send(HttpReply reply) override {
        if (has_begun_) return;
        begin(std::move(reply));
        end();
    }
    void begin(HttpReply head) override {
        if (is_over_ || std::exchange(has_begun_, true)) return;
        std::string first = std::exchange(head.body, {});
        reply_ = std::move(head);
        if (is_stream_) {
            if (const auto timer = std::exchange(timer_, std::nullopt)) loop_.cancel(*timer);
            later([head = reply_](Exchange& self) {
                if (self.listener_.on_head) self.listener_.on_head(head);
            });
        }
        write(std::move(first));
    }
    void write(std::string part) override {
        if (is_over_ || !has_begun_ || part.empty()) return;
        if (!is_stream_) {
            reply_.body += part;
            return;
        }
        later([part = std::move(part)](Exchange& self) {
            if (self.listener_.on_part) self.listener_.on_part(part);
        });
    }
    void end() override {
        if (has_begun_) finish(std::move(reply_));
    }
    void cut() override { lose(); }
    void drop() override {
        if (has_begun_) return lose();
        send({500, {{"content-type", "text/plain"}}, "no handler responded\n"});
    }
    bool is_open() const override { return !is_over_; }
    void when_closed(std::function<void()> then) override {
        if (is_over_) return boost::asio::post(loop_.io(), std::move(then));
        closed_.push_back(std::move(then));
    }

private:
    template <class What>
    void later(What what) {
        boost::asio::post(loop_.io(),
                          [self = shared_from_this(), what = std::move(what)]() mutable {
                              // Without `done_` the client has its result, or is destroyed.
                              if (self->done_) what(*self);
                          });
    }

    io::Loop& loop_;
    const std::string what_;
    Listener listener_;
    const bool is_stream_;
    Done done_;
    std::function<void()> gone_{};
    HttpReply reply_{};
    std::optional<io::TimerId> timer_{};
    std::vector<std::function<void()>> closed_{};
    bool has_begun_ = false, is_over_ = false;
};

LocalHttpClient::LocalHttpClient(ApiServer& server, io::Loop& loop, OnRequest on_request)
    : server_(server),
      loop_(loop),
      on_request_(std::move(on_request)),
      open_(std::make_shared<std::map<RequestId, std::shared_ptr<Exchange>>>()) {}

LocalHttpClient::~LocalHttpClient() {
    const auto open = std::exchange(*open_, {});
    for (const auto& [id, exchange] : open) {
        exchange->drop_callbacks();
        exchange->lose();
    }
}

io::HttpClient::RequestId LocalHttpClient::send(HttpRequest request, Done done) {
    return begin(std::move(request), {}, false, std::move(done));
}

io::HttpClient::RequestId LocalHttpClient::stream(HttpRequest request, Listener listener,
                                                  Done done) {
    return begin(std::move(request), std::move(listener), true, std::move(done));
}

io::HttpClient::RequestId LocalHttpClient::begin(HttpRequest request, Listener listener,
                                                 bool is_stream, Done done) {
    const RequestId id = ++last_id_;
    std::string target = target_of(request.url);
    auto exchange = std::make_shared<Exchange>(
        loop_, "HTTP " + request.method + " " + target.substr(0, target.find('?')),
        std::move(listener), is_stream, std::move(done));
    exchange->start(request.timeout, [open = std::weak_ptr(open_), id] {
        if (const auto all = open.lock()) all->erase(id);
    });
    open_->emplace(id, exchange);
    boost::asio::post(loop_.io(), [this, id, weak = std::weak_ptr(open_),
                                   served = io::ServedRequest{.method = std::move(request.method),
                                                              .target = std::move(target),
                                                              .headers = std::move(request.headers),
                                                              .body = std::move(request.body),
                                                              .peer = "local"}] {
        const auto open = weak.lock();  // lives as long as `this`
        if (!open) return;
        if (const auto at = open->find(id); at != open->end()) hand_over(at->second, served);
    });
    return id;
}

void LocalHttpClient::hand_over(std::shared_ptr<Exchange> exchange,
                                const io::ServedRequest& request) {
    if (on_request_) on_request_(request);
    if (!is_reachable_) return exchange->refuse();
    server_.handle(request, io::Responder(std::make_shared<io::Responder::Exchange>(exchange)));
}

void LocalHttpClient::cancel(RequestId id) {
    const auto at = open_->find(id);
    if (at == open_->end()) return;
    const auto exchange = at->second;
    exchange->finish(fail(ErrorCode::cancelled, "cancelled"));
}

void LocalHttpClient::set_reachable(bool reachable) {
    is_reachable_ = reachable;
    if (reachable) return;
    const auto open = *open_;
    for (const auto& [id, exchange] : open) exchange->lose();
}

}  // namespace capstan::simulator::api_server
