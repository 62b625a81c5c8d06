#include "io/http_server.hpp"
#include "io/served_connection.hpp"

#include <atomic>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include "io/file_descriptor.hpp"

namespace capstan::io {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// The pause before the next accept() where the process has no file descriptor left.
constexpr auto accept_again = std::chrono::milliseconds(100);

Result<std::shared_ptr<asio::ssl::context>> make_tls(const HttpServer::Options& options) {
    std::shared_ptr<asio::ssl::context> out;
    if (options.certificate_pem.empty()) return out;
    out = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    const auto set = [&](std::string_view what, auto&& call) -> Result<void> {
        error_code error;
        call(error);
        if (!error) return {};
        return fail(ErrorCode::invalid_argument,
                    "HTTP server: " + std::string(what) + ": " + error.message());
    };
    CAPSTAN_CHECK(set("certificate", [&](error_code& error) {
        out->use_certificate_chain(asio::buffer(options.certificate_pem), error);
    }));
    CAPSTAN_CHECK(set("key", [&](error_code& error) {
        out->use_private_key(asio::buffer(options.key_pem), asio::ssl::context::pem, error);
    }));
    if (options.client_ca_pem.empty()) return out;
    CAPSTAN_CHECK(set("client CA", [&](error_code& error) {
        out->add_certificate_authority(asio::buffer(options.client_ca_pem), error);
    }));
    out->set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    return out;
}

Result<tcp::acceptor> open(asio::io_context& io, const HttpServer::Options& options) {
    error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    if (error)
        return fail(ErrorCode::invalid_argument,
                    "HTTP server: \"" + options.address + "\" is not an IP address");
    const tcp::endpoint at(address, options.port);
    tcp::acceptor out(asio::make_strand(io));
    out.open(at.protocol(), error);
    if (!error) out.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && address.is_v6() && address.is_unspecified())
        out.set_option(asio::ip::v6_only(false), error);
    if (!error) out.bind(at, error);
    if (!error) out.listen(asio::socket_base::max_listen_connections, error);
    if (error)
        return fail(ErrorCode::unavailable, "listen on " + options.address + ":" +
                                                std::to_string(options.port) + ": " +
                                                error.message());
    return out;
}

}  // namespace

/// Connections and handlers of the loop share it. The acceptor and the slots are used on its strand
/// alone.
class HttpServer::Core : public std::enable_shared_from_this<Core> {
public:
    Core(asio::io_context& io, tcp::acceptor acceptor, std::shared_ptr<asio::ssl::context> tls,
         Options options, Handler handler)
        : io_(io),
          acceptor_(std::move(acceptor)),
          on_fork_(acceptor_.native_handle()),
          port_(acceptor_.local_endpoint().port()),
          tls_(std::move(tls)),
          options_(std::move(options)),
          handler_(std::move(handler)),
          pause_(acceptor_.get_executor()),
          slots_({.total = options_.max_connections,
                  .per_peer = options_.max_connections_per_peer,
                  .unsent = options_.max_unsent_total}) {}

    std::uint16_t port() const noexcept { return port_; }
    void start() {
        asio::post(acceptor_.get_executor(), [self = shared_from_this()] { self->accept(); });
    }
    void stop() {
        is_stopped_ = true;
        asio::post(acceptor_.get_executor(), [self = shared_from_this()] {
            error_code ignored;
            self->on_fork_.release();
            self->acceptor_.close(ignored);
            self->pause_.cancel();
            self->slots_.close_all();
        });
    }

private:
    void accept() {
        if (is_stopped_) return;
        if (!options_.makes_room && open_ >= options_.max_connections) return accept_later();
        acceptor_.async_accept(asio::make_strand(io_),
                               [self = shared_from_this()](error_code error, tcp::socket socket) {
                                   if (self->is_stopped_) return;
                                   if (error) return self->accept_later();
                                   self->serve(std::move(socket));
                                   self->accept();
                               });
    }
    void accept_later() {
        pause_.expires_after(accept_again);
        pause_.async_wait([self = shared_from_this()](error_code error) {
            if (!error) self->accept();
        });
    }
    void serve(tcp::socket socket) {
        error_code error;
        socket.set_option(tcp::no_delay(true), error);
        const auto end = socket.remote_endpoint(error);
        if (error) return;  // the peer has left already
        std::string peer = peer_key(end.address());
        if (options_.makes_room) slots_.make_room(peer);
        boost::beast::tcp_stream stream(std::move(socket));
        std::shared_ptr<ServedConnection> connection;
        if (tls_) {
            connection = make<TlsConnection>(
                boost::beast::ssl_stream<boost::beast::tcp_stream>(std::move(stream), *tls_));
        } else {
            connection = make<PlainConnection>(std::move(stream));
        }
        slots_.add(std::move(peer), connection);
        connection->start();
    }
    template <class Connection, class Stream>
    std::shared_ptr<ServedConnection> make(Stream stream) {
        ++open_;
        return std::make_shared<Connection>(
            std::move(stream), options_,
            [weak = weak_from_this()](ServedRequest request, Responder responder) {
                if (const auto self = weak.lock(); self && !self->is_stopped_)
                    self->handler_(std::move(request), std::move(responder));
            },
            [weak = weak_from_this()] {
                if (const auto self = weak.lock()) self->bound_unsent();
            },
            [self = shared_from_this()] { --self->open_; });
    }
    void bound_unsent() {
        if (!options_.makes_room) return;
        asio::post(acceptor_.get_executor(),
                   [self = shared_from_this()] { self->slots_.bound_unsent(); });
    }

    asio::io_context& io_;
    tcp::acceptor acceptor_;
    CloseOnFork on_fork_;
    const std::uint16_t port_;
    const std::shared_ptr<asio::ssl::context> tls_;
    const Options options_;
    const Handler handler_;
    asio::steady_timer pause_;
    ConnectionSlots slots_;
    std::atomic<std::size_t> open_ = 0;
    std::atomic<bool> is_stopped_ = false;
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(asio::io_context& io, Options options,
                                                       Handler handler) {
    CAPSTAN_TRY(auto tls, make_tls(options));
    CAPSTAN_TRY(tcp::acceptor acceptor, open(io, options));
    auto core = std::make_shared<Core>(io, std::move(acceptor), std::move(tls), std::move(options),
                                       std::move(handler));
    core->start();
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

HttpServer::~HttpServer() { core_->stop(); }

std::uint16_t HttpServer::port() const noexcept { return core_->port(); }

}  // namespace capstan::io
