/// One connection of an HttpServer, and the limit of connections.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <capstan/assert.hpp>

#include "io/file_descriptor.hpp"
#include "io/http_server.hpp"

namespace capstan::io {

/// The server's view of a connection. [any thread]
class ServedConnection {
public:
    /// Ordered by how much the peer loses if the connection is closed.
    enum class Stage : std::uint8_t {
        idle,      ///< the last request is answered, the next one has not begun
        reading,   ///< a request is being read
        writing,   ///< an answer is being written; the peer may be slow, or not read at all
        handling,  ///< the handler has the request
    };
    using Clock = std::chrono::steady_clock;

    virtual ~ServedConnection() = default;
    virtual void start() = 0;
    virtual void close() = 0;
    Stage stage() const noexcept { return stage_; }
    /// When the present stage began.
    Clock::time_point since() const noexcept { return Clock::time_point(Clock::duration(since_)); }
    /// Bytes of answers that wait for the peer.
    std::size_t unsent() const noexcept { return unsent_bytes_; }

protected:
    void enter(Stage stage) noexcept {
        since_ = Clock::now().time_since_epoch().count();
        stage_ = stage;
    }
    std::atomic<std::size_t> unsent_bytes_ = 0;

private:
    std::atomic<Stage> stage_ = Stage::reading;
    std::atomic<Clock::rep> since_ = Clock::now().time_since_epoch().count();
};

/// One request and its answer: connects all copies of a Responder with the connection, which may
/// have closed. [any thread]
class Responder::Exchange {
public:
    /// Forwards each call to the connection's strand. No effect if the connection has closed.
    class Link {
    public:
        virtual ~Link() = default;
        virtual void send(HttpReply reply) = 0;
        virtual void begin(HttpReply head) = 0;
        virtual void write(std::string part) = 0;
        virtual void end() = 0;
        virtual void cut() = 0;
        virtual void drop() = 0;  ///< the last Responder is gone, so no more of the answer comes
        virtual bool is_open() const = 0;
        virtual void when_closed(std::function<void()> then) = 0;
    };
    explicit Exchange(std::shared_ptr<Link> link) : link_(std::move(link)) {}
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    ~Exchange() { link_->drop(); }
    Link& link() const noexcept { return *link_; }

private:
    std::shared_ptr<Link> link_;
};

/// Reads requests one after the other, and writes the answer of each. `Stream` is plain or TLS. All
/// private functions except run() are called on the stream's strand.
template <class Stream>
class StreamConnection final : public ServedConnection,
                               public std::enable_shared_from_this<StreamConnection<Stream>> {
public:
    using Handler = HttpServer::Handler;
    using Code = boost::system::error_code;

    /// `queued` is called when an answer, or a further part of one, waits to be sent; `gone` by the
    /// destructor.
    StreamConnection(Stream stream, const HttpServer::Options& options, Handler handler,
                     std::function<void()> queued, std::function<void()> gone)
        : stream_(std::move(stream)),
          options_(options),
          handler_(std::move(handler)),
          queued_(std::move(queued)),
          gone_(std::move(gone)),
          on_fork_(socket().socket().native_handle()),
          idle_(stream_.get_executor()) {}
    StreamConnection(const StreamConnection&) = delete;
    StreamConnection& operator=(const StreamConnection&) = delete;
    ~StreamConnection() override { gone_(); }

    void start() override { run(&StreamConnection::shake_hands); }
    void close() override { run(&StreamConnection::shut); }

private:
    class Answer;
    void run(void (StreamConnection::*what)());
    auto& socket() { return boost::beast::get_lowest_layer(stream_); }
    auto& parser() {
        CAPSTAN_ASSERT(parser_, "a request is read without a parser");
        return *parser_;
    }

    void shake_hands();
    void read();
    void read_head();
    void take_head(Code error);
    void take(Code error);
    void refuse(Code error);
    void hand_over();
    void watch_peer();

    void begin(const HttpReply& reply, bool is_whole);
    void write(std::string part);
    void finish();
    void pump();
    void written(Code error);
    void done_answering();
    void shut();

    Stream stream_;
    const HttpServer::Options& options_;
    const Handler handler_;
    const std::function<void()> queued_, gone_;
    CloseOnFork on_fork_;
    boost::asio::steady_timer idle_;  ///< the idle timeout, during watch_peer()
    boost::beast::flat_buffer buffer_;
    std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
    std::shared_ptr<Answer> answer_;  ///< of the present request; NULL: none
    std::deque<std::string> unsent_;
    bool had_request_ = false;  ///< at least one whole request has come
    bool keeps_alive_ = false, is_head_ = false, is_chunked_ = false;
    bool has_begun_ = false, has_ended_ = false;
    bool is_writing_ = false, is_watching_ = false, is_shut_ = false;
};

using PlainConnection = StreamConnection<boost::beast::tcp_stream>;
using TlsConnection = StreamConnection<boost::beast::ssl_stream<boost::beast::tcp_stream>>;

extern template class StreamConnection<boost::beast::tcp_stream>;
extern template class StreamConnection<boost::beast::ssl_stream<boost::beast::tcp_stream>>;

/// The peer that an address belongs to: an IPv4 address, also one mapped into IPv6, or the /64
/// network of an IPv6 address, because one machine has a whole /64.
///     10.0.0.7 and ::ffff:10.0.0.7 -> "10.0.0.7"        2001:db8::1 -> "2001:db8::/64"
std::string peer_key(const boost::asio::ip::address& address);

/// The connections of a server with Options::makes_room. Before its request has come, a new
/// connection may be an important probe, so no new connection is refused. At a limit, an existing
/// connection is closed instead: the one in the lowest Stage; among these, one of the peer with the
/// most connections; among these, the one that has been in its stage for the longest time. So a
/// peer with many idle connections loses its own first. Used on one strand.
class ConnectionSlots {
public:
    struct Limits {
        std::size_t total = 0;
        std::size_t per_peer = 0;
        std::size_t unsent = 0;  ///< bytes of answers that wait for their peers
    };
    explicit ConnectionSlots(Limits limits) : limits_(limits) {}

    /// Closes connections until one more of that peer is within the limits.
    void make_room(const std::string& peer);
    void add(std::string peer, const std::shared_ptr<ServedConnection>& connection);
    /// Closes connections with unsent bytes, first those that have been in their stage for the
    /// longest time, until the unsent bytes of the rest are within the limit.
    void bound_unsent();
    void close_all();
    std::size_t size() const noexcept { return slots_.size(); }

private:
    struct Slot {
        std::string peer;
        std::weak_ptr<ServedConnection> connection;
    };
    std::size_t count_of(const std::string& peer) const;
    void drop_closed();
    void close_one(const std::string* peer);

    const Limits limits_;
    std::vector<Slot> slots_{};
};

}  // namespace capstan::io
