/// What machines cost, by a data file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/node_group.hpp>
#include <capstan/result.hpp>

#include "../api/instance_template.hpp"
#include "../api/machine_types.hpp"

namespace capstan::gce {

/// Prices in one region. `deploy/gce/make_prices` writes the file; the one that ships is a sample,
/// and says so. Sustained use discounts are left out.
///
///     {"region": "us-central1", "date": "2026-11-01", "currency": "USD", "sample": true,
///      "types": {"n2-standard-4": {"on_demand": 0.194, "spot": 0.047}},
///      "families": {"n2": {"cpu": 0.0316, "gib": 0.0042, "spot_cpu": ..., "spot_gib": ...}},
///      "custom": {"n2": {...as families...}},
///      "accelerators": {"nvidia-tesla-t4": {"on_demand": 0.35, "spot": 0.11}},
///      "disks": {"pd-balanced": 0.000137}, "local_ssd": {"on_demand": 0.00011, "spot": ...}}
///
/// all an hour: of a machine, a core, a GiB.
class PriceTable {
public:
    /// An error names the place in the file.
    static Result<PriceTable> parse(std::string_view json);

    /// The machine, by its type's price or else by its family's; its accelerators, unless they come
    /// with the type; its disks. Nothing: the machine's own price is not known.
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
    std::optional<double> machine_price(const std::string& name,
                                        const std::optional<GceMachineType>& type, bool spot) const;
    double disk_price(const InstanceTemplate& node, const std::optional<GceMachineType>& type,
                      bool spot) const;

    std::map<std::string, Pair, std::less<>> types_{}, accelerators_{};
    std::map<std::string, Rates, std::less<>> families_{}, custom_{};
    std::map<std::string, double, std::less<>> disks_{};
    Pair local_ssd_{};
    std::string region_{}, date_{}, currency_ = "USD";
    bool is_sample_ = false;
};

}  // namespace capstan::gce
