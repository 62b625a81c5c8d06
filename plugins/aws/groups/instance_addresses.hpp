/// The private addresses of instances, by which the host finds nodes without a spec.providerID.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/background.hpp>
#include <capstan/host.hpp>

#include "../api/auto_scaling.hpp"
#include "../api/ec2.hpp"

namespace capstan::aws {

/// [strand] EC2 is asked about each running instance until its addresses are known, at most three
/// times; private addresses do not change. One call asks about 200 instances. There is at most one
/// call in each refresh, and none if no instance is new. No refresh waits for the answer. After a
/// refusal EC2 is never asked again; after any other failure it is asked again a minute later.
class InstanceAddresses {
public:
    InstanceAddresses(const Host& host, Ec2Api& api) : host_(host), api_(api), background_(host) {}

    /// Takes all groups that are known, in each refresh. Forgets instances that are gone, and asks
    /// about new ones.
    void follow(const std::vector<const AutoScalingGroup*>& groups);

    /// Empty while they are unknown.
    const std::vector<std::string>& find(std::string_view instance_id) const;
    /// Changes whenever `find` may answer otherwise.
    std::uint64_t version() const noexcept { return version_; }

private:
    struct Instance {
        std::vector<std::string> addresses{};
        int questions = 0;          ///< how often EC2 was asked about it
        std::uint64_t seen_in = 0;  ///< the last round in which it was listed
    };
    Task<void> read(std::vector<std::string> ids);
    void stop_or_wait(const Error& error);

    const Host host_;
    Ec2Api& api_;
    Background background_;
    std::map<std::string, Instance, std::less<>> instances_{};
    std::uint64_t round_ = 0, version_ = 0;
    Duration not_before_{};  ///< by host.monotonic()
    bool is_off_ = false;
};

}  // namespace capstan::aws
