#include "kubelet_reserves.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <capstan/well_known.hpp>

namespace capstan::aws {
namespace {

constexpr std::int64_t kept_mib = std::int64_t{1} << 20;
constexpr std::int64_t kept_storage = std::int64_t{1} << 30;

/// In thousandths of a core. Each share is rounded down by itself, as the images do.
std::int64_t kept_cpu(std::int64_t vcpus) noexcept {
    struct Share {
        std::int64_t up_to, ten_thousandths;
    };
    constexpr std::array<Share, 4> shares{
        {{1000, 600}, {2000, 100}, {4000, 50}, {std::numeric_limits<std::int64_t>::max(), 25}}};
    const std::int64_t all = vcpus * 1000;
    std::int64_t kept = 0, from = 0;
    for (const Share& share : shares) {
        if (all <= from) break;
        kept += (std::min(all, share.up_to) - from) * share.ten_thousandths / 10000;
        from = share.up_to;
    }
    return kept;
}

}  // namespace

Resources reserved_by_kubelet(const ReserveSources& sources) {
    Resources out;
    const bool is_known =
        sources.family != ImageFamily::unknown && sources.family != ImageFamily::windows;
    if (sources.ephemeral_storage > 0) {
        // Rounded up, so that allocatable is not overestimated.
        out.set(well_known::ephemeral_storage,
                (sources.ephemeral_storage + 9) / 10 + (is_known ? kept_storage : 0));
    }
    if (!is_known) return out;
    const bool by_limit = sources.family == ImageFamily::bottlerocket;
    const std::int64_t pods = by_limit ? sources.pods : sources.eni_pods;
    out.set(well_known::cpu, kept_cpu(sources.vcpus));
    out.set(well_known::memory, (11 * pods + 255 + 100) * kept_mib);
    return out;
}

}  // namespace capstan::aws
