/// A cloud whose machines exist only in memory: groups from the configuration, machines that take a
/// while to boot. To use a real cloud, replace the functions with calls to its API.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <capstan/cloud_provider.hpp>
#include <capstan/host.hpp>

#include "config.hpp"
#include "recent.hpp"

class NewCloud {
public:
    static capstan::Schema schema() { return config_schema(); }
    static void check(const capstan::Settings& settings) { check_config(settings); }
    NewCloud(capstan::Host host, const capstan::Settings& settings);
    /// Applies changed groups. The machines of a removed group are removed.
    capstan::Result<void> reconfigure(const capstan::Settings& settings);

    // Called on the instance's strand. A real cloud returns Task<...> and awaits its requests.
    capstan::CloudView refresh() const;
    capstan::Result<capstan::Resized> increase(capstan::Resize request);
    /// Cancels requests for machines that do not run yet, the youngest first.
    capstan::Result<capstan::Resized> decrease_target(capstan::Resize request);
    capstan::Result<capstan::Removed> remove(capstan::Removal request);
    capstan::Result<capstan::NodeTemplate> describe(capstan::NodeGroupId group) const;

private:
    struct Machine {
        capstan::MachineId id;
        // The wall clock may be set, so a machine's age comes from `requested`, not from
        // `launched`.
        capstan::Duration requested;  // by Host::monotonic()
        capstan::Time launched;       // by the wall clock
    };
    using Machines = std::vector<Machine>;  // oldest first

    const GroupConfig* find_group(std::string_view id) const;
    capstan::Result<const GroupConfig*> group(const capstan::NodeGroupId& id) const;
    bool is_running(const Machine& machine) const;
    void add_machines(const capstan::NodeGroupId& group, int count, capstan::Duration age);
    capstan::Result<void> check_expected(const capstan::Resize& request) const;
    std::vector<capstan::Error> unknown_machines(const capstan::NodeGroupId& group,
                                                 std::set<capstan::MachineId> wanted) const;
    int target(const capstan::NodeGroupId& group) const;

    capstan::Host host_;
    Config config_;
    std::map<capstan::NodeGroupId, Machines> machines_;
    long next_machine_ = 1;
    int revision_ = 1;  // of the settings, for templates' fingerprints
    Recent<capstan::Resized> resized_;
    Recent<capstan::Removed> removed_;
};
