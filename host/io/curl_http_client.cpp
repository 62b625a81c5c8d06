#include "io/curl_http_client.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include "io/curl_multi.hpp"
#include "io/curl_transfer.hpp"
#include "io/proxy.hpp"
#include "io/stream_turns.hpp"

namespace capstan::io {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Connections with equal TLS options, which requests share.
struct Pool {
    std::shared_ptr<const TlsOptions> tls;
    std::shared_ptr<CurlMulti> multi;
    std::size_t open = 0;     ///< open requests
    bool is_retired = false;  ///< no new requests; closed after the last open one
};

struct Open {
    Open(std::unique_ptr<CurlTransfer> of, HttpClient::Done then, std::shared_ptr<Pool> in,
         const CurlMulti::Strand& strand)
        : transfer(std::move(of)), done(std::move(then)), pool(std::move(in)), deadline(strand) {}
    std::unique_ptr<CurlTransfer> transfer;
    HttpClient::Done done;
    std::shared_ptr<Pool> pool;
    asio::steady_timer deadline;
    std::optional<CURLcode> ended{};  ///< set: ended, but some of its parts wait for their turn
};

}  // namespace

/// All use of libcurl, on one strand. Handlers share it, because they may outlive the client.
class CurlHttpClient::Core : public std::enable_shared_from_this<Core> {
public:
    Core(asio::io_context& io, Options options)
        : options_(std::move(options)), io_(io), strand_(asio::make_strand(io)) {}
    ~Core() {
        // No callback runs any more.
        for (const auto& [id, open] : open_) open.pool->multi->remove(open.transfer->handle());
        open_.clear();
        if (pool_) pool_->multi->close();
    }

    RequestId next_id() noexcept { return ++last_id_; }
    void run(std::function<void(Core&)> what) {
        asio::post(strand_, [self = shared_from_this(), what = std::move(what)] { what(*self); });
    }

    // On the strand.
    void begin(RequestId id, HttpRequest request, std::optional<Listener> listener,
               const Done& done) {
        if (open_.size() >= options_.max_open) {
            return done(fail(ErrorCode::busy, "HTTP: " + std::to_string(open_.size()) +
                                                  " requests are open already"));
        }
        const bool is_stream = listener.has_value();
        StreamTurns::OnPart on_part;
        if (is_stream) {
            listener->on_head = cancelling_deadline(id, std::move(listener->on_head));
            on_part = std::exchange(listener->on_part,
                                    [this, id](std::string_view part) { take_part(id, part); });
        }
        const auto pool = open_pool();
        auto transfer = make_transfer(std::move(request), std::move(listener), *pool);
        if (!transfer) return done(fail(transfer.error()));
        CURL* const handle = (*transfer)->handle();
        ids_.emplace(handle, id);
        Open& open = open_.try_emplace(id, std::move(*transfer), done, pool, strand_).first->second;
        ++pool->open;
        if (is_stream) {
            ++streams_;
            turns_.open(id, std::move(on_part));
        }
        bound_connections();
        open.deadline.expires_after(open.transfer->timeout());
        open.deadline.async_wait([self = shared_from_this(), id](error_code error) {
            if (!error) self->overdue(id);
        });
        const CURLMcode code = pool->multi->add(handle);
        if (code != CURLM_OK) end(id, fail(ErrorCode::internal, curl_multi_strerror(code)));
    }
    void cancel(RequestId id) {
        const auto at = open_.find(id);
        if (at != open_.end())
            end(id, fail(ErrorCode::cancelled, at->second.transfer->message("cancelled")));
    }
    void overdue(RequestId id) {
        const auto at = open_.find(id);
        if (at == open_.end()) return;
        const auto limit =
            std::chrono::duration_cast<std::chrono::milliseconds>(at->second.transfer->timeout())
                .count();
        end(id,
            fail(ErrorCode::deadline, at->second.transfer->message("no response within " +
                                                                   std::to_string(limit) + " ms")));
    }
    void set_tls(TlsOptions tls) {
        if (tls == options_.tls) return;
        options_.tls = std::move(tls);
        retire_pool();
        end_streams_of_old_identities();
    }
    void cancel_all() {
        while (!open_.empty()) cancel(open_.begin()->first);
        if (pool_) pool_->multi->close();
        pool_ = nullptr;
    }

private:
    const std::shared_ptr<Pool>& open_pool() {
        if (pool_) return pool_;
        auto ended = [weak = weak_from_this()](CURL* handle, CURLcode code) {
            if (const auto self = weak.lock()) self->take_end(handle, code);
        };
        pool_ = std::make_shared<Pool>(
            Pool{std::make_shared<const TlsOptions>(options_.tls),
                 std::make_shared<CurlMulti>(io_, strand_, std::move(ended))});
        return pool_;
    }

    Result<std::unique_ptr<CurlTransfer>> make_transfer(HttpRequest request,
                                                        std::optional<Listener> listener,
                                                        const Pool& pool) {
        CAPSTAN_TRY(const Url url, parse_url(request.url));
        // The scheme may be in any case in the request; later code expects lower case.
        request.url.replace(0, url.scheme.size(), url.scheme);
        std::string proxy;
        if (!request.has(CAPSTAN_HTTP_DIRECT))
            proxy = options_.proxy.empty() ? proxy_for(url, environment_) : options_.proxy;
        if (!proxy.empty()) {
            Result<std::string> parsed = parse_proxy(proxy);
            if (!parsed) return fail(within(request.name(), std::move(parsed).error()));
            proxy = *std::move(parsed);
        }
        return CurlTransfer::make(std::move(request), std::move(listener),
                                  {.tls = pool.tls,
                                   .proxy = std::move(proxy),
                                   .gzip = options_.gzip,
                                   .user_agent = options_.user_agent,
                                   .http1 = http1_,
                                   .has_room = [this] { return !turns_.is_overfull(); }});
    }

    void bound_connections() {
        if (!pool_) return;
        pool_->multi->bound_connections(options_.max_connections + streams_,
                                        options_.max_connections_per_host + streams_);
    }

    /// The deadline of a stream ends with its head.
    std::function<void(const HttpReply&)> cancelling_deadline(
        RequestId id, std::function<void(const HttpReply&)> on_head) {
        return [this, id, on_head = std::move(on_head)](const HttpReply& head) {
            open_.at(id).deadline.cancel();
            if (on_head) on_head(head);
        };
    }

    void take_part(RequestId id, std::string_view part) {
        turns_.take(id, part);
        const auto& multi = open_.at(id).pool->multi;
        if (turns_.is_full() && multi->suspend()) suspended_.push_back(multi);
        await_turn();
    }

    void await_turn() {
        if (std::exchange(is_turn_due_, true)) return;
        asio::post(strand_, [self = shared_from_this()] { self->take_turn(); });
    }

    void take_turn() {
        is_turn_due_ = false;
        const StreamTurns::TurnResult turn = turns_.turn();
        for (const RequestId id : turn.failed)
            end(id, fail(ErrorCode::internal,
                         open_.at(id).transfer->message("the response could not be processed")));
        for (const RequestId id : turn.done) {
            const auto at = open_.find(id);
            if (at == open_.end()) continue;
            Open& open = at->second;
            if (open.ended && !turns_.is_waiting(id))
                end(id, open.transfer->take_result(*open.ended));
        }
        if (turns_.has_room()) {
            for (const auto& multi : std::exchange(suspended_, {})) multi->resume();
            resume_streams();
        }
        if (turns_.wants_turn()) await_turn();
    }

    /// libcurl passes on what a paused stream has buffered inside resume(), which may pause it
    /// again.
    void resume_streams() {
        std::vector<std::pair<RequestId, CURLcode>> failed;
        for (const auto& [id, open] : open_) {
            if (!open.transfer->is_paused() || turns_.is_full()) continue;
            const CURLcode code = open.transfer->resume();
            if (code != CURLE_OK) failed.emplace_back(id, code);
        }
        for (const auto& [id, code] : failed) end(id, open_.at(id).transfer->take_result(code));
    }

    void take_end(CURL* handle, CURLcode code) {
        const RequestId id = ids_.at(handle);
        Open& open = open_.at(id);
        if (turns_.is_waiting(id)) {
            open.ended = code;
        } else {
            end(id, open.transfer->take_result(code));
        }
    }

    void end(RequestId id, Result<HttpReply> result) {
        auto ended = open_.extract(id);
        turns_.close(id);
        const auto pool = ended.mapped().pool;
        const bool is_unresponsive =
            ended.mapped().transfer->is_unanswered_for(options_.retire_unanswered_after);
        // Later requests use HTTP/1.1, whose streams can be paused.
        const bool is_too_fast = ended.mapped().transfer->is_too_fast();
        http1_ = http1_ || is_too_fast;
        if ((is_unresponsive || is_too_fast) && pool == pool_) retire_pool();
        if (ended.mapped().transfer->is_stream()) --streams_;
        pool->multi->remove(ended.mapped().transfer->handle());
        ids_.erase(ended.mapped().transfer->handle());
        --pool->open;
        close_if_done(pool);
        ended.mapped().done(std::move(result));
    }

    /// Later requests get a new pool.
    void retire_pool() {
        const auto old = std::exchange(pool_, nullptr);
        if (!old) return;
        old->is_retired = true;
        close_if_done(old);
    }

    /// Posted, because this may run inside a callback of libcurl, where it must not be closed.
    void close_if_done(const std::shared_ptr<Pool>& pool) {
        if (pool->is_retired && pool->open == 0)
            asio::post(strand_, [multi = pool->multi] { multi->close(); });
    }

    /// Ends all streams with a client certificate other than the present one, in all pools.
    void end_streams_of_old_identities() {
        std::vector<RequestId> streams;
        for (const auto& [id, open] : open_) {
            if (open.transfer->is_stream() && !open.pool->tls->has_certificate_of(options_.tls))
                streams.push_back(id);
        }
        for (const RequestId id : streams) {
            Error error{ErrorCode::unavailable, open_.at(id).transfer->message(
                                                    "ended: the client certificate has changed")};
            error.provider_code = connection_lost;
            end(id, fail(std::move(error)));
        }
    }

    Options options_;
    const ProxyEnvironment environment_ = read_proxy_environment();
    asio::io_context& io_;
    CurlMulti::Strand strand_;
    std::atomic<RequestId> last_id_{0};
    std::shared_ptr<Pool> pool_;  ///< for new requests; NULL: none was sent since the last change
    std::map<CURL*, RequestId> ids_;
    std::map<RequestId, Open> open_;
    long streams_ = 0;
    StreamTurns turns_{StreamTurns::Limits()};
    std::vector<std::shared_ptr<CurlMulti>> suspended_;  ///< until turns_ has room
    bool is_turn_due_ = false;
    bool http1_ = false;  ///< a peer sent more over HTTP/2 than could be taken
};

CurlHttpClient::CurlHttpClient(asio::io_context& io, Options options)
    : core_(std::make_shared<Core>(io, std::move(options))) {}

CurlHttpClient::~CurlHttpClient() {
    core_->run([](Core& core) { core.cancel_all(); });
}

HttpClient::RequestId CurlHttpClient::send(HttpRequest request, Done done) {
    const RequestId id = core_->next_id();
    core_->run([id, request = std::move(request), done = std::move(done)](Core& core) mutable {
        core.begin(id, std::move(request), std::nullopt, done);
    });
    return id;
}

HttpClient::RequestId CurlHttpClient::stream(HttpRequest request, Listener listener, Done done) {
    const RequestId id = core_->next_id();
    core_->run([id, request = std::move(request), listener = std::move(listener),
                done = std::move(done)](Core& core) mutable {
        core.begin(id, std::move(request), std::move(listener), done);
    });
    return id;
}

void CurlHttpClient::cancel(RequestId id) {
    core_->run([id](Core& core) { core.cancel(id); });
}

void CurlHttpClient::set_tls(const TlsOptions& tls) {
    core_->run([tls](Core& core) { core.set_tls(tls); });
}

}  // namespace capstan::io
