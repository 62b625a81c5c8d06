/// Reports on Balancers: events and log lines when something changes, and metrics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/host.hpp>

#include "balancer_cache.hpp"
#include "decide.hpp"

namespace capstan::replicas {

/// [strand]
class Reporter {
public:
    explicit Reporter(const Host& host);

    /// Called after each reconcile of a Balancer. Reports `done`, the steps that were written, and
    /// what changed since the last call.
    void report(Entry& entry, const Decision& decision, const std::vector<Step>& done);
    /// Sets the metrics of a deleted Balancer to 0.
    void forget(const Entry& entry);
    void count_write(std::string_view outcome) { writes_.record(1, {outcome}); }

private:
    void record_event(const Balancer& about, bool is_warning, std::string_view reason,
                      std::string_view message);
    void report_problems(Entry& entry, const Decision& decision);
    void report_fallback(Entry& entry, const Decision& decision);
    void set_gauges(const Balancer& balancer, const Decision& decision);

    Host host_;
    bool warns_of_lost_events_ = true;  ///< until the first event that could not be recorded
    Metric wanted_, observed_, missing_, overflow_, fallback_, problems_, writes_;
};

}  // namespace capstan::replicas
