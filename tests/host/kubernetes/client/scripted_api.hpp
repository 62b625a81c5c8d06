/// A fake API server whose responses are set by the test.
///
///     ScriptedApi api(loop);
///     client.change(...);
///     EXPECT_EQ(api.first().line(), "GET /api/v1/nodes/n1");
///     api.answer({.body = R"({"kind":"Node"})"});        // the oldest open request
///     api.answer(refusal(409, "Conflict"));
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/kube_api.hpp"

namespace capstan::kubernetes::client {

struct Answer {
    int status = 200;
    std::string body{};
    std::optional<Duration> retry_after{};
    HttpHeaders headers{};
};

/// A failed response with a Status object.
///     api.answer(refusal(429, "TooManyRequests", "Cannot evict pod ...",
///                        {{"reason", "DisruptionBudget"}, {"message", "The disruption ..."}}))
inline Answer refusal(int status, std::string_view reason, std::string_view message = {},
                      boost::json::object cause = {}) {
    boost::json::object body{{"kind", "Status"},   {"apiVersion", "v1"}, {"status", "Failure"},
                             {"message", message}, {"reason", reason},   {"code", status}};
    if (!cause.empty())
        body["details"] = boost::json::object{{"causes", boost::json::array{std::move(cause)}}};
    return {.status = status, .body = boost::json::serialize(body)};
}

/// Requests are answered only by `answer`, `fail`, `accept`, `push`, `end`, or `automatic`. All of
/// these but `automatic` run the loop without moving its clock.
class ScriptedApi final : public Api {
public:
    struct Asked {
        RequestId id = 0;
        ApiRequest request{};
        bool is_stream = false;
        bool is_open = true;  ///< neither answered nor cancelled
        bool is_cancelled = false;
        Part on_part{};
        bool has_begun = false;  ///< of a stream: its head was received
        Done done{};

        /// "GET /api/v1/pods?limit=500&watch=true"
        std::string line() const {
            std::string out = request.method + " " + request.path;
            char separator = '?';
            for (const auto& [key, value] : request.query) {
                out += separator + key + "=" + value;
                separator = '&';
            }
            return out;
        }
        boost::json::value json() const { return boost::json::parse(request.body); }
    };

    explicit ScriptedApi(io::ManualLoop& loop) : loop_(loop) {}

    /// Answers requests as they arrive. If it returns nothing, the test answers.
    std::function<std::optional<Answer>(const Asked&)> automatic{};

    RequestId send(ApiRequest request, Done done) override {
        return take({.request = std::move(request), .done = std::move(done)});
    }
    RequestId stream(ApiRequest request, Part on_part, Done done) override {
        return take({.request = std::move(request),
                     .is_stream = true,
                     .on_part = std::move(on_part),
                     .done = std::move(done)});
    }
    SuccessNotifier& success_notifier() override { return notifier_; }
    void cancel(RequestId id) override {
        Asked* asked = find(id);
        if (asked == nullptr || !asked->is_open) return;
        asked->is_cancelled = true;
        later(close(*asked), capstan::fail(ErrorCode::cancelled, asked->line() + ": cancelled"));
    }

    /// All requests, oldest first.
    const std::deque<Asked>& asked() const { return asked_; }
    std::size_t open_count() const {
        std::size_t count = 0;
        for (const Asked& asked : asked_) count += asked.is_open ? 1 : 0;
        return count;
    }
    /// The oldest open request whose line has this prefix.
    const Asked& first(std::string_view line_start = {}) const {
        for (const Asked& asked : asked_) {
            if (asked.is_open && asked.line().starts_with(line_start)) return asked;
        }
        throw std::out_of_range("no open request \"" + std::string(line_start) + "\"");
    }
    const Asked& last() const { return asked_.back(); }

    void answer(Answer what) { answer(first().id, std::move(what)); }
    void answer(std::string_view line_start, Answer what) {
        answer(first(line_start).id, std::move(what));
    }
    /// Answers a request. A stream gets its body in one part and then ends.
    void answer(RequestId id, Answer what) {
        Asked& asked = open(id);
        const bool has_begun = asked.has_begun;
        const Done done = close(asked);
        if (what.status < 300) notifier_.notify();
        if (asked.is_stream && what.status < 300) {
            if (!has_begun) asked.on_part({});
            if (!what.body.empty()) asked.on_part(what.body);
            what.body.clear();
        }
        done(result_of(asked, std::move(what)));
        loop_.settle();
    }
    void fail(Error error) { fail(first().id, std::move(error)); }
    void fail(RequestId id, Error error) {
        close(open(id))(capstan::fail(std::move(error)));
        loop_.settle();
    }
    /// Sends only the head of a stream.
    void accept(RequestId id) {
        notifier_.notify();
        push(id, {});
    }
    /// Sends a part of a stream, which stays open.
    void push(RequestId id, std::string_view part) {
        open(id).has_begun = true;
        const Part on_part = open(id).on_part;
        on_part(part);
        loop_.settle();
    }
    /// Ends a stream without an error.
    void end(RequestId id) { answer(id, {}); }

    /// The error that ApiClient makes of a reply with this status.
    static Error error_of(const Asked& asked, const Answer& what) {
        HttpReply reply;
        reply.status = what.status;
        reply.headers = what.headers;
        reply.body = what.body;
        Error error = kubernetes::client::error_of(asked.line(), reply);
        if (what.retry_after) error.retry_after = what.retry_after;
        return error;
    }

private:
    static Result<ApiReply> result_of(const Asked& asked, Answer what) {
        if (what.status < 200 || what.status > 299) return capstan::fail(error_of(asked, what));
        return ApiReply{what.status, std::move(what.headers), std::move(what.body)};
    }
    RequestId take(Asked asked) {
        asked.id = asked_.size() + 1;
        asked_.push_back(std::move(asked));
        Asked& kept = asked_.back();
        if (automatic) {
            if (std::optional<Answer> what = automatic(kept))
                later(close(kept), result_of(kept, std::move(*what)));
        }
        return kept.id;
    }
    void later(Done done, Result<ApiReply> result) {
        boost::asio::post(loop_.io(),
                          [done = std::move(done), result = std::move(result)] { done(result); });
    }
    Done close(Asked& asked) {
        asked.is_open = false;
        return std::exchange(asked.done, nullptr);
    }
    Asked* find(RequestId id) { return id >= 1 && id <= asked_.size() ? &asked_[id - 1] : nullptr; }
    Asked& open(RequestId id) {
        Asked* asked = find(id);
        if (asked == nullptr || !asked->is_open) throw std::out_of_range("no such open request");
        return *asked;
    }

    io::ManualLoop& loop_;
    SuccessNotifier notifier_;
    std::deque<Asked> asked_;  ///< by id; references stay valid while it grows
};

}  // namespace capstan::kubernetes::client
