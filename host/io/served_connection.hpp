/// One connection of an HttpServer: requests read one after the other, each answered by its
/// exchange.
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

#include "io/file_descriptor.hpp"
#include "io/http_server.hpp"

namespace capstan::io {

/// What the server knows of a connection. [any thread]
class ServedConnection {
public:
    /// From the least to lose to the most.
    enum class Stage : std::uint8_t {
        idle,     ///< answered; the next request has not begun
        asking,   ///< its request is not whole
        sending,  ///< its answer is being read by the peer, or is not
        waiting,  ///< its answer is being made
    };
    using Clock = std::chrono::steady_clock;

    virtual ~ServedConnection() = default;
    virtual void start() = 0;
    virtual void close() = 0;
    Stage stage() const noexcept { return stage_; }
    Clock::time_point since() const noexcept { return Clock::time_point(Clock::duration(since_)); }
    /// Bytes of answers that wait for the peer.
    std::size_t unsent() const noexcept { return unsent_bytes_; }

protected:
    void stand(Stage stage) noexcept {
        since_ = Clock::now().time_since_epoch().count();
        stage_ = stage;
    }
    std::atomic<std::size_t> unsent_bytes_ = 0;

private:
    std::atomic<Stage> stage_ = Stage::asking;
    std::atomic<Clock::rep> since_ = Clock::now().time_since_epoch().count();
};

/// Between a Responder and its connection, which may have gone. [any thread]
class Responder::Exchange {
public:
    /// What is to be done with the connection, on its strand; false: it has gone.
    class Link {
    public:
        virtual ~Link() = default;
        virtual void send(HttpReply reply) = 0;
        virtual void begin(HttpReply head) = 0;
        virtual void write(std::string part) = 0;
        virtual void end() = 0;
        virtual void cut() = 0;
        virtual void drop() = 0;  ///< no answer will come any more
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

/// `Stream` is plain or TLS. Everything below `start` runs on the stream's strand.
template <class Stream>
class StreamConnection final : public ServedConnection,
                               public std::enable_shared_from_this<StreamConnection<Stream>> {
public:
    using Handler = HttpServer::Handler;
    using Code = boost::system::error_code;

    /// `queued`: an answer is to be sent. `gone`: this is no more.
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
    boost::asio::steady_timer idle_;  ///< runs while the next request is watched for
    boost::beast::flat_buffer buffer_;
    std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
    std::shared_ptr<Answer> answer_;  ///< of the request that is being answered
    std::deque<std::string> unsent_;
    bool has_asked_ = false;  ///< a request has come whole
    bool keeps_alive_ = false, is_head_ = false, is_chunked_ = false;
    bool has_begun_ = false, has_ended_ = false;
    bool is_writing_ = false, is_watching_ = false, is_shut_ = false;
};

using PlainConnection = StreamConnection<boost::beast::tcp_stream>;
using TlsConnection = StreamConnection<boost::beast::ssl_stream<boost::beast::tcp_stream>>;

extern template class StreamConnection<boost::beast::tcp_stream>;
extern template class StreamConnection<boost::beast::ssl_stream<boost::beast::tcp_stream>>;

// The places of a server that makes room: whose connection is closed so that the next one fits.

/// What counts as one peer: an IPv4 address, also one that came over IPv6, or the /64 that an IPv6
/// address is in, for a single machine has all of that.
///     10.0.0.7 and ::ffff:10.0.0.7 -> "10.0.0.7"        2001:db8::1 -> "2001:db8::/64"
std::string peer_key(const boost::asio::ip::address& address);

/// No connection can be told from a probe before a request has come, so none is refused: a new
/// connection takes the place of the one that has the least to lose. First those that are kept for
/// a next request, then those whose request is not whole, then those that do not read their answer,
/// last those whose answer is being made; of equals, those of the peer that has the most, and of
/// these the one that has been so for the longest. So many silent connections displaces its
/// own. Used on one strand.
class ServedPlaces {
public:
    struct Limits {
        std::size_t total = 0;
        std::size_t per_peer = 0;
        std::size_t unsent = 0;  ///< bytes of answers that wait for their peers
    };
    explicit ServedPlaces(Limits limits) : limits_(limits) {}

    /// Closes what stands in the way of one more connection of that peer.
    void make_room(const std::string& peer);
    void add(std::string peer, const std::shared_ptr<ServedConnection>& connection);
    /// Closes connections whose peers have not read their answers for the longest, until the rest
    /// is within the limit.
    void bound_unsent();
    void close_all();
    std::size_t size() const noexcept { return taken_.size(); }

private:
    struct Taken {
        std::string peer;
        std::weak_ptr<ServedConnection> connection;
    };
    std::size_t count_of(const std::string& peer) const;
    void forget_gone();
    void close_one(const std::string* peer);

    const Limits limits_;
    std::vector<Taken> taken_{};
};

}  // namespace capstan::io
