// A server on loopback that speaks HTTP/2 over TLS and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/asio/read.hpp>

#include "tls_server.hpp"

namespace capstan::io {

/// Chosen in the TLS handshake where the client offers it, as API servers do. Answers each request
/// with "HTTP/2 stream NUMBER", once it has come as a whole; what the request says does not matter.
/// A client that says anything else is left without an answer.
class Http2Server : public LoopbackServer {
public:
    /// `packed`: the body of each reply instead, as gzip; no more than a client's window takes.
    explicit Http2Server(const TestIdentity& identity, std::string packed = {})
        : packed_(std::move(packed)) {
        context_.use_certificate_chain(boost::asio::buffer(identity.certificate_pem()));
        context_.use_private_key(boost::asio::buffer(identity.key_pem()),
                                 boost::asio::ssl::context::pem);
        SSL_CTX_set_alpn_select_cb(context_.native_handle(), &choose, nullptr);
        start();
    }
    ~Http2Server() override { stop(); }
    std::string url(const std::string& path = "/") const {
        return "https://127.0.0.1:" + port() + path;
    }

protected:
    void serve(Socket& socket) override {
        Stream stream(socket, context_);
        boost::system::error_code error;
        stream.handshake(boost::asio::ssl::stream_base::server, error);
        if (error || !has_preface(stream)) return;
        write(stream, {.type = Type::settings});
        for (Frame frame; read(stream, frame) && frame.type != Type::goaway;) answer(stream, frame);
    }

private:
    using Stream = boost::asio::ssl::stream<Socket&>;
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
    static bool has_preface(Stream& stream) {
        constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        std::string text(preface.size(), '\0');
        boost::system::error_code error;
        boost::asio::read(stream, boost::asio::buffer(text), error);
        return text == preface;
    }
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
    void answer(Stream& stream, const Frame& frame) const {
        const bool is_request = frame.type == Type::headers || frame.type == Type::data;
        if (is_request && (frame.flags & end_stream) != 0) return reply(stream, frame.stream);
        const bool wants_ack = frame.type == Type::settings || frame.type == Type::ping;
        if (wants_ack && (frame.flags & ack) == 0)
            write(stream, {.type = frame.type,
                           .flags = ack,
                           .payload = frame.type == Type::ping ? frame.payload : std::string()});
    }
    void reply(Stream& stream, std::uint32_t number) const {
        if (!packed_.empty()) return reply_packed(stream, number);
        // The eighth entry of HPACK's table is ":status: 200".
        write(stream,
              {.type = Type::headers, .flags = end_headers, .stream = number, .payload = "\x88"});
        write(stream, {.type = Type::data,
                       .flags = end_stream,
                       .stream = number,
                       .payload = "HTTP/2 stream " + std::to_string(number)});
    }
    void reply_packed(Stream& stream, std::uint32_t number) const {
        // The 26th entry is "content-encoding", whose value follows.
        write(stream, {.type = Type::headers,
                       .flags = end_headers,
                       .stream = number,
                       .payload = "\x88\x0f\x0b\x04gzip"});
        constexpr std::size_t most = 16384;
        for (std::size_t at = 0; at < packed_.size(); at += most) {
            const bool is_last = at + most >= packed_.size();
            write(stream, {.type = Type::data,
                           .flags = is_last ? end_stream : std::uint8_t{0},
                           .stream = number,
                           .payload = packed_.substr(at, most)});
        }
    }

    const std::string packed_;
    boost::asio::ssl::context context_{boost::asio::ssl::context::tls_server};
};

}  // namespace capstan::io
