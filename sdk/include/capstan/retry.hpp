/// Requests that are retried if that is safe and can help.
///
///     RetryingClient client_{host_};  // a member: its requests share a budget
///     const HttpReply reply = co_await client_.fetch(HttpRequest("GET", url));
///
///     // Signed again for each attempt. A POST that only reads, or that has an idempotency key,
///     // may be repeated:
///     const auto make = [&] { return sign(HttpRequest("POST", url).with_body(body)); };
///     const HttpReply reply = co_await client_.fetch(make, Repeatable::yes);
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/http.hpp>
#include <capstan/http_error.hpp>
#include <capstan/sentence.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Whether a request can be sent again.
enum class Repeatable : std::uint8_t {
    by_method,  ///< GET, HEAD, OPTIONS, PUT and DELETE can
    yes,        ///< even if it may have taken effect
    no,         ///< only if it did not take effect
    never,      ///< its input must be read again first (TargetSetter)
};

/// Attempts, waits and budget have the defaults of AWS's clients.
struct RetryPolicy {
    int attempts = 3;  ///< in total
    /// Before the n-th retry the client waits a random time of up to `delay` x 2^(n-1), capped by
    /// `delay_max`, and at least as long as Retry-After demands.
    Duration delay = std::chrono::seconds(1);
    Duration delay_max = std::chrono::seconds(20);
    /// A reply that demands a longer wait is not retried: the host gets the time with the error.
    Duration retry_after_max = std::chrono::seconds(20);
    std::vector<int> statuses{408, 425, 429, 500, 502, 503, 504};
    /// If there is no reply: the error codes that are retried.
    std::vector<ErrorCode> errors{ErrorCode::unavailable, ErrorCode::deadline, ErrorCode::busy};
    /// Further replies to retry, for example by the body: a 400 with "ThrottlingException".
    std::function<bool(const HttpReply&)> also{};
    /// The retry budget of a client, the cost of a retry, and of a retry after a timeout. A success
    /// gives back `refund`, or the cost of the retry that led to it, up to `budget`.
    int budget = 500, cost = 5, timeout_cost = 10, refund = 1;
};

/// [strand] Must outlive its requests.
class RetryingClient {
public:
    using Make = std::function<HttpRequest()>;
    using Errors = std::function<Error(const HttpRequest&, const HttpReply&)>;

    explicit RetryingClient(const Host& host, RetryPolicy policy = {})
        : host_(host), policy_(std::move(policy)), budget_(policy_.budget) {}

    /// How the error of a reply is made; default: http_error.
    void set_errors(Errors errors) { errors_ = std::move(errors); }

    /// Returns the first reply that is not to be retried, whatever its status. Fails if the last
    /// attempt had no reply, or one to retry, and there is no further attempt: it would not be
    /// safe, could not help, or the attempts, the budget or the time of the operation are used up.
    /// The error is that of the last attempt, with the number of attempts and the reason why there
    /// is no other one. If the first attempt cannot be retried at all, its error is unchanged.
    ///
    /// A request that may have taken effect is retried only if it is repeatable. A request that is
    /// not repeatable is retried only after a 429 or if the host's queue was full, since it then
    /// had no effect (with `never`: not at all). The error has the code of the last attempt; for a
    /// change without an idempotency key a cloud plugin should replace it with `deadline`, since
    /// the outcome is unknown.
    Task<HttpReply> send(HttpRequest request, Repeatable repeatable = Repeatable::by_method) {
        return repeat(of(std::move(request)), repeatable);
    }
    /// `make` is called before each attempt.
    Task<HttpReply> send(Make make, Repeatable repeatable = Repeatable::by_method) {
        return repeat(std::move(make), repeatable);
    }

    /// Like `send`, but fails also for a reply without success.
    Task<HttpReply> fetch(HttpRequest request, Repeatable repeatable = Repeatable::by_method) {
        return demand(of(std::move(request)), repeatable);
    }
    Task<HttpReply> fetch(Make make, Repeatable repeatable = Repeatable::by_method) {
        return demand(std::move(make), repeatable);
    }

    /// The remaining retry budget.
    int budget() const noexcept { return budget_; }

private:
    /// The outcome of an attempt.
    struct Outcome {
        std::optional<Error> error{};  ///< absent: the reply is the result
        bool asks_again = false;
        bool was_refused = false;  ///< it had no effect
        int cost = 0;
    };

    static Make of(HttpRequest request) {
        return [kept = std::move(request)] { return kept; };
    }
    Task<HttpReply> demand(Make make, Repeatable repeatable) {
        HttpRequest last;
        Make keep = [&make, &last] { return last = make(); };
        HttpReply reply = co_await repeat(std::move(keep), repeatable);
        if (!is_success(reply)) co_return fail(error_of(last, reply));
        co_return reply;
    }
    Task<HttpReply> repeat(Make make, Repeatable repeatable) {
        int paid = 0;
        for (int attempt = 1;; ++attempt) {
            HttpRequest request = make();
            Result<HttpReply> reply = co_await as_result(capstan::send(host_, request));
            Outcome outcome = judge(request, reply);
            if (!outcome.error) {
                budget_ = std::min(policy_.budget, budget_ + std::max(policy_.refund, paid));
                co_return std::move(*reply);
            }
            const std::optional<Duration> left = co_await time_left(host_);
            const Duration wait = delay_before(attempt, outcome.error->retry_after);
            const std::string end = find_end(outcome, request, repeatable, attempt);
            if (!end.empty()) co_return fail(ended(*outcome.error, attempt, end));
            if (outcome.error->retry_after > policy_.retry_after_max)
                co_return fail(ended(*outcome.error, attempt, "the requested wait is too long"));
            if (left && wait >= *left)
                co_return fail(ended(*outcome.error, attempt, "no time left for another attempt"));
            paid = outcome.cost;
            budget_ -= paid;
            co_await sleep_for(host_, wait);
        }
    }

    Outcome judge(const HttpRequest& request, const Result<HttpReply>& reply) const {
        const auto has = [](const auto& list, const auto& item) {
            return std::find(list.begin(), list.end(), item) != list.end();
        };
        Outcome out;
        if (!reply) {
            const ErrorCode code = reply.error().code;
            out.error = reply.error();
            out.asks_again =
                has(policy_.errors, code) && reply.error().provider_code != "untrusted_certificate";
            out.was_refused = code == ErrorCode::busy;
            out.cost = code == ErrorCode::deadline ? policy_.timeout_cost : policy_.cost;
        } else if (has(policy_.statuses, reply->status) || (policy_.also && policy_.also(*reply))) {
            out.error = error_of(request, *reply);
            out.asks_again = true;
            out.was_refused = reply->status == 429;
            out.cost = policy_.cost;
        }
        return out;
    }
    Error error_of(const HttpRequest& request, const HttpReply& reply) const {
        return errors_ ? errors_(request, reply) : http_error(host_, request, reply);
    }
    /// Why there is no further attempt; empty: there is one, if there is time.
    std::string find_end(const Outcome& outcome, const HttpRequest& request, Repeatable repeatable,
                         int attempt) const {
        if (!outcome.asks_again) return "not retryable";
        if (repeatable == Repeatable::never) return "not sent twice";
        if (!is_repeatable(request, repeatable) && !outcome.was_refused)
            return "it may have taken effect";
        if (attempt >= policy_.attempts) return "attempt limit reached";
        return budget_ < outcome.cost ? "retry budget used up" : std::string();
    }
    Duration delay_before(int attempt, std::optional<Duration> advice) const {
        Duration most = policy_.delay;
        for (int n = 1; n < attempt && most < policy_.delay_max; ++n) most *= 2;
        most = std::min(most, policy_.delay_max);
        const auto range = static_cast<std::uint64_t>(std::max<std::int64_t>(most.count(), 0)) + 1;
        const Duration wait(static_cast<std::int64_t>(host_.random() % range));
        return std::max(wait, advice.value_or(Duration::zero()));
    }
    static Error ended(Error error, int attempts, std::string_view why) {
        if (attempts == 1 && why == "not retryable") return error;
        error.message += " (after " + counted(attempts, "attempt") + "; " + std::string(why) + ")";
        return error;
    }
    static bool is_repeatable(const HttpRequest& request, Repeatable repeatable) noexcept {
        if (repeatable != Repeatable::by_method) return repeatable == Repeatable::yes;
        for (const std::string_view method : {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"}) {
            if (request.method == method) return true;
        }
        return false;
    }

    Host host_;
    RetryPolicy policy_;
    int budget_;
    Errors errors_{};
};

/// One request with its own budget:
///     const HttpReply reply = co_await send_with_retry(host, HttpRequest("GET", url));
inline Task<HttpReply> send_with_retry(Host host, HttpRequest request) {
    RetryingClient client(host);
    co_return co_await client.send(std::move(request));
}
inline Task<HttpReply> send_with_retry(Host host, HttpRequest request, RetryPolicy policy,
                                       Repeatable repeatable = Repeatable::by_method) {
    RetryingClient client(host, std::move(policy));
    co_return co_await client.send(std::move(request), repeatable);
}

CAPSTAN_NAMESPACE_END
