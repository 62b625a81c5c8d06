#include "autoscaler/daemon/leadership.hpp"

#include <utility>

#include <boost/asio/post.hpp>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>

namespace capstan::autoscaler::daemon {
namespace {

constexpr std::string_view leader_source = "leader";

}  // namespace

Leadership::Leadership(const config::Cluster& config, kubernetes::client::Api& api, io::Loop& loop,
                       plugin_runtime::services::Logger& log, Options options)
    : loop_(loop),
      log_(log),
      failures_(log, {.source = std::string(leader_source),
                      .failed = "cannot acquire or renew the Lease",
                      .succeeded = "Lease requests succeed again",
                      .level = config::LogLevel::warn}),
      options_(std::move(options)),
      ns_(config.kube_namespace),
      election_(config.leader_election),
      api_(api) {
    if (!options_.is_alone && election_.enabled) make_elector();
}

Leadership::~Leadership() {
    if (return_) loop_.cancel(*return_);
}

void Leadership::make_elector() {
    elector_.emplace(api_, loop_,
                     kubernetes::client::LeaderElector::Options{
                         .ns = ns_,
                         .name = election_.lease,
                         .identity = options_.identity,
                         .lease_duration = election_.lease_duration,
                         .renew_deadline = election_.renew_deadline,
                         .retry_period = election_.retry_period,
                         .seed = options_.seed,
                         .on_started = [this] { begin_term(); },
                         .on_stopped = [this] { end_term(); },
                         .on_new_leader =
                             [this](const std::string& identity) {
                                 log_.write(config::LogLevel::info, leader_source,
                                            identity.empty() ? "the Lease has no holder"
                                                             : "the Lease is held by " + identity);
                             },
                         .on_error = [this](const Error& error) { log_failure(error); },
                         .on_success = [this] { failures_.succeeded(loop_.monotonic()); }});
}

void Leadership::start() {
    if (elector_) return elector_->start();
    begin_term();
}

std::optional<std::uint64_t> Leadership::term() const {
    const bool is_leader = elector_ ? elector_->is_leader() : leads_;
    return is_leader ? std::optional(term_) : std::nullopt;
}

std::string Leadership::leader() const {
    if (elector_) return elector_->leader();
    return leads_ ? options_.identity : "";
}

bool Leadership::hand_over(const std::string& because, Duration pause) {
    if (!elector_ || !leads_ || is_stopping_ || is_handing_over_ || return_) return false;
    log_.write(config::LogLevel::error, leader_source, "releasing the Lease: " + because);
    is_handing_over_ = true;
    elector_->stop([this, pause] { has_handed_over(pause); });
    return true;
}

void Leadership::has_handed_over(Duration pause) {
    is_handing_over_ = false;
    if (const auto stopped = std::exchange(stopped_, nullptr)) return stopped();
    return_ = loop_.after(pause, [this] {
        return_.reset();
        make_elector();
        elector_->start();
    });
}

void Leadership::come_back() {
    if (!return_) return;
    loop_.cancel(*return_);
    has_handed_over(Duration::zero());
}

void Leadership::stop(std::function<void()> done) {
    is_stopping_ = true;
    if (is_handing_over_) {
        stopped_ = std::move(done);
        return;
    }
    if (const auto timer = std::exchange(return_, std::nullopt)) {
        loop_.cancel(*timer);
        return boost::asio::post(loop_.io(), std::move(done));
    }
    if (elector_) return elector_->stop(std::move(done));
    if (leads_) end_term();
    boost::asio::post(loop_.io(), std::move(done));
}

void Leadership::log_failure(Error error) {
    CAPSTAN_ASSERT(elector_, "a Lease fails without an elector");
    const Duration now = loop_.monotonic();
    const Duration left = elector_->leads_until() - now;
    if (elector_->is_leader())
        error.message += "; last renewed " +
                         format_rough_duration(election_.renew_deadline - left) +
                         " ago, leader for another " + format_rough_duration(left);
    failures_.failed(error, now);
}

void Leadership::begin_term() {
    ++term_;
    leads_ = true;
    log_.write(config::LogLevel::info, leader_source,
               options_.identity + (options_.is_alone
                                        ? " runs as a dry run: actions are logged, not carried out"
                                        : " became leader"));
    if (options_.on_change) options_.on_change();
}

void Leadership::end_term() {
    leads_ = false;
    if (options_.is_alone) {
        if (options_.on_change) options_.on_change();
        return;
    }
    const bool has_expired = elector_ && loop_.monotonic() >= elector_->leads_until();
    log_.write(
        config::LogLevel::warn, leader_source,
        options_.identity + (has_expired ? " lost the Lease: not renewed for " +
                                               format_rough_duration(election_.renew_deadline)
                                         : " stopped leading"));
    if (options_.on_change) options_.on_change();
}

}  // namespace capstan::autoscaler::daemon
