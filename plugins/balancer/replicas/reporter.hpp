/// What is told of Balancers: events when something changes, and figures.
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

    /// After a Balancer was looked after: `done` was written. Says what is new since it last was.
    void tell(Entry& entry, const Decision& decision, const std::vector<Step>& done);
    /// It is no more.
    void forget(const Entry& entry);
    void count_write(std::string_view outcome) { writes_.record(1, {outcome}); }

private:
    void note(const Balancer& about, bool is_warning, std::string_view reason,
              std::string_view message);
    void tell_troubles(Entry& entry, const Decision& decision);
    void tell_fallback(Entry& entry, const Decision& decision);
    void gauge_all(const Balancer& balancer, const Decision& decision);

    Host host_;
    bool may_note_ = true;
    Metric wanted_, observed_, missing_, overflow_, fallback_, troubles_, writes_;
};

}  // namespace capstan::replicas
