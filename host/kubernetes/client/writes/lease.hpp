/// The leader, as a Lease object says it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "io/clock.hpp"
#include "kubernetes/client/open_calls.hpp"
#include "kubernetes/client/writes/write_conflicts.hpp"

namespace capstan::kubernetes::client {

/// "2026-11-21T10:50:00.250000Z": a point in time to the microsecond, as Leases have it. Nothing
/// outside the years that can be written.
std::optional<std::string> find_micro_time_text(Time time);

/// Empty: none.
std::string holder_of(const boost::json::object& lease);
/// How long the holder may go without renewing; zero where it does not say.
Duration duration_of(const boost::json::object& lease);

struct LeaseClaim {
    std::string_view ns{}, name{}, identity{};
    Duration duration{};
    Time now{};
};
/// A Lease that does not exist yet, held by the claimant.
boost::json::object make_lease(const LeaseClaim& claim);
/// `lease` held by the claimant: renewed if it was before, otherwise one transition more. What else
/// it says stays as it is.
void claim(boost::json::object& lease, const LeaseClaim& claim);
/// Held by no host, for a second: the next candidate may have it.
void release(boost::json::object& lease, Time now);

// Leader election among programs that share one Lease object, by client-go's rules and timings.

/// The leader renews its Lease; the others take it over when it has not changed for as long as it
/// says it may. Each replica measures how long by its own clock from when it saw the change, so
/// clocks may differ. Used on the loop's thread alone.
class LeaderElector {
public:
    struct Options {
        std::string ns{};
        std::string name = "cluster-autoscaler";
        std::string identity{};  ///< of this process, unlike any other's
        Duration lease_duration = std::chrono::seconds(15);
        Duration renew_deadline = std::chrono::seconds(10);
        Duration retry_period = std::chrono::seconds(2);
        std::uint64_t seed = 0;  ///< of jitter
        /// Leading begins, and ends: when the Lease was lost or could not be renewed in time, or by
        /// stop(). In turn. May call stop(), and may not destroy the elector.
        std::function<void()> on_started{};
        std::function<void()> on_stopped{};
        /// The Lease has another holder than before, maybe this process; empty: it was released.
        std::function<void(const std::string& identity)> on_new_leader{};
        /// A request came back with this; the elector goes on trying.
        std::function<void(const Error& error)> on_trouble{};
        /// An attempt ended well: the Lease was taken or renewed, or is another's by its own word.
        std::function<void()> on_success{};
    };
    /// `invalid_config`: not lease_duration > renew_deadline > 1.2 retry_period > 0, or no name.
    static Result<void> check(const Options& options);

    /// Borrows both. `options` have passed check().
    LeaderElector(Api& api, io::Loop& loop, Options options);

    /// Tries to lead, and when leading ends, waits in line again until stop(). Once.
    void start();
    /// Leads no longer, at once; then gives the Lease back, if it was held, within the renew
    /// deadline. `done` is called when that is over, not inside this call.
    void stop(std::function<void()> done);

    /// Also false from the moment on which another may lead, whether the loop has come to notice or
    /// not: ask before every act.
    bool is_leader() const;
    /// When leading ends, or has ended, without another renewal, on the loop's monotonic clock.
    Duration leads_until() const noexcept { return leads_until_; }
    /// As far as is known; empty: none, or not known yet.
    const std::string& leader() const { return reported_; }

private:
    Duration now() const { return calls_.loop().monotonic(); }
    void wait_in_turn();
    void attempt();
    void read();
    void take(Result<ApiReply> reply);
    void create();
    void renew(boost::json::object lease, std::function<void(const Error&)> failed);
    Api::Done winning();
    void lost(const Error& error);
    void observe(boost::json::object lease);
    void begin_leading();
    void end_leading();
    void give_back(boost::json::object lease);
    void give_back_again();
    void finish_stop();
    void send(std::string method, const boost::json::object* body, Api::Done done);

    const Options options_;
    io::RandomSource random_;
    bool is_stopping_ = false;
    bool leads_ = false;
    Duration leads_until_{};
    std::optional<boost::json::object> observed_{};
    Duration observed_at_{};  ///< when it last was another than before
    std::string reported_{};
    std::function<void()> stopped_{};
    std::optional<WriteConflicts> conflicts_{};
    OpenCalls calls_;
    OpenCalls deadline_;  ///< one timer: of leading, or of stopping
};

}  // namespace capstan::kubernetes::client
