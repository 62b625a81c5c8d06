#include "weather.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

namespace capstan::hostile {
namespace {

constexpr int look_ms = 50;
constexpr std::array<const char*, 6> names{"fine", "hangs", "lags", "throttles", "drops", "fails"};

std::string reply(int status, const std::string& headers, const std::string& body) {
    return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\nConnection: close\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void send_all(int connection, const std::string& text) {
    ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
}

bool is_whole(const std::string& request) {
    const std::size_t head = request.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    const std::size_t length = request.find("Content-Length: ");
    if (length == std::string::npos || length > head) return true;
    return request.size() >= head + 4 + std::strtoul(request.c_str() + length + 16, nullptr, 10);
}

}  // namespace

BadCloud::BadCloud(Weather weather, std::uint64_t seed)
    : weather_(weather),
      chance_(seed),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, at, size) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, at, &size) != 0)
        throw std::system_error(errno, std::generic_category(), "a port for the bad cloud");
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
}

BadCloud::~BadCloud() {
    is_going_ = true;
    acceptor_.join();
    for (std::thread& connection : connections_) connection.join();
    ::close(listener_);
}

std::map<std::string, int> BadCloud::happened() const {
    const std::lock_guard lock(mutex_);
    return happened_;
}

int BadCloud::between(int low, int high) {
    const std::lock_guard lock(mutex_);
    return std::uniform_int_distribution<int>(low, high)(chance_);
}

BadCloud::What BadCloud::draw() {
    int left = between(0, 99);
    const std::array<std::pair<int, What>, 5> parts{{{weather_.hangs, What::hangs},
                                                     {weather_.lags, What::lags},
                                                     {weather_.throttles, What::throttles},
                                                     {weather_.drops, What::drops},
                                                     {weather_.fails, What::fails}}};
    What out = What::fine;
    for (const auto& [percent, what] : parts) {
        if (left >= 0 && left < percent) out = what;
        left -= percent;
    }
    const std::lock_guard lock(mutex_);
    ++happened_[names.at(static_cast<std::size_t>(out))];
    return out;
}

void BadCloud::accept_all() {
    while (!is_going_) {
        pollfd ready{listener_, POLLIN, 0};
        if (::poll(&ready, 1, look_ms) <= 0) continue;
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) continue;
        connections_.emplace_back([this, connection] {
            serve(connection);
            ::close(connection);
        });
    }
}

bool BadCloud::wait(int milliseconds) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (!is_going_ && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(look_ms));
    return !is_going_;
}

int BadCloud::change_target(const std::string& request) {
    const std::lock_guard lock(mutex_);
    if (request.starts_with("POST"))
        target_ += std::atoi(request.c_str() + request.find("\r\n\r\n"));
    return target_;
}

void BadCloud::serve(int connection) {
    std::string request;
    while (!is_whole(request)) {
        std::array<char, 4096> part{};
        pollfd ready{connection, POLLIN, 0};
        if (is_going_) return;
        if (::poll(&ready, 1, look_ms) <= 0) continue;
        const ssize_t size = ::recv(connection, part.data(), part.size(), 0);
        if (size <= 0) return;
        request.append(part.data(), static_cast<std::size_t>(size));
    }
    const What what = draw();
    if (what == What::throttles)
        return send_all(connection,
                        reply(429, "Retry-After: " + std::to_string(between(1, 5)) + "\r\n", ""));
    if (what == What::fails)
        return send_all(connection, between(0, 1) == 0 ? reply(500, "", "a bad day")
                                                       : reply(200, "", "<html>welcome</html>"));
    const bool is_carried_out = what == What::fine || what == What::lags || between(0, 1) == 0;
    const std::string answer =
        reply(200, "", is_carried_out ? std::to_string(change_target(request)) : "0");
    if (what == What::hangs) {
        wait(120'000);
    } else if (what == What::drops) {
        if (between(0, 1) == 0) send_all(connection, answer.substr(0, answer.size() / 2));
    } else if (what == What::fine || wait(between(100, 2000))) {
        send_all(connection, answer);
    }
}

}  // namespace capstan::hostile
