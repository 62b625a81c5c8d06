/// Prices of machines, from a data file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/node_group.hpp>
#include <capstan/result.hpp>

#include "../api/instance_template.hpp"
#include "../api/machine_types.hpp"

namespace capstan::gce {

/// Prices in one region. `deploy/gce/make_prices` writes the file. The file that ships with Capstan
/// is a sample and is marked as such. Sustained use discounts are not included.
///
///     {"region": "us-central1", "date": "2026-11-01", "currency": "USD", "sample": true,
///      "types": {"n2-standard-4": {"on_demand": 0.194, "spot": 0.047}},
///      "families": {"n2": {"cpu": 0.0316, "gib": 0.0042, "spot_cpu": ..., "spot_gib": ...}},
///      "custom": {"n2": {...as families...}},
///      "accelerators": {"nvidia-tesla-t4": {"on_demand": 0.35, "spot": 0.11}},
///      "disks": {"pd-balanced": 0.000137}, "local_ssd": {"on_demand": 0.00011, "spot": ...}}
///
/// All prices are by the hour: for a machine, an accelerator, a core, or a GiB.
class PriceTable {
public:
    /// An error names the place in the file.
    static Result<PriceTable> parse(std::string_view json);

    /// The price of the machine, its accelerators and its disks. A price of a type includes the
    /// accelerators and local SSDs bundled with the type. Rates of a family are only for cores and
    /// memory, as Google bills them. Absent if the price of the machine or of an accelerator is
    /// unknown.
    std::optional<Price> find(const InstanceTemplate& node,
                              const std::optional<GceMachineType>& type, bool spot) const;
    const std::string& region() const noexcept { return region_; }
    const std::string& date() const noexcept { return date_; }  ///< "2026-11-01"
    bool is_sample() const noexcept { return is_sample_; }

private:
    struct Pair {
        std::optional<double> on_demand{}, spot{};
        const std::optional<double>& of(bool is_spot) const noexcept {
            return is_spot ? spot : on_demand;
        }
    };
    struct Rates {
        Pair cpu{}, gib{};
    };
    static Result<Pair> read_pair(const Json& json, const std::string& place);
    static Result<Rates> read_rates(const Json& json, const std::string& place);
    Result<void> read_maps(const Json& file);
    struct MachinePrice {
        double per_hour = 0;
        bool is_whole = false;  ///< includes bundled accelerators and local SSDs
    };
    std::optional<MachinePrice> machine_price(const std::string& name,
                                              const std::optional<GceMachineType>& type,
                                              bool spot) const;
    std::optional<double> accelerator_price(const std::vector<TemplateAccelerator>& accelerators,
                                            bool spot) const;
    double disk_price(const InstanceTemplate& node, std::int64_t local_ssds, bool spot) const;

    std::map<std::string, Pair, std::less<>> types_{}, accelerators_{};
    std::map<std::string, Rates, std::less<>> families_{}, custom_{};
    std::map<std::string, double, std::less<>> disks_{};
    Pair local_ssd_{};
    std::string region_{}, date_{}, currency_ = "USD";
    bool is_sample_ = false;
};

}  // namespace capstan::gce
