// A loopback server that supports only HTTP/2.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/asio/read.hpp>

#include "tls_server.hpp"

namespace capstan::io {

struct Http2Options {
    /// The gzip-compressed body of each reply, not longer than the flow-control window of a client.
    /// Empty: the body is "HTTP/2 stream NUMBER".
    std::string packed{};
    std::string client_ca{};  ///< clients need a certificate of this authority; empty: none needed
    bool has_trailers = false;  ///< "grpc-status: 0" follows each body
};

/// With TLS, selects HTTP/2 in the handshake if the client offers it, as API servers do. Gives each
/// complete request the same reply, whatever it contains, and acknowledges SETTINGS and PING.
class Http2Server : public LoopbackServer {
public:
    explicit Http2Server(const TestIdentity& identity, Http2Options options = {})
        : options_(std::move(options)), scheme_("https") {
        context_.use_certificate_chain(boost::asio::buffer(identity.certificate_pem()));
        context_.use_private_key(boost::asio::buffer(identity.key_pem()),
                                 boost::asio::ssl::context::pem);
        SSL_CTX_set_alpn_select_cb(context_.native_handle(), &choose, nullptr);
        if (!options_.client_ca.empty()) require_client_certificate(context_, options_.client_ca);
        start();
    }
    /// Without TLS, from the first byte.
    explicit Http2Server(Http2Options options) : options_(std::move(options)), scheme_("http") {
        start();
    }
    ~Http2Server() override { stop(); }
    std::string url(const std::string& path = "/") const {
        return scheme_ + "://127.0.0.1:" + port() + path;
    }

protected:
    void serve(Socket& socket) override {
        if (scheme_ == "http") return converse(socket);
        boost::asio::ssl::stream<Socket&> stream(socket, context_);
        boost::system::error_code error;
        stream.handshake(boost::asio::ssl::stream_base::server, error);
        if (!error) converse(stream);
    }

private:
    template <class Stream>
    void converse(Stream& stream) const {
        if (!has_preface(stream)) return;
        write(stream, {.type = Type::settings});
        for (Frame frame; read(stream, frame) && frame.type != Type::goaway;) answer(stream, frame);
    }
    /// RFC 9113, section 6.
    enum class Type : std::uint8_t { data = 0, headers = 1, settings = 4, ping = 6, goaway = 7 };
    static constexpr std::uint8_t ack = 1, end_stream = 1, end_headers = 4;
    struct Frame {
        Type type{};
        std::uint8_t flags = 0;
        std::uint32_t stream = 0;
        std::string payload{};
    };

    static int choose(SSL*, const unsigned char** out, unsigned char* out_size,
                      const unsigned char* offered, unsigned int offered_size, void*) {
        static constexpr unsigned char h2[] = {2, 'h', '2'};
        unsigned char* chosen = nullptr;
        if (SSL_select_next_proto(&chosen, out_size, h2, sizeof h2, offered, offered_size) !=
            OPENSSL_NPN_NEGOTIATED)
            return SSL_TLSEXT_ERR_NOACK;
        *out = chosen;
        return SSL_TLSEXT_ERR_OK;
    }
    template <class Stream>
    static bool has_preface(Stream& stream) {
        constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        std::string text(preface.size(), '\0');
        boost::system::error_code error;
        boost::asio::read(stream, boost::asio::buffer(text), error);
        return text == preface;
    }
    template <class Stream>
    static bool read(Stream& stream, Frame& frame) {
        std::array<std::uint8_t, 9> head{};
        boost::system::error_code error;
        boost::asio::read(stream, boost::asio::buffer(head), error);
        if (error) return false;
        frame = {.type = static_cast<Type>(head[3]),
                 .flags = head[4],
                 .stream = std::uint32_t{head[5]} << 24 | std::uint32_t{head[6]} << 16 |
                           std::uint32_t{head[7]} << 8 | std::uint32_t{head[8]},
                 .payload = std::string(
                     std::size_t{head[0]} << 16 | std::size_t{head[1]} << 8 | head[2], '\0')};
        boost::asio::read(stream, boost::asio::buffer(frame.payload), error);
        return !error;
    }
    template <class Stream>
    static void write(Stream& stream, const Frame& frame) {
        const std::size_t size = frame.payload.size();
        std::string bytes;
        for (const std::size_t byte : {size >> 16, size >> 8, size})
            bytes += static_cast<char>(byte & 0xff);
        bytes += static_cast<char>(frame.type);
        bytes += static_cast<char>(frame.flags);
        for (const unsigned shift : {24u, 16u, 8u, 0u})
            bytes += static_cast<char>(frame.stream >> shift & 0xff);
        boost::system::error_code ignored;
        boost::asio::write(stream, boost::asio::buffer(bytes + frame.payload), ignored);
    }
    template <class Stream>
    void answer(Stream& stream, const Frame& frame) const {
        const bool is_request = frame.type == Type::headers || frame.type == Type::data;
        if (is_request && (frame.flags & end_stream) != 0) return reply(stream, frame.stream);
        const bool needs_ack = frame.type == Type::settings || frame.type == Type::ping;
        if (needs_ack && (frame.flags & ack) == 0)
            write(stream, {.type = frame.type,
                           .flags = ack,
                           .payload = frame.type == Type::ping ? frame.payload : std::string()});
    }
    template <class Stream>
    void reply(Stream& stream, std::uint32_t number) const {
        if (!options_.packed.empty()) return reply_packed(stream, number);
        // The eighth entry of HPACK's table is ":status: 200".
        write(stream,
              {.type = Type::headers, .flags = end_headers, .stream = number, .payload = "\x88"});
        write(stream, {.type = Type::data,
                       .flags = options_.has_trailers ? std::uint8_t{0} : end_stream,
                       .stream = number,
                       .payload = "HTTP/2 stream " + std::to_string(number)});
        if (!options_.has_trailers) return;
        // A literal name and value without indexing.
        write(stream, {.type = Type::headers,
                       .flags = end_headers | end_stream,
                       .stream = number,
                       .payload = std::string("\0\x0bgrpc-status\x01"
                                              "0",
                                              15)});
    }
    template <class Stream>
    void reply_packed(Stream& stream, std::uint32_t number) const {
        // The 26th entry is "content-encoding"; its value follows.
        write(stream, {.type = Type::headers,
                       .flags = end_headers,
                       .stream = number,
                       .payload = "\x88\x0f\x0b\x04gzip"});
        constexpr std::size_t most = 16384;
        for (std::size_t at = 0; at < options_.packed.size(); at += most) {
            const bool is_last = at + most >= options_.packed.size();
            write(stream, {.type = Type::data,
                           .flags = is_last ? end_stream : std::uint8_t{0},
                           .stream = number,
                           .payload = options_.packed.substr(at, most)});
        }
    }

    const Http2Options options_;
    const std::string scheme_;
    boost::asio::ssl::context context_{boost::asio::ssl::context::tls_server};
};

}  // namespace capstan::io
