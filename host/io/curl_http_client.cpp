#include "io/curl_http_client.hpp"

#include <curl/curl.h>

#include <atomic>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include "io/curl_transfer.hpp"

namespace capstan::io {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// libcurl's own set-up, once in a process.
void initialise_curl() {
    static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK)
        throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
}

/// A socket of libcurl's, which opens and closes it; here it is only waited for.
struct Watched {
    Watched(const asio::io_context::executor_type& executor, curl_socket_t socket)
        : descriptor(executor, socket) {}
    ~Watched() { let_go(); }
    /// At once: a handler may still hold this while libcurl opens another socket of the same
    /// number.
    void let_go() {
        if (descriptor.is_open()) descriptor.release();
    }
    asio::posix::stream_descriptor descriptor;
    bool wants_read = false, wants_write = false;
    bool reads = false, writes = false;  ///< a wait is under way
};

}  // namespace

/// Everything that touches libcurl, on one strand. Shared with the handlers, which may outlive the
/// client.
class CurlHttpClient::Core : public std::enable_shared_from_this<Core> {
public:
    using Strand = asio::strand<asio::io_context::executor_type>;
    Core(asio::io_context& io, Options options)
        : options_(std::move(options)),
          executor_(io.get_executor()),
          strand_(asio::make_strand(io)),
          timer_(strand_) {
        initialise_curl();
        multi_.reset(curl_multi_init());
        if (!multi_) throw std::bad_alloc();
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &on_socket);
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &on_timer);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
        bound_connections();
    }
    ~Core() {
        // Nobody is called back any more; connections that are kept are closed with the multi
        // handle.
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, nullptr);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, nullptr);
        for (const auto& [id, open] : open_)
            curl_multi_remove_handle(multi_.get(), open.transfer->handle());
        watched_.clear();
    }

    RequestId next_id() noexcept { return ++last_id_; }
    void run(std::function<void(Core&)> what) {
        asio::post(strand_, [self = shared_from_this(), what = std::move(what)] { what(*self); });
    }

    // On the strand.
    void begin(RequestId id, HttpRequest request, std::optional<Listener> listener,
               const Done& done) {
        if (open_.size() >= options_.max_open) {
            return done(fail(ErrorCode::busy,
                             "HTTP: " + std::to_string(open_.size()) + " requests are under way"));
        }
        const bool is_stream = listener.has_value();
        if (is_stream) listener->on_head = ending_wait(id, std::move(listener->on_head));
        auto transfer = CurlTransfer::make(std::move(request), std::move(listener),
                                           {options_.ca_file, options_.user_agent});
        if (!transfer) return done(fail(transfer.error()));
        CURL* const handle = (*transfer)->handle();
        ids_.emplace(handle, id);
        Open& open = open_.try_emplace(id, std::move(*transfer), done, strand_).first->second;
        open.is_stream = is_stream;
        if (is_stream) ++streams_;
        bound_connections();
        open.deadline.expires_after(open.transfer->timeout());
        open.deadline.async_wait([self = shared_from_this(), id](error_code error) {
            if (!error) self->overdue(id);
        });
        const CURLMcode code = curl_multi_add_handle(multi_.get(), handle);
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
        end(id, fail(ErrorCode::deadline, at->second.transfer->message(
                                              "no reply within " + std::to_string(limit) + " ms")));
    }
    void cancel_all() {
        while (!open_.empty()) cancel(open_.begin()->first);
        timer_.cancel();
    }

private:
    struct Open {
        Open(std::unique_ptr<CurlTransfer> of, Done then, const Strand& strand)
            : transfer(std::move(of)), done(std::move(then)), deadline(strand) {}
        std::unique_ptr<CurlTransfer> transfer;
        Done done;
        asio::steady_timer deadline;
        bool is_stream = false;
    };
    struct Cleanup {
        void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
    };

    void bound_connections() {
        curl_multi_setopt(multi_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS,
                          options_.max_connections + streams_);
        curl_multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS,
                          options_.max_connections_per_host + streams_);
    }

    /// A stream's deadline is its head's.
    std::function<void(const HttpReply&)> ending_wait(
        RequestId id, std::function<void(const HttpReply&)> on_head) {
        return [this, id, on_head = std::move(on_head)](const HttpReply& head) {
            open_.at(id).deadline.cancel();
            if (on_head) on_head(head);
        };
    }

    void end(RequestId id, Result<HttpReply> result) {
        auto ended = open_.extract(id);
        if (ended.mapped().is_stream) --streams_;
        curl_multi_remove_handle(multi_.get(), ended.mapped().transfer->handle());
        ids_.erase(ended.mapped().transfer->handle());
        ended.mapped().done(std::move(result));
    }

    void act(curl_socket_t socket, int events) {
        int running = 0;
        curl_multi_socket_action(multi_.get(), socket, events, &running);
        int left = 0;
        while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            const CURLcode code = message->data.result;
            const RequestId id = ids_.at(message->easy_handle);
            end(id, open_.at(id).transfer->take_result(code));
        }
    }

    /// What to do once the socket is ready, or has failed.
    auto ready(curl_socket_t socket, const std::shared_ptr<Watched>& watched, bool Watched::* waits,
               int events) {
        return asio::bind_executor(
            strand_, [self = shared_from_this(), weak = std::weak_ptr(watched), socket, waits,
                      events](error_code error) {
                const auto still = weak.lock();
                if (!still || error == asio::error::operation_aborted) return;
                (*still).*waits = false;
                self->act(socket, error ? CURL_CSELECT_ERR : events);
                // libcurl may have let go of the socket, and may have another one of that number by
                // now.
                const auto now = self->watched_.find(socket);
                if (now != self->watched_.end() && now->second == still) self->wait(socket, still);
            });
    }

    /// Waits for what libcurl wants to know of and is not waited for yet.
    void wait(curl_socket_t socket, const std::shared_ptr<Watched>& watched) {
        using asio::posix::stream_descriptor;
        if (watched->wants_read && !std::exchange(watched->reads, true)) {
            watched->descriptor.async_wait(
                stream_descriptor::wait_read,
                ready(socket, watched, &Watched::reads, CURL_CSELECT_IN));
        }
        if (watched->wants_write && !std::exchange(watched->writes, true)) {
            watched->descriptor.async_wait(
                stream_descriptor::wait_write,
                ready(socket, watched, &Watched::writes, CURL_CSELECT_OUT));
        }
    }

    void watch(curl_socket_t socket, int events) {
        auto& place = watched_[socket];
        if (events == CURL_POLL_REMOVE) {
            if (place) place->let_go();
            watched_.erase(socket);
            return;
        }
        if (!place) place = std::make_shared<Watched>(executor_, socket);
        place->wants_read = (events & CURL_POLL_IN) != 0;
        place->wants_write = (events & CURL_POLL_OUT) != 0;
        wait(socket, place);
    }

    void set_timer(long milliseconds) {
        timer_.cancel();
        if (milliseconds < 0) return;
        // Also when it is 0: libcurl must not be called back inside its own call.
        timer_.expires_after(std::chrono::milliseconds(milliseconds));
        timer_.async_wait([self = shared_from_this()](error_code error) {
            if (!error) self->act(CURL_SOCKET_TIMEOUT, 0);
        });
    }

    static int on_socket(CURL*, curl_socket_t socket, int events, void* self, void*) noexcept {
        static_cast<Core*>(self)->watch(socket, events);
        return 0;
    }
    static int on_timer(CURLM*, long milliseconds, void* self) noexcept {
        static_cast<Core*>(self)->set_timer(milliseconds);
        return 0;
    }

    const Options options_;
    const asio::io_context::executor_type executor_;
    Strand strand_;
    asio::steady_timer timer_;
    std::atomic<RequestId> last_id_{0};
    std::map<curl_socket_t, std::shared_ptr<Watched>> watched_;
    std::unique_ptr<CURLM, Cleanup> multi_;
    std::map<CURL*, RequestId> ids_;
    std::map<RequestId, Open> open_;
    long streams_ = 0;
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

}  // namespace capstan::io
