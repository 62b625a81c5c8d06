// Loopback servers for tests of connections: a TLS server, and a proxy that connects to it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include "test_certificates.hpp"

namespace capstan::io {

/// Accepts connections and serves each on its own thread until it is destroyed.
class LoopbackServer {
public:
    using Socket = boost::asio::ip::tcp::socket;
    LoopbackServer() = default;
    LoopbackServer(const LoopbackServer&) = delete;
    LoopbackServer& operator=(const LoopbackServer&) = delete;
    virtual ~LoopbackServer() = default;

    std::string port() const { return std::to_string(acceptor_.local_endpoint().port()); }
    int connections() const { return accepted_; }
    /// Connections still open.
    int open() const { return open_; }

protected:
    /// The most derived class calls start() at the end of its constructor and stop() in its
    /// destructor.
    void start() {
        thread_ = std::thread([this] { accept(); });
    }
    void stop() {
        closing_ = true;
        boost::system::error_code ignored;
        Socket wake(io_);
        wake.connect(acceptor_.local_endpoint(), ignored);
        thread_.join();
        for (const auto& socket : sockets_) socket->shutdown(Socket::shutdown_both, ignored);
        for (std::thread& each : serving_) each.join();
    }
    virtual void serve(Socket& socket) = 0;
    boost::asio::io_context io_;

private:
    void accept() {
        while (true) {
            auto socket = std::make_shared<Socket>(io_);
            acceptor_.accept(*socket);
            if (closing_) return;
            sockets_.push_back(socket);
            ++accepted_;
            ++open_;
            serving_.emplace_back([this, socket] {
                serve(*socket);
                --open_;
            });
        }
    }
    boost::asio::ip::tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
    std::atomic<bool> closing_{false};
    std::atomic<int> accepted_{0}, open_{0};
    std::vector<std::shared_ptr<Socket>> sockets_;
    std::vector<std::thread> serving_;
    std::thread thread_;
};

/// The head of a request or reply, up to its empty line.
template <class Stream>
std::string read_head(Stream& stream, boost::asio::streambuf& buffer) {
    boost::system::error_code error;
    const std::size_t size = boost::asio::read_until(stream, buffer, "\r\n\r\n", error);
    if (error) return {};
    const auto begin = boost::asio::buffers_begin(buffer.data());
    std::string head(begin, begin + static_cast<std::ptrdiff_t>(size));
    buffer.consume(size);
    return head;
}

/// Clients must present a certificate of `client_ca`.
inline void require_client_certificate(boost::asio::ssl::context& context,
                                       const std::string& client_ca) {
    context.add_certificate_authority(boost::asio::buffer(client_ca));
    context.set_verify_mode(boost::asio::ssl::verify_peer |
                            boost::asio::ssl::verify_fail_if_no_peer_cert);
}

/// Answers each request with a description of it:
///     "sni api.test, client admin, host 127.0.0.1:4711"
/// The reply to "/watch" does not end.
class TlsServer : public LoopbackServer {
public:
    /// With `client_ca`, clients must present a certificate of that authority.
    explicit TlsServer(const TestIdentity& identity, const std::string& client_ca = "") {
        context_.use_certificate_chain(boost::asio::buffer(identity.certificate_pem()));
        context_.use_private_key(boost::asio::buffer(identity.key_pem()),
                                 boost::asio::ssl::context::pem);
        if (!client_ca.empty()) require_client_certificate(context_, client_ca);
        start();
    }
    ~TlsServer() override { stop(); }
    std::string url(const std::string& path = "/") const {
        return "https://127.0.0.1:" + port() + path;
    }
    int requests() const { return requests_; }

protected:
    void serve(Socket& socket) override {
        boost::asio::ssl::stream<Socket&> stream(socket, context_);
        boost::system::error_code error;
        stream.handshake(boost::asio::ssl::stream_base::server, error);
        boost::asio::streambuf buffer;
        while (!error) {
            const std::string head = read_head(stream, buffer);
            if (head.empty()) return;
            ++requests_;
            const std::string body = description_of(*stream.native_handle(), head);
            const bool is_endless = head.starts_with("GET /watch ");
            const std::string length =
                is_endless ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
            boost::asio::write(
                stream, boost::asio::buffer("HTTP/1.1 200 OK\r\n" + length + "\r\n" + body), error);
        }
    }

private:
    static std::string description_of(SSL& ssl, const std::string& head) {
        const char* const sni = SSL_get_servername(&ssl, TLSEXT_NAMETYPE_host_name);
        const std::unique_ptr<X509, FreeOpenSsl> client(SSL_get1_peer_certificate(&ssl));
        char name[64] = "nobody";
        if (client) {
            X509_NAME_get_text_by_NID(X509_get_subject_name(client.get()), NID_commonName, name,
                                      sizeof name);
        }
        const std::size_t host = head.find("Host: ") + 6;
        return std::string("sni ") + (sni == nullptr ? "none" : sni) + ", client " + name +
               ", host " + head.substr(host, head.find("\r\n", host) - host);
    }
    boost::asio::ssl::context context_{boost::asio::ssl::context::tls_server};
    std::atomic<int> requests_{0};
};

/// An HTTP proxy whose tunnels all lead to `port` of this machine.
class TunnelProxy : public LoopbackServer {
public:
    explicit TunnelProxy(const std::string& port) : to_(std::stoi(port)) { start(); }
    ~TunnelProxy() override { stop(); }
    std::string url(const std::string& user = "") const {
        return "http://" + user + "127.0.0.1:" + port();
    }
    std::string heads() const {
        const std::lock_guard lock(mutex_);
        return heads_;
    }

protected:
    void serve(Socket& socket) override {
        boost::asio::streambuf buffer;
        const std::string head = read_head(socket, buffer);
        {
            const std::lock_guard lock(mutex_);
            heads_ += head;
        }
        boost::system::error_code error;
        Socket target(io_);
        target.connect(
            {boost::asio::ip::address_v4::loopback(), static_cast<boost::asio::ip::port_type>(to_)},
            error);
        boost::asio::write(
            socket, boost::asio::buffer(std::string("HTTP/1.1 200 Connected\r\n\r\n")), error);
        std::thread back([&] { pass_on(target, socket); });
        pass_on(socket, target);
        back.join();
    }

private:
    static void pass_on(Socket& from, Socket& to) {
        std::vector<char> bytes(4096);
        boost::system::error_code error;
        while (!error) {
            const std::size_t size = from.read_some(boost::asio::buffer(bytes), error);
            if (!error) boost::asio::write(to, boost::asio::buffer(bytes, size), error);
        }
        to.shutdown(Socket::shutdown_both, error);
    }
    const int to_;
    mutable std::mutex mutex_;
    std::string heads_;
};

}  // namespace capstan::io
