#include <capstan/testing/loopback.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <capstan/ascii.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

constexpr std::size_t loopback_reply_max = std::size_t{64} << 20;

using RealClock = std::chrono::steady_clock;

struct SocketDescriptor {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    SocketDescriptor() = default;
    SocketDescriptor(const SocketDescriptor&) = delete;
    SocketDescriptor& operator=(const SocketDescriptor&) = delete;
    ~SocketDescriptor() {
        if (fd >= 0) ::close(fd);
    }
};

/// One connection for one request.
class LoopbackConnection {
public:
    LoopbackConnection(std::uint16_t port, Duration patience)
        : until_(RealClock::now() + patience) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (socket_.fd < 0 ||
            ::connect(socket_.fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
            give_up("127.0.0.1:" + std::to_string(port));
    }

    void send(std::string_view text) {
        while (!text.empty()) {
            limit(SO_SNDTIMEO);
            const ssize_t sent = ::send(socket_.fd, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent < 0) give_up("sending");
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    /// Adds what came to `out`; false at the end.
    bool receive(std::string& out) {
        std::array<char, 16384> some{};
        limit(SO_RCVTIMEO);
        const ssize_t got = ::recv(socket_.fd, some.data(), some.size(), 0);
        if (got < 0) give_up("receiving");
        out.append(some.data(), static_cast<std::size_t>(got));
        if (out.size() > loopback_reply_max)
            throw Failure(ErrorCode::quota, "the response is larger than 64 MiB");
        return got > 0;
    }

private:
    [[noreturn]] static void give_up(const std::string& what) {
        const bool is_late = errno == EAGAIN || errno == EWOULDBLOCK;
        throw Failure(is_late ? ErrorCode::deadline : ErrorCode::unavailable,
                      what + ": " + (is_late ? "timed out" : std::strerror(errno)));
    }
    void limit(int option) {
        using std::chrono::microseconds;
        const auto left = std::chrono::duration_cast<microseconds>(until_ - RealClock::now());
        // Zero would mean: without a limit.
        const auto us = std::max<std::int64_t>(left.count(), 1);
        const timeval time{.tv_sec = us / 1'000'000, .tv_usec = us % 1'000'000};
        ::setsockopt(socket_.fd, SOL_SOCKET, option, &time, sizeof time);
    }

    RealClock::time_point until_;
    SocketDescriptor socket_;
};

std::string request_text(const HttpRequest& request) {
    const std::string_view target = FakeHttp::target(request.url);
    std::string_view host = request.url;
    host.remove_prefix(host.find("://") + 3);
    host = host.substr(0, host.find_first_of("/?#"));
    std::string out = request.method + " " + (target.substr(0, 1) == "/" ? "" : "/") +
                      std::string(target) + " HTTP/1.1\r\nHost: " + std::string(host) +
                      "\r\nConnection: close\r\n";
    for (const auto& [name, value] : request.headers) out += name + ": " + value + "\r\n";
    if (!request.body.empty() || request.method == "POST" || request.method == "PUT")
        out += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    return out + "\r\n" + request.body;
}

[[noreturn]] void refuse_reply(const char* why) {
    throw Failure(ErrorCode::unavailable,
                  std::string("the server's response is not HTTP/1: ") + why);
}

std::size_t parse_size(std::string_view text, int base) {
    std::size_t out = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    if (bad != std::errc() || end == text.data()) refuse_reply("invalid length");
    return out;
}

/// The status and headers of a head that ends with an empty line.
HttpReply parse_head(std::string_view head) {
    HttpReply out;
    if (head.substr(0, 7) != "HTTP/1." || head.size() < 12) refuse_reply("no status line");
    out.status = static_cast<int>(parse_size(head.substr(9, 3), 10));
    while (true) {
        head.remove_prefix(std::min(head.find("\r\n"), head.size() - 2) + 2);
        const std::string_view line = head.substr(0, head.find("\r\n"));
        if (line.empty()) return out;
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) refuse_reply("a header without a colon");
        std::string name = lower_case(line.substr(0, colon));
        const std::size_t value = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
        out.headers.emplace_back(std::move(name), line.substr(value));
    }
}

/// The chunks of a body put together; absent: there are more to come.
std::optional<std::string> join_chunks(std::string_view text) {
    std::string out;
    while (true) {
        const std::size_t line = text.find("\r\n");
        if (line == std::string_view::npos) return std::nullopt;
        const std::size_t size = parse_size(text.substr(0, line), 16);
        if (size == 0) return out;
        if (text.size() - line < size + 4) return std::nullopt;
        out += text.substr(line + 2, size);
        text.remove_prefix(line + 2 + size + 2);
    }
}

/// nullopt: the response is incomplete. `is_over`: the server has closed the connection.
std::optional<HttpReply> parse_reply(std::string_view text, const std::string& method,
                                     bool is_over) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) {
        if (is_over) throw Failure(ErrorCode::unavailable, "the connection was lost");
        return std::nullopt;
    }
    HttpReply reply = parse_head(text.substr(0, end + 4));
    text.remove_prefix(end + 4);
    if (reply.status < 200) return parse_reply(text, method, is_over);  // "100 Continue"
    const std::string_view length = reply.header("content-length");
    if (method == "HEAD" || reply.status == 204 || reply.status == 304) return reply;
    std::optional<std::string> body;
    if (reply.header("transfer-encoding") == "chunked") {
        body = join_chunks(text);
    } else if (length.empty() ? is_over : text.size() >= parse_size(length, 10)) {
        body = length.empty() ? text : text.substr(0, parse_size(length, 10));
    }
    if (!body && is_over) throw Failure(ErrorCode::unavailable, "the connection was lost");
    if (!body) return std::nullopt;
    reply.body = *std::move(body);
    return reply;
}

HttpReply exchange_over_loopback(const HttpRequest& request, std::uint16_t port,
                                 Duration patience) {
    LoopbackConnection connection(port, patience);
    connection.send(request_text(request));
    std::string got;
    while (true) {
        const bool is_over = !connection.receive(got);
        if (std::optional<HttpReply> reply = parse_reply(got, request.method, is_over))
            return *std::move(reply);
    }
}

}  // namespace

HttpHandler to_loopback(std::uint16_t port, Duration patience) {
    return [=](const HttpRequest& request) -> HttpOutcome {
        try {
            return exchange_over_loopback(request, port, patience);
        } catch (const Failure& failure) {
            return failure.error();
        }
    };
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
