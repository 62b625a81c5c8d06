#include "io/curl_multi.hpp"

#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

namespace capstan::io {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Initialises libcurl once in a process.
void initialise_curl() {
    static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK)
        throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
}

}  // namespace

/// A socket that libcurl opens and closes. Asio only waits for it.
struct CurlMulti::Watched {
    Watched(const asio::io_context::executor_type& executor, curl_socket_t socket)
        : descriptor(executor, socket) {}
    ~Watched() { detach(); }
    /// Called as soon as libcurl closes the socket: a handler may keep this object alive, while
    /// libcurl opens another socket with the same number.
    void detach() {
        if (descriptor.is_open()) descriptor.release();
    }
    asio::posix::stream_descriptor descriptor;
    bool wants_read = false, wants_write = false;
    bool reads = false, writes = false;  ///< waits under way
};

CurlMulti::CurlMulti(asio::io_context& io, const Strand& strand, Ended ended)
    : executor_(io.get_executor()), strand_(strand), timer_(strand_), ended_(std::move(ended)) {
    initialise_curl();
    multi_.reset(curl_multi_init());
    if (!multi_) throw std::bad_alloc();
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
}

CurlMulti::~CurlMulti() { close(); }

void CurlMulti::close() {
    if (!multi_) return;
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, nullptr);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, nullptr);
    timer_.cancel();
    for (const auto& [socket, watched] : watched_) watched->detach();
    watched_.clear();
    multi_ = nullptr;
}

void CurlMulti::bound_connections(long total, long per_host) {
    curl_multi_setopt(multi_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS, total);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS, per_host);
}

CURLMcode CurlMulti::add(CURL* transfer) { return curl_multi_add_handle(multi_.get(), transfer); }

void CurlMulti::remove(CURL* transfer) { curl_multi_remove_handle(multi_.get(), transfer); }

void CurlMulti::resume() {
    if (!std::exchange(is_suspended_, false) || !multi_) return;
    for (const auto& [socket, watched] : watched_) wait(socket, watched);
    if (!std::exchange(is_timer_due_, false)) return;
    asio::post(strand_, [self = shared_from_this()] { self->take_timer(); });
}

void CurlMulti::take_timer() {
    if (!multi_) return;
    if (is_suspended_) {
        is_timer_due_ = true;
    } else {
        act(CURL_SOCKET_TIMEOUT, 0);
    }
}

void CurlMulti::act(curl_socket_t socket, int events) {
    int running = 0;
    curl_multi_socket_action(multi_.get(), socket, events, &running);
    int left = 0;
    // `ended_` may call close().
    while (multi_) {
        const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left);
        if (message == nullptr) return;
        if (message->msg == CURLMSG_DONE) ended_(message->easy_handle, message->data.result);
    }
}

/// The handler of a wait: the socket is ready, or has failed.
auto CurlMulti::ready(curl_socket_t socket, const std::shared_ptr<Watched>& watched,
                      bool Watched::* waits, int events) {
    return asio::bind_executor(strand_, [self = shared_from_this(), weak = std::weak_ptr(watched),
                                         socket, waits, events](error_code error) {
        const auto locked = weak.lock();
        if (!locked || !self->multi_ || error == asio::error::operation_aborted) return;
        (*locked).*waits = false;
        if (self->is_suspended_) return;  // `resume` waits again
        self->act(socket, error ? CURL_CSELECT_ERR : events);
        // libcurl may have closed the socket, and may have opened another one with that number.
        const auto now = self->watched_.find(socket);
        if (now != self->watched_.end() && now->second == locked) self->wait(socket, locked);
    });
}

/// Begins the waits that libcurl wants and that are not under way.
void CurlMulti::wait(curl_socket_t socket, const std::shared_ptr<Watched>& watched) {
    using asio::posix::stream_descriptor;
    if (watched->wants_read && !std::exchange(watched->reads, true)) {
        watched->descriptor.async_wait(stream_descriptor::wait_read,
                                       ready(socket, watched, &Watched::reads, CURL_CSELECT_IN));
    }
    if (watched->wants_write && !std::exchange(watched->writes, true)) {
        watched->descriptor.async_wait(stream_descriptor::wait_write,
                                       ready(socket, watched, &Watched::writes, CURL_CSELECT_OUT));
    }
}

void CurlMulti::watch(curl_socket_t socket, int events) {
    auto& place = watched_[socket];
    if (events == CURL_POLL_REMOVE) {
        if (place) place->detach();
        watched_.erase(socket);
        return;
    }
    if (!place) place = std::make_shared<Watched>(executor_, socket);
    place->wants_read = (events & CURL_POLL_IN) != 0;
    place->wants_write = (events & CURL_POLL_OUT) != 0;
    wait(socket, place);
}

void CurlMulti::set_timer(long milliseconds) {
    timer_.cancel();
    if (milliseconds < 0) return;
    // A timer also for 0 ms, because libcurl must not be called inside its own callback.
    timer_.expires_after(std::chrono::milliseconds(milliseconds));
    timer_.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->take_timer();
    });
}

int CurlMulti::on_socket(CURL*, curl_socket_t socket, int events, void* self, void*) noexcept {
    static_cast<CurlMulti*>(self)->watch(socket, events);
    return 0;
}

int CurlMulti::on_timer(CURLM*, long milliseconds, void* self) noexcept {
    static_cast<CurlMulti*>(self)->set_timer(milliseconds);
    return 0;
}

}  // namespace capstan::io
