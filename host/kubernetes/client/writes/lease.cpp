#include "kubernetes/client/writes/lease.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/serialize.hpp>

#include <capstan/assert.hpp>
#include <capstan/time_text.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/paths.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes::client {
namespace {

std::int64_t seconds_of(Duration duration) {
    return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(duration).count(), 1);
}

boost::json::value micro_time(Time time) {
    const auto text = find_micro_time_text(time);
    return text ? boost::json::value(*text) : boost::json::value(nullptr);
}

}  // namespace

std::optional<std::string> find_micro_time_text(Time time) {
    if (!find_timestamp_text(time)) return std::nullopt;
    return format_rfc3339(time, 6);
}

std::string holder_of(const boost::json::object& lease) {
    return std::string(base::text_at(lease, "spec.holderIdentity"));
}

Duration duration_of(const boost::json::object& lease) {
    const std::int64_t seconds = base::integer_at(lease, "spec.leaseDurationSeconds").value_or(0);
    // The API's field has 32 bits.
    return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, INT32_MAX));
}

boost::json::object make_lease(const LeaseClaim& claim) {
    boost::json::object lease{
        {"apiVersion", "coordination.k8s.io/v1"},
        {"kind", "Lease"},
        {"metadata", {{"name", claim.name}, {"namespace", claim.ns}}},
        {"spec",
         {{"holderIdentity", claim.identity},
          {"leaseDurationSeconds", seconds_of(claim.duration)},
          {"acquireTime", micro_time(claim.now)},
          {"renewTime", micro_time(claim.now)},
          {"leaseTransitions", 0}}},
    };
    return lease;
}

void claim(boost::json::object& lease, const LeaseClaim& claim) {
    boost::json::object& spec = base::make_object(lease, "spec");
    if (holder_of(lease) != claim.identity) {
        spec["leaseTransitions"] = base::integer_at(lease, "spec.leaseTransitions").value_or(0) + 1;
        spec["acquireTime"] = micro_time(claim.now);
    }
    spec["holderIdentity"] = claim.identity;
    spec["leaseDurationSeconds"] = seconds_of(claim.duration);
    spec["renewTime"] = micro_time(claim.now);
}

void release(boost::json::object& lease, Time now) {
    boost::json::object& spec = base::make_object(lease, "spec");
    spec["holderIdentity"] = "";
    spec["leaseDurationSeconds"] = 1;
    spec["acquireTime"] = micro_time(now);
    spec["renewTime"] = micro_time(now);
}

namespace {

/// A candidate waits for its retry period and up to 1.2 times as much again, as client-go's do.
constexpr double jitter = 1.2;

LeaseClaim claim_of(const LeaderElector::Options& options, const io::Loop& loop) {
    return {.ns = options.ns,
            .name = options.name,
            .identity = options.identity,
            .duration = options.lease_duration,
            .now = loop.clock()->wall()};
}

bool says_the_same(const boost::json::object& a, const boost::json::object& b) {
    const auto* left = base::find_object(a, "spec");
    const auto* right = base::find_object(b, "spec");
    return left != nullptr && right != nullptr ? *left == *right : left == right;
}

}  // namespace

Result<void> LeaderElector::check(const Options& options) {
    const auto wrong = [](const char* why) { return fail(ErrorCode::invalid_config, why); };
    if (options.identity.empty()) return wrong("leader election: an identity is needed");
    if (options.ns.empty() || options.name.empty())
        return wrong("leader election: the Lease needs a namespace and a name");
    if (options.lease_duration <= options.renew_deadline)
        return wrong("leader election: the lease duration must be longer than the renew deadline");
    const auto shortest = std::chrono::duration<double, std::nano>(options.retry_period) * jitter;
    if (options.retry_period <= Duration::zero() || options.renew_deadline <= shortest)
        return wrong("leader election: the renew deadline must be longer than 1.2 retry periods");
    return {};
}

LeaderElector::LeaderElector(Api& api, io::Loop& loop, Options options)
    : options_(std::move(options)),
      random_(options_.seed),
      calls_(api, loop),
      deadline_(api, loop) {}

bool LeaderElector::is_leader() const { return leads_ && now() < leads_until_; }

void LeaderElector::start() {
    calls_.after(Duration::zero(), [this] { attempt(); });
}

void LeaderElector::send(std::string method, const boost::json::object* body, Api::Done done) {
    const bool is_new = method == "POST";
    calls_.send({.method = std::move(method),
                 .path = path_of(resources::leases, options_.ns, is_new ? "" : options_.name),
                 .body = body != nullptr ? boost::json::serialize(*body) : std::string(),
                 // Half of the deadline: a lost request leaves time for another one.
                 .timeout = options_.renew_deadline / 2,
                 .purpose = "lease"},
                std::move(done));
}

void LeaderElector::wait_in_turn() {
    Duration delay = options_.retry_period;
    if (!leads_) {
        const double share = static_cast<double>(random_.next() % 1024) / 1024 * jitter;
        delay += std::chrono::duration_cast<Duration>(
            std::chrono::duration<double, std::nano>(delay) * share);
    }
    calls_.after(delay, [this] { attempt(); });
}

void LeaderElector::attempt() {
    // The leader has the object from its last renewal, so it writes without a read. It reads the
    // object where the write fails, for example because another client has written it.
    if (leads_ && observed_ && now() < observed_at_ + options_.lease_duration)
        return renew(*observed_, [this](const Error&) { read(); });
    read();
}

void LeaderElector::read() {
    send("GET", nullptr, [this](Result<ApiReply> reply) { take(std::move(reply)); });
}

void LeaderElector::take(Result<ApiReply> reply) {
    if (!reply && reply.error().code == ErrorCode::not_found) return create();
    Result<boost::json::object> lease = parse_object(std::move(reply));
    if (!lease) return lost(lease.error());
    observe(*lease);
    if (is_stopping_) return;
    const std::string holder = holder_of(*lease);
    const bool is_held = !holder.empty() && holder != options_.identity;
    if (is_held && now() < observed_at_ + duration_of(*lease)) {
        if (options_.on_success) options_.on_success();
        return wait_in_turn();
    }
    renew(std::move(*lease), [this](const Error& error) { lost(error); });
}

void LeaderElector::create() {
    const boost::json::object lease = make_lease(claim_of(options_, calls_.loop()));
    const Api::Done won = winning();
    send("POST", &lease, [this, won](Result<ApiReply> reply) {
        if (!reply) return lost(reply.error());
        won(std::move(reply));
    });
}

void LeaderElector::renew(boost::json::object lease, std::function<void(const Error&)> failed) {
    claim(lease, claim_of(options_, calls_.loop()));
    const Api::Done won = winning();
    send("PUT", &lease, [won, failed = std::move(failed)](Result<ApiReply> reply) {
        if (!reply) return failed(reply.error());
        won(std::move(reply));
    });
}

// The deadline counts from the sending of the claim. Other replicas count from when they see the
// claim, which is later, so two replicas never lead at once.
Api::Done LeaderElector::winning() {
    return [this, until = now() + options_.renew_deadline](Result<ApiReply> reply) {
        Result<boost::json::object> lease = parse_object(std::move(reply));
        if (!lease) return lost(lease.error());
        observe(std::move(*lease));
        if (is_stopping_) return;
        if (reported_ == options_.identity && now() < until) {
            leads_until_ = until;
            deadline_.cancel_all();
            deadline_.after(until - now(), [this] {
                calls_.cancel_all();
                end_leading();
                if (!is_stopping_) wait_in_turn();
            });
            if (options_.on_success) options_.on_success();
            begin_leading();
        }
        if (!is_stopping_) wait_in_turn();
    };
}

void LeaderElector::lost(const Error& error) {
    // A conflict means that another candidate was faster, which is not a failure.
    if (error.code != ErrorCode::conflict && options_.on_error) options_.on_error(error);
    if (!is_stopping_) wait_in_turn();
}

void LeaderElector::observe(boost::json::object lease) {
    if (!observed_ || !says_the_same(*observed_, lease)) observed_at_ = now();
    const std::string holder = holder_of(lease);
    observed_ = std::move(lease);
    if (leads_ && holder != options_.identity) end_leading();
    if (std::exchange(reported_, holder) != holder && options_.on_new_leader)
        options_.on_new_leader(holder);
}

void LeaderElector::begin_leading() {
    if (!std::exchange(leads_, true) && options_.on_started) options_.on_started();
}

void LeaderElector::end_leading() {
    // A stop under way has its own deadline.
    if (!is_stopping_) deadline_.cancel_all();
    if (std::exchange(leads_, false) && options_.on_stopped) options_.on_stopped();
}

void LeaderElector::stop(std::function<void()> done) {
    if (std::exchange(is_stopping_, true)) return;
    stopped_ = std::move(done);
    calls_.cancel_all();
    deadline_.cancel_all();
    const bool has_lease = is_leader();
    end_leading();
    if (!has_lease) {
        deadline_.after(Duration::zero(), [this] { finish_stop(); });
        return;
    }
    deadline_.after(options_.renew_deadline, [this] { finish_stop(); });
    conflicts_.emplace(random_);
    CAPSTAN_ASSERT(observed_, "a leader has not observed its Lease");
    give_back(*observed_);
}

void LeaderElector::give_back(boost::json::object lease) {
    release(lease, calls_.loop().clock()->wall());
    send("PUT", &lease, [this](Result<ApiReply> reply) {
        const bool is_conflict = !reply && reply.error().code == ErrorCode::conflict;
        const auto delay = is_conflict ? conflicts_->next_delay() : std::nullopt;
        if (delay) return calls_.after(*delay, [this] { give_back_again(); });
        if (!reply && options_.on_error) options_.on_error(reply.error());
        finish_stop();
    });
}

void LeaderElector::give_back_again() {
    send("GET", nullptr, [this](Result<ApiReply> reply) {
        Result<boost::json::object> lease = parse_object(std::move(reply));
        if (!lease || holder_of(*lease) != options_.identity) return finish_stop();
        give_back(std::move(*lease));
    });
}

void LeaderElector::finish_stop() {
    calls_.cancel_all();
    deadline_.cancel_all();
    if (const auto stopped = std::exchange(stopped_, nullptr)) stopped();
}

}  // namespace capstan::kubernetes::client
