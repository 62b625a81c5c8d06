/// A cloud for simulations: groups, boot times, shortages and failures from the settings. It knows
/// no time but the host's clock, so that a day takes as long as the host's clock does.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <capstan/cloud_provider.hpp>
#include <capstan/host.hpp>

#include "answers.hpp"
#include "config.hpp"
#include "group.hpp"

namespace capstan::simulated {

/// Equal settings and equal requests at equal times, equal answers.
class Simulated {
public:
    Simulated(Host host, Config config);
    Simulated(const Simulated&) = delete;
    Simulated& operator=(const Simulated&) = delete;

    /// From now on it is like this. Groups that stay keep their machines; new ones begin, others
    /// are gone with all they had. Never at the same time as any of the others.
    void reconfigure(Config config);

    // On the instance's strand. Each takes `latency`, and what it does happens at its end.
    Task<CloudView> refresh();
    Task<Resized> increase(Resize request);
    Task<Resized> decrease_target(Resize request);
    Task<Removed> remove(Removal request);
    Task<NodeTemplate> describe(NodeGroupId id);

    // On a decision thread, at the same time as the above: they look at nothing that changes.
    Result<Price> price(const Call& call, const TemplateView& node) const;
    GroupOptions options(const Call& call, const GroupView& group) const;

private:
    /// Takes the time of a call, then lets everything happen that was to happen meanwhile.
    Task<void> arrive();
    Group& group(const NodeGroupId& id);
    const GroupConfig* find_config(std::string_view id) const;
    /// The target afterwards, asked for with `change`; once per idempotency key.
    template <class Change>
    Resized resize(const Resize& request, Change change);

    const Host host_;
    const Time start_;
    Config config_;
    std::map<std::string, Group, std::less<>> groups_;
    Answers<Resized> resized_;
    Answers<Removed> removed_;
};

}  // namespace capstan::simulated
