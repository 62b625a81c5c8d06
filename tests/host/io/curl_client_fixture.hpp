/// A client per test, and a loopback server with prepared replies.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include "io/curl_http_client.hpp"

namespace capstan::io {

/// Answers each request with the reply that the test prepared for its path; a path without a reply
/// is never answered. Closes the connection after a request whose path begins with "/lost".
class TestServer {
    using tcp = boost::asio::ip::tcp;

public:
    TestServer() : thread_([this] { accept(); }) {}
    ~TestServer() {
        closing_ = true;
        boost::system::error_code ignored;
        tcp::socket wake(io_);
        wake.connect(acceptor_.local_endpoint(), ignored);
        thread_.join();
        for (auto& socket : sockets_) socket->shutdown(tcp::socket::shutdown_both, ignored);
        for (std::thread& each : serving_) each.join();
    }
    std::string url(const std::string& path) const {
        return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + path;
    }
    void answer(const std::string& path, std::string reply) { replies_[path] = std::move(reply); }
    std::string requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    /// Sends more bytes on the newest connection.
    void push(const std::string& bytes) {
        boost::asio::write(*sockets_.back(), boost::asio::buffer(bytes));
    }
    int connections() const { return static_cast<int>(sockets_.size()); }

private:
    void accept() {
        while (true) {
            auto socket = std::make_shared<tcp::socket>(io_);
            acceptor_.accept(*socket);
            if (closing_) return;
            sockets_.push_back(socket);
            serving_.emplace_back([this, socket] { serve(*socket); });
        }
    }
    void serve(tcp::socket& socket) {
        boost::asio::streambuf buffer;
        boost::system::error_code error;
        while (true) {
            const std::size_t head_size =
                boost::asio::read_until(socket, buffer, "\r\n\r\n", error);
            if (error) return;
            std::string request(
                boost::asio::buffers_begin(buffer.data()),
                boost::asio::buffers_begin(buffer.data()) + static_cast<std::ptrdiff_t>(head_size));
            buffer.consume(head_size);
            read_body(socket, buffer, request);
            {
                const std::lock_guard lock(mutex_);
                requests_ += request;
            }
            const std::string path = request.substr(request.find(' ') + 1,
                                                    request.find(" HTTP/") - request.find(' ') - 1);
            const auto reply = replies_.find(path);
            if (reply != replies_.end())
                boost::asio::write(socket, boost::asio::buffer(reply->second), error);
            if (path.starts_with("/lost")) return socket.shutdown(tcp::socket::shutdown_both);
        }
    }
    static void read_body(tcp::socket& socket, boost::asio::streambuf& buffer,
                          std::string& request) {
        const std::size_t at = request.find("Content-Length: ");
        if (at == std::string::npos) return;
        const std::size_t size = std::stoul(request.substr(at + 16));
        while (buffer.size() < size) {
            boost::system::error_code error;
            buffer.commit(socket.read_some(buffer.prepare(4096), error));
            if (error) return;
        }
        request.append(
            boost::asio::buffers_begin(buffer.data()),
            boost::asio::buffers_begin(buffer.data()) + static_cast<std::ptrdiff_t>(size));
        buffer.consume(size);
    }

    boost::asio::io_context io_;
    tcp::acceptor acceptor_{io_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
    std::map<std::string, std::string> replies_;
    std::atomic<bool> closing_{false};
    mutable std::mutex mutex_;
    std::string requests_;
    std::vector<std::shared_ptr<tcp::socket>> sockets_;
    std::vector<std::thread> serving_;
    std::thread thread_;
};

inline std::string reply_with(const std::string& body,
                              const std::string& head = "HTTP/1.1 200 OK\r\n") {
    return head + "Content-Length: " + std::to_string(body.size()) +
           "\r\nX-Mixed-Case:  value \r\n\r\n" + body;
}

struct CurlHttpClientTest : testing::Test {
    TestServer server;
    boost::asio::io_context io;
    std::unique_ptr<CurlHttpClient> client = std::make_unique<CurlHttpClient>(io);
    std::vector<Result<HttpReply>> replies;

    HttpClient::Done keep() {
        return [this](Result<HttpReply> reply) { replies.push_back(std::move(reply)); };
    }
    /// Runs the loop until `count` requests have ended.
    void run_until(std::size_t count) {
        io.restart();
        const auto work = boost::asio::make_work_guard(io);
        while (replies.size() < count) io.run_one();
    }
    Result<HttpReply> get(HttpRequest request) {
        replies.clear();
        client->send(std::move(request), keep());
        EXPECT_TRUE(replies.empty()) << "called inside send";
        run_until(1);
        return replies.at(0);
    }
    ~CurlHttpClientTest() override {
        client = nullptr;
        io.restart();
        io.run();
    }
};

}  // namespace capstan::io
