#include "faulty_cloud.hpp"

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

constexpr int poll_ms = 50;
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

FaultyCloud::FaultyCloud(CloudFaults faults, std::uint64_t seed)
    : faults_(faults), random_(seed), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, at, size) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, at, &size) != 0)
        throw std::system_error(errno, std::generic_category(), "a port for the faulty cloud");
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
}

FaultyCloud::~FaultyCloud() {
    is_stopping_ = true;
    acceptor_.join();
    for (std::thread& connection : connections_) connection.join();
    ::close(listener_);
}

std::map<std::string, int> FaultyCloud::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

int FaultyCloud::between(int low, int high) {
    const std::lock_guard lock(mutex_);
    return std::uniform_int_distribution<int>(low, high)(random_);
}

FaultyCloud::Reaction FaultyCloud::draw() {
    int left = between(0, 99);
    const std::array<std::pair<int, Reaction>, 5> parts{{{faults_.hangs, Reaction::hangs},
                                                         {faults_.lags, Reaction::lags},
                                                         {faults_.throttles, Reaction::throttles},
                                                         {faults_.drops, Reaction::drops},
                                                         {faults_.fails, Reaction::fails}}};
    Reaction out = Reaction::fine;
    for (const auto& [percent, reaction] : parts) {
        if (left >= 0 && left < percent) out = reaction;
        left -= percent;
    }
    const std::lock_guard lock(mutex_);
    ++counts_[names.at(static_cast<std::size_t>(out))];
    return out;
}

void FaultyCloud::accept_all() {
    while (!is_stopping_) {
        pollfd ready{listener_, POLLIN, 0};
        if (::poll(&ready, 1, poll_ms) <= 0) continue;
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) continue;
        connections_.emplace_back([this, connection] {
            serve(connection);
            ::close(connection);
        });
    }
}

bool FaultyCloud::wait(int milliseconds) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (!is_stopping_ && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(poll_ms));
    return !is_stopping_;
}

int FaultyCloud::change_target(const std::string& request) {
    const std::lock_guard lock(mutex_);
    if (request.starts_with("POST"))
        target_ += std::atoi(request.c_str() + request.find("\r\n\r\n"));
    return target_;
}

void FaultyCloud::serve(int connection) {
    std::string request;
    while (!is_whole(request)) {
        std::array<char, 4096> part{};
        pollfd ready{connection, POLLIN, 0};
        if (is_stopping_) return;
        if (::poll(&ready, 1, poll_ms) <= 0) continue;
        const ssize_t size = ::recv(connection, part.data(), part.size(), 0);
        if (size <= 0) return;
        request.append(part.data(), static_cast<std::size_t>(size));
    }
    const Reaction reaction = draw();
    if (reaction == Reaction::throttles)
        return send_all(connection,
                        reply(429, "Retry-After: " + std::to_string(between(1, 5)) + "\r\n", ""));
    if (reaction == Reaction::fails)
        return send_all(connection, between(0, 1) == 0 ? reply(500, "", "internal error")
                                                       : reply(200, "", "<html>welcome</html>"));
    const bool is_carried_out =
        reaction == Reaction::fine || reaction == Reaction::lags || between(0, 1) == 0;
    const std::string answer =
        reply(200, "", is_carried_out ? std::to_string(change_target(request)) : "0");
    if (reaction == Reaction::hangs) {
        wait(120'000);
    } else if (reaction == Reaction::drops) {
        if (between(0, 1) == 0) send_all(connection, answer.substr(0, answer.size() / 2));
    } else if (reaction == Reaction::fine || wait(between(100, 2000))) {
        send_all(connection, answer);
    }
}

}  // namespace capstan::hostile
