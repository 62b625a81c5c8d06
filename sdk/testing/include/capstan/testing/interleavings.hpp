/// Random interleavings of a host, a cloud plugin, its API and other clients of the API.
///
/// Whatever goes wrong, no machine with a node may end that neither the host asked to remove nor
/// another client's target left out. Once nothing goes wrong any more, the group gets the size that
/// the host wants:
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
    Duration list_lag{};         ///< lists show the group as it was so long ago
    std::optional<int> stock{};  ///< machines that can be made; absent: any number
    int throttled = 0;           ///< next calls that are refused
    int hung = 0;                ///< next changes that have no effect and no answer
    int lost = 0;                ///< next changes whose answers are lost; they are carried out
    Duration late{};  ///< the next increase has no answer and is carried out so much later; 0: none
    std::function<void()> between{};  ///< called once, after the next read and before a change
};

/// A started cloud with one group, on a fake API and a virtual clock.
class InterleavedCloud {
public:
    InterleavedCloud() = default;
    InterleavedCloud(const InterleavedCloud&) = delete;
    InterleavedCloud& operator=(const InterleavedCloud&) = delete;
    virtual ~InterleavedCloud() = default;

    // The plugin, each call to its end.
    virtual Result<CloudView> refresh() = 0;
    virtual Result<Resized> increase(const Resize& request) = 0;
    virtual Result<Resized> decrease_target(const Resize& request) = 0;
    virtual Result<Removed> remove(const Removal& request) = 0;

    // The API behind it.
    virtual void set_faults(CloudFaults faults) = 0;
    /// The ids of the machines that exist now, as the plugin's views have them.
    virtual std::vector<MachineId> machines() const = 0;
    virtual int target() const = 0;
    /// Another client sets the target, also below the number of machines. Those that this ends are
    /// gone when it returns.
    virtual void set_target(int target) = 0;
    virtual void advance(Duration by) = 0;
};

struct InterleavingOptions {
    std::uint64_t first_seed = 1;
    int count = 1'000;  ///< interleavings, with successive seeds
    int steps = 12;     ///< of each one, before the faults end
    int max = 8;        ///< machines that are wanted at most; the group's limits allow them
};

/// Plays the host to each cloud that `make` returns. Empty: nothing was violated. Otherwise what
/// was, with the seed and the steps that led to it.
std::string find_violation(
    const std::function<std::unique_ptr<InterleavedCloud>(std::uint64_t seed)>& make,
    const InterleavingOptions& options);

}  // namespace testing
CAPSTAN_NAMESPACE_END
