/// Random interleavings of a host, a cloud plugin, its API and other clients of the API.
///
/// Whatever goes wrong, a machine with a node may be terminated only if the host has asked to
/// remove it, or if another client has lowered the target. Once nothing goes wrong any more, the
/// group must reach the size that the host wants:
///
///     class AcmeOnFake : public InterleavedCloud { ... };   // the plugin's class on a fake API
///     const auto make = [](std::uint64_t seed) { return std::make_unique<AcmeOnFake>(seed); };
///     EXPECT_EQ(find_violation(make, {.count = 10'000}), "");
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// What goes wrong from now on.
struct CloudFaults {
    Duration list_lag{};         ///< how old the group is that lists show
    std::optional<int> stock{};  ///< number of machines that can be made; absent: any number
    int throttled = 0;           ///< number of next calls that are throttled
    int hung = 0;                ///< number of next changes without effect and without answer
    int lost = 0;                ///< number of next changes that are carried out without answer
    /// The next increase has no answer and is carried out this much later; 0: it is not delayed.
    Duration late{};
    std::function<void()> between{};  ///< called once, between the next read and a change
};

/// A started cloud with one group, on a fake API and a virtual clock.
class InterleavedCloud {
public:
    InterleavedCloud() = default;
    InterleavedCloud(const InterleavedCloud&) = delete;
    InterleavedCloud& operator=(const InterleavedCloud&) = delete;
    virtual ~InterleavedCloud() = default;

    // Calls of the plugin, each of which waits for its end.
    virtual Result<CloudView> refresh() = 0;
    virtual Result<Resized> increase(const Resize& request) = 0;
    virtual Result<Resized> decrease_target(const Resize& request) = 0;
    virtual Result<Removed> remove(const Removal& request) = 0;

    // The fake API behind the plugin.
    virtual void set_faults(CloudFaults faults) = 0;
    /// The ids of the machines that exist now, as the plugin's views have them.
    virtual std::vector<MachineId> machines() const = 0;
    virtual int target() const = 0;
    /// Another client sets the target, also to less than the number of machines. Machines that are
    /// terminated by that are gone when this call returns.
    virtual void set_target(int target) = 0;
    virtual void advance(Duration by) = 0;
};

struct InterleavingOptions {
    std::uint64_t first_seed = 1;
    int count = 1'000;  ///< interleavings, with successive seeds
    int steps = 12;     ///< of each one, before the faults end
    int max = 8;        ///< most machines that the host wants; the group's maximum allows them
};

/// Acts as the host of each cloud that `make` returns. Empty: there was no violation. Otherwise the
/// first violation, with its seed and the steps that led to it.
std::string find_violation(
    const std::function<std::unique_ptr<InterleavedCloud>(std::uint64_t seed)>& make,
    const InterleavingOptions& options);

}  // namespace testing
CAPSTAN_NAMESPACE_END
