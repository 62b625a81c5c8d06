// Fakes for tests of ApiClient: a network whose requests the test answers, and credentials.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "io/http_client.hpp"
#include "io/loop.hpp"
#include "kubernetes/client/access/credentials.hpp"

namespace capstan::kubernetes::client {

/// Keeps all requests. An answer of the test goes to the oldest open request.
class FakeNetwork final : public io::HttpClient {
public:
    struct Sent {
        RequestId id = 0;
        HttpRequest request{};
        std::optional<Listener> listener{};
        Done done{};
        bool is_open = true;

        std::string header(const std::string& name) const {
            std::string out;
            for (const auto& [key, value] : request.headers) {
                if (key == name) out += (out.empty() ? "" : "|") + value;
            }
            return out;
        }
    };
    explicit FakeNetwork(io::ManualLoop& loop) : loop_(loop) {}

    RequestId send(HttpRequest request, Done done) override {
        sent.push_back({sent.size() + 1, std::move(request), std::nullopt, std::move(done)});
        return sent.size();
    }
    RequestId stream(HttpRequest request, Listener listener, Done done) override {
        sent.push_back({sent.size() + 1, std::move(request), std::move(listener), std::move(done)});
        return sent.size();
    }
    void cancel(RequestId id) override {
        cancelled.push_back(id);
        if (Sent& each = sent.at(id - 1); std::exchange(each.is_open, false))
            later(each, fail(ErrorCode::cancelled, "cancelled"));
    }

    void answer(int status, std::string body = "", HttpHeaders headers = {}) {
        head(status, std::move(headers));
        part(std::move(body));
        end();
    }
    void lose() {
        Error error{ErrorCode::unavailable, "HTTP GET https://api.test/: reset"};
        error.provider_code = io::connection_lost;
        end_with(fail(std::move(error)));
    }
    void fail_with(ErrorCode code) { end_with(fail(code, "HTTP GET https://api.test/: failed")); }

    void head(int status, HttpHeaders headers = {}) {
        reply_ = {status, std::move(headers), ""};
        if (Sent& each = oldest(); each.listener) each.listener->on_head(reply_);
    }
    void part(std::string body) {
        if (Sent& each = oldest(); each.listener) {
            if (!body.empty()) each.listener->on_part(body);
        } else {
            reply_.body += body;
        }
    }
    void end() { end_with(reply_); }

    std::deque<Sent> sent;
    std::vector<RequestId> cancelled;

private:
    Sent& oldest() {
        for (Sent& each : sent) {
            if (each.is_open) return each;
        }
        throw std::logic_error("no request is open");
    }
    void end_with(Result<HttpReply> result) {
        Sent& each = oldest();
        each.is_open = false;
        later(each, std::move(result));
        loop_.settle();
    }
    void later(Sent& each, Result<HttpReply> result) {
        boost::asio::post(loop_.io(),
                          [done = each.done, result = std::move(result)] { done(result); });
    }
    io::ManualLoop& loop_;
    HttpReply reply_;
};

/// Returns `next` in the next turn of the loop.
class FakeCredentials final : public Credentials {
public:
    explicit FakeCredentials(io::ManualLoop& loop) : loop_(loop) {}
    void get(Done done) override {
        ++asked;
        if (is_silent) return;
        boost::asio::post(loop_.io(), [this, done = std::move(done)] { done(next); });
    }
    void rejected(const Credential& credential) override { refused.push_back(credential); }

    Result<Credential> next = Credential{.headers = {{"authorization", "Bearer secret"}}};
    bool is_silent = false;
    int asked = 0;
    std::vector<Credential> refused;

private:
    io::ManualLoop& loop_;
};

}  // namespace capstan::kubernetes::client
