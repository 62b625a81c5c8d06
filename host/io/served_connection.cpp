#include "io/served_connection.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <boost/asio/post.hpp>

#include <capstan/ascii.hpp>

#include "io/http_syntax.hpp"

namespace capstan::io {

namespace beast = boost::beast;
namespace http = beast::http;

namespace {

template <class Stream>
constexpr bool is_tls = !std::is_same_v<Stream, beast::tcp_stream>;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

ServedRequest served(http::request<http::string_body> message, std::string peer) {
    ServedRequest out{.method = std::string(view(message.method_string())),
                      .target = std::string(view(message.target())),
                      .peer = std::move(peer)};
    for (const auto& field : message)
        out.headers.emplace_back(lower_case(view(field.name_string())),
                                 std::string(view(field.value())));
    out.body = std::move(message.body());
    return out;
}

/// The head of a reply as text. A reply of unknown length is sent in chunks, or, to a peer with
/// HTTP/1.0, up to the end of the connection.
std::string head_text(const HttpReply& reply, unsigned version, bool keeps_alive, bool is_whole) {
    http::response<http::empty_body> head;
    head.version(version);
    head.result(static_cast<unsigned>(reply.status));
    for (const auto& [name, value] : reply.headers) head.insert(name, value);
    head.keep_alive(keeps_alive);
    if (is_whole) {
        head.content_length(reply.body.size());
    } else if (version >= 11) {
        head.chunked(true);
    }
    std::ostringstream out;
    out << head.base();
    return std::move(out).str();
}

std::string chunk(std::string_view part) {
    std::ostringstream size;
    size << std::hex << part.size() << "\r\n";
    return std::move(size).str().append(part).append("\r\n");
}

}  // namespace

std::string_view ServedRequest::header(std::string_view name) const noexcept {
    for (const auto& [key, value] : headers)
        if (key == name) return value;
    return {};
}

void Responder::send(HttpReply reply) const { exchange_->link().send(std::move(reply)); }
void Responder::begin(HttpReply head) const { exchange_->link().begin(std::move(head)); }
void Responder::write(std::string part) const { exchange_->link().write(std::move(part)); }
void Responder::end() const { exchange_->link().end(); }
void Responder::cut() const { exchange_->link().cut(); }
bool Responder::is_open() const { return exchange_->link().is_open(); }
void Responder::when_closed(std::function<void()> then) const {
    exchange_->link().when_closed(std::move(then));
}

/// The link of one exchange to the connection. It has no effect on later exchanges.
template <class Stream>
class StreamConnection<Stream>::Answer final
    : public Responder::Exchange::Link,
      public std::enable_shared_from_this<StreamConnection<Stream>::Answer> {
public:
    explicit Answer(StreamConnection& connection)
        : connection_(connection.weak_from_this()), strand_(connection.stream_.get_executor()) {}

    void send(HttpReply reply) override {
        run([reply = std::move(reply)](StreamConnection& c) {
            if (!c.has_begun_) c.begin(reply, true);
        });
    }
    void begin(HttpReply head) override {
        run([head = std::move(head)](StreamConnection& c) {
            if (!c.has_begun_) c.begin(head, false);
        });
    }
    void write(std::string part) override {
        run([part = std::move(part)](StreamConnection& c) mutable {
            if (c.has_begun_ && !c.has_ended_) c.write(std::move(part));
        });
    }
    void end() override {
        run([](StreamConnection& c) {
            if (c.has_begun_ && !c.has_ended_) c.finish();
        });
    }
    void cut() override {
        run([](StreamConnection& c) { c.shut(); });
    }
    void drop() override {
        run([](StreamConnection& c) {
            if (!c.has_begun_) {
                c.begin({500, {{"content-type", "text/plain"}}, "the request was dropped\n"}, true);
            } else if (!c.has_ended_) {
                c.shut();
            }
        });
    }
    bool is_open() const override { return !is_over_; }
    void when_closed(std::function<void()> then) override {
        const std::lock_guard lock(mutex_);
        if (!is_over_) return closed_.push_back(std::move(then));
        boost::asio::post(strand_, std::move(then));
    }

    /// The exchange has ended. [strand] Called once.
    void over() {
        std::vector<std::function<void()>> closed;
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
            closed.swap(closed_);
        }
        for (const auto& then : closed) then();
    }

private:
    template <class What>
    void run(What what) {
        const auto c = connection_.lock();
        if (!c) return;
        boost::asio::post(c->stream_.get_executor(),
                          [self = this->shared_from_this(), c, what = std::move(what)]() mutable {
                              if (c->answer_ == self && !c->is_shut_) what(*c);
                          });
    }

    const std::weak_ptr<StreamConnection> connection_;
    const boost::asio::any_io_executor strand_;  ///< usable after the connection's end
    std::mutex mutex_;
    std::atomic<bool> is_over_ = false;
    std::vector<std::function<void()>> closed_;
};

template <class Stream>
void StreamConnection<Stream>::run(void (StreamConnection::*what)()) {
    boost::asio::post(stream_.get_executor(),
                      [self = this->shared_from_this(), what] { ((*self).*what)(); });
}

template <class Stream>
void StreamConnection<Stream>::shake_hands() {
    if constexpr (is_tls<Stream>) {
        socket().expires_after(options_.head_timeout);
        stream_.async_handshake(boost::asio::ssl::stream_base::server,
                                [self = this->shared_from_this()](Code error) {
                                    if (error) return self->shut();
                                    self->read();
                                });
    } else {
        read();
    }
}

/// A later request has the idle timeout until its first byte, and from then on the head timeout.
/// The first request has the head timeout from the beginning.
template <class Stream>
void StreamConnection<Stream>::read() {
    if (is_shut_) return;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(options_.max_header_bytes));
    parser_->body_limit(options_.max_body_bytes);
    socket().expires_after(had_request_ ? options_.idle_timeout : options_.head_timeout);
    if (buffer_.size() != 0) return read_head();
    if (had_request_) enter(Stage::idle);
    stream_.async_read_some(buffer_.prepare(4096),
                            [self = this->shared_from_this()](Code error, std::size_t bytes) {
                                if (error) return self->shut();
                                self->buffer_.commit(bytes);
                                self->read_head();
                            });
}

template <class Stream>
void StreamConnection<Stream>::read_head() {
    if (had_request_) {
        enter(Stage::reading);
        socket().expires_after(options_.head_timeout);
    }
    http::async_read_header(
        stream_, buffer_, parser(),
        [self = this->shared_from_this()](Code error, std::size_t) { self->take_head(error); });
}

template <class Stream>
void StreamConnection<Stream>::take_head(Code error) {
    if (is_shut_ || error || parser().is_done()) return take(error);
    socket().expires_after(options_.request_timeout);
    http::async_read(
        stream_, buffer_, parser(),
        [self = this->shared_from_this()](Code failed, std::size_t) { self->take(failed); });
}

template <class Stream>
void StreamConnection<Stream>::take(Code error) {
    if (is_shut_) return;
    if (error) return refuse(error);
    hand_over();
}

/// Answers a malformed request with an error status, and then closes the connection.
template <class Stream>
void StreamConnection<Stream>::refuse(Code error) {
    const bool is_http =
        error.category() == http::make_error_code(http::error::body_limit).category();
    if (!is_http || error == http::error::end_of_stream || error == http::error::partial_message)
        return shut();
    int status = 400;
    if (error == http::error::body_limit) status = 413;
    if (error == http::error::header_limit) status = 431;
    keeps_alive_ = is_head_ = has_begun_ = has_ended_ = false;
    is_chunked_ = true;
    answer_ = std::make_shared<Answer>(*this);
    begin({status, {{"content-type", "text/plain"}}, error.message() + "\n"}, true);
}

template <class Stream>
void StreamConnection<Stream>::hand_over() {
    had_request_ = true;
    enter(Stage::handling);
    keeps_alive_ = parser().get().keep_alive();
    is_head_ = parser().get().method() == http::verb::head;
    is_chunked_ = parser().get().version() >= 11;
    has_begun_ = has_ended_ = false;
    answer_ = std::make_shared<Answer>(*this);
    std::string peer;
    boost::system::error_code ignored;
    if (const auto end = socket().socket().remote_endpoint(ignored); !ignored) {
        std::ostringstream text;
        text << end;
        peer = std::move(text).str();
    }
    ServedRequest request = served(parser().release(), std::move(peer));
    if (buffer_.size() == 0) watch_peer();
    handler_(std::move(request), Responder(std::make_shared<Responder::Exchange>(answer_)));
}

/// Keeps reading while a request is being answered, to notice that the peer has left. Bytes that
/// come are the beginning of its next request.
template <class Stream>
void StreamConnection<Stream>::watch_peer() {
    is_watching_ = true;
    socket().expires_never();
    stream_.async_read_some(buffer_.prepare(4096),
                            [self = this->shared_from_this()](Code error, std::size_t bytes) {
                                self->is_watching_ = false;
                                if (error) return self->shut();
                                self->buffer_.commit(bytes);
                                if (!self->answer_) self->read();
                            });
}

template <class Stream>
void StreamConnection<Stream>::begin(const HttpReply& reply, bool is_whole) {
    has_begun_ = true;
    enter(Stage::writing);
    if (!is_whole && !is_chunked_) keeps_alive_ = false;
    std::string text = head_text(reply, is_chunked_ ? 11 : 10, keeps_alive_, is_whole);
    if (is_whole) {
        if (!is_head_) text += reply.body;
        has_ended_ = true;
    } else if (!reply.body.empty() && !is_head_) {
        text += is_chunked_ ? chunk(reply.body) : reply.body;
    }
    unsent_bytes_ += text.size();
    unsent_.push_back(std::move(text));
    queued_();
    pump();
}

template <class Stream>
void StreamConnection<Stream>::write(std::string part) {
    if (part.empty() || is_head_) return;
    if (is_chunked_) part = chunk(part);
    unsent_bytes_ += part.size();
    if (unsent_bytes_ > options_.max_unsent) return shut();
    unsent_.push_back(std::move(part));
    // The peer reads more slowly than parts come.
    if (is_writing_) queued_();
    pump();
}

template <class Stream>
void StreamConnection<Stream>::finish() {
    has_ended_ = true;
    if (is_chunked_ && !is_head_) unsent_.push_back("0\r\n\r\n");
    pump();
}

template <class Stream>
void StreamConnection<Stream>::pump() {
    if (is_writing_ || is_shut_) return;
    if (unsent_.empty()) {
        if (has_ended_) done_answering();
        return;
    }
    is_writing_ = true;
    socket().expires_after(options_.write_timeout);
    boost::asio::async_write(
        stream_, boost::asio::buffer(unsent_.front()),
        [self = this->shared_from_this()](Code error, std::size_t) { self->written(error); });
}

template <class Stream>
void StreamConnection<Stream>::written(Code error) {
    is_writing_ = false;
    if (error || is_shut_) return shut();
    unsent_bytes_ -= std::min(unsent_bytes_.load(), unsent_.front().size());
    unsent_.pop_front();
    pump();
}

template <class Stream>
void StreamConnection<Stream>::done_answering() {
    const auto answer = std::exchange(answer_, nullptr);
    answer->over();
    if (!keeps_alive_) return shut();
    if (!is_watching_) return read();
    enter(Stage::idle);
    idle_.expires_after(options_.idle_timeout);
    idle_.async_wait([self = this->shared_from_this()](Code error) {
        if (!error && self->is_watching_ && !self->answer_) self->shut();
    });
}

template <class Stream>
void StreamConnection<Stream>::shut() {
    if (std::exchange(is_shut_, true)) return;
    unsent_bytes_ = 0;
    boost::system::error_code ignored;
    socket().socket().shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored);
    on_fork_.release();
    socket().close();
    idle_.cancel();
    if (const auto answer = std::exchange(answer_, nullptr)) answer->over();
}

template class StreamConnection<beast::tcp_stream>;
template class StreamConnection<beast::ssl_stream<beast::tcp_stream>>;

std::string peer_key(const boost::asio::ip::address& address) {
    namespace ip = boost::asio::ip;
    if (address.is_v4()) return address.to_string();
    const ip::address_v6 v6 = address.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
    ip::address_v6::bytes_type prefix = v6.to_bytes();
    std::fill(prefix.begin() + 8, prefix.end(), static_cast<unsigned char>(0));
    return ip::address_v6(prefix).to_string() + "/64";
}

std::size_t ConnectionSlots::count_of(const std::string& peer) const {
    return static_cast<std::size_t>(std::ranges::count(slots_, peer, &Slot::peer));
}

void ConnectionSlots::drop_closed() {
    std::erase_if(slots_, [](const Slot& slot) { return slot.connection.expired(); });
}

void ConnectionSlots::make_room(const std::string& peer) {
    drop_closed();
    while (!slots_.empty() && count_of(peer) >= limits_.per_peer && count_of(peer) > 0)
        close_one(&peer);
    while (!slots_.empty() && slots_.size() >= limits_.total) close_one(nullptr);
}

void ConnectionSlots::add(std::string peer, const std::shared_ptr<ServedConnection>& connection) {
    drop_closed();
    slots_.push_back({std::move(peer), connection});
}

/// Closes one connection of `peer`; NULL: of any peer.
void ConnectionSlots::close_one(const std::string* peer) {
    std::map<std::string_view, std::size_t> counts;
    for (const Slot& slot : slots_) ++counts[slot.peer];
    using Rank = std::tuple<ServedConnection::Stage, std::size_t, std::chrono::nanoseconds>;
    auto chosen = slots_.end();
    Rank least{};
    for (auto at = slots_.begin(); at != slots_.end(); ++at) {
        if (peer != nullptr && at->peer != *peer) continue;
        const auto connection = at->connection.lock();
        const Rank rank = connection ? Rank{connection->stage(), slots_.size() - counts[at->peer],
                                            connection->since().time_since_epoch()}
                                     : Rank{};
        if (chosen != slots_.end() && least <= rank) continue;
        chosen = at;
        least = rank;
    }
    if (chosen == slots_.end()) return;
    if (const auto connection = chosen->connection.lock()) connection->close();
    slots_.erase(chosen);
}

void ConnectionSlots::bound_unsent() {
    drop_closed();
    std::size_t unsent = 0;
    std::vector<std::pair<ServedConnection::Clock::time_point, std::shared_ptr<ServedConnection>>>
        sending;
    for (const Slot& slot : slots_) {
        auto connection = slot.connection.lock();
        if (!connection || connection->unsent() == 0) continue;
        unsent += connection->unsent();
        sending.emplace_back(connection->since(), std::move(connection));
    }
    std::ranges::sort(sending, {}, [](const auto& each) { return each.first; });
    for (const auto& [since, connection] : sending) {
        if (unsent <= limits_.unsent) return;
        unsent -= std::min(unsent, connection->unsent());
        connection->close();
    }
}

void ConnectionSlots::close_all() {
    for (const Slot& slot : slots_)
        if (const auto connection = slot.connection.lock()) connection->close();
    slots_.clear();
}

}  // namespace capstan::io
