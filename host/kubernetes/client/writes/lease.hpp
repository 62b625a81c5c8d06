/// Lease objects, and leader election with them.
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

/// The API's MicroTime: "2026-11-21T10:50:00.250000Z". Absent: the time is outside the years 1900
/// to 2200.
std::optional<std::string> find_micro_time_text(Time time);

/// Empty: the Lease has no holder.
std::string holder_of(const boost::json::object& lease);
/// leaseDurationSeconds: how long the holder may go without a renewal. Zero: absent.
Duration duration_of(const boost::json::object& lease);

struct LeaseClaim {
    std::string_view ns{}, name{}, identity{};
    Duration duration{};
    Time now{};
};
/// A new Lease object, held by the claimant.
boost::json::object make_lease(const LeaseClaim& claim);
/// Makes the claimant the holder of `lease`: a renewal if it is the holder already, otherwise a
/// transition. All other members stay as they are.
void claim(boost::json::object& lease, const LeaseClaim& claim);
/// Removes the holder and sets a duration of one second, so that another candidate can take over.
void release(boost::json::object& lease, Time now);

/// Leader election among replicas that share one Lease object, by client-go's rules and timings.
/// The leader renews the Lease; another candidate takes it over when it has not changed for its
/// duration. Each replica measures this time by its own monotonic clock, from the moment it saw the
/// last change, so the clocks of replicas may differ. Used on the loop's thread alone.
class LeaderElector {
public:
    struct Options {
        std::string ns{};
        std::string name = "cluster-autoscaler";
        std::string identity{};  ///< of this process; unique among the replicas
        Duration lease_duration = std::chrono::seconds(15);
        Duration renew_deadline = std::chrono::seconds(10);
        Duration retry_period = std::chrono::seconds(2);
        std::uint64_t seed = 0;  ///< of jitter
        /// Leading begins. on_started and on_stopped alternate. Both may call stop(), but must not
        /// destroy the elector.
        std::function<void()> on_started{};
        /// Leading ends: the Lease was lost or not renewed in time, or stop() was called.
        std::function<void()> on_stopped{};
        /// The Lease has another holder than before, possibly this process; empty: it was released.
        std::function<void(const std::string& identity)> on_new_leader{};
        /// A request failed; the elector keeps trying.
        std::function<void(const Error& error)> on_error{};
        /// An attempt succeeded: the Lease was taken or renewed, or another replica holds it.
        std::function<void()> on_success{};
    };
    /// `invalid_config`: the identity, namespace or name is empty, or lease_duration >
    /// renew_deadline > 1.2 retry_period > 0 does not hold.
    static Result<void> check(const Options& options);

    /// Borrows `api` and `loop`. `options` have passed check().
    LeaderElector(Api& api, io::Loop& loop, Options options);

    /// Tries to become the leader, and after the end of leading again, until stop(). May be called
    /// once.
    void start();
    /// Ends leading at once. A held Lease is then released, within the renew deadline. `done` is
    /// called after that, not inside this call.
    void stop(std::function<void()> done);

    /// False from the moment another replica may lead, even before the loop has processed that. Ask
    /// before each action.
    bool is_leader() const;
    /// When leading ends, or has ended, unless renewed; on the loop's monotonic clock.
    Duration leads_until() const noexcept { return leads_until_; }
    /// The identity of the last known leader; empty: none, or not known yet.
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
    Duration observed_at_{};  ///< when the Lease last changed
    std::string reported_{};  ///< the last holder given to on_new_leader
    std::function<void()> stopped_{};
    std::optional<WriteConflicts> conflicts_{};
    OpenCalls calls_;
    OpenCalls deadline_;  ///< one timer: the end of leading, or the deadline of stop()
};

}  // namespace capstan::kubernetes::client
