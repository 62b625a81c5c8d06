/// Prices of instances, from a data file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/node_group.hpp>
#include <capstan/result.hpp>

namespace capstan::aws {

/// Prices of Linux instances with shared tenancy in one region. `deploy/aws/make_prices` writes the
/// file. The file that ships with Capstan is a sample and is marked as such.
///
///     {"region": "us-east-1", "date": "2026-11-01", "currency": "USD", "sample": true,
///      "prices": {"m5.large": {"on_demand": 0.096, "spot": {"us-east-1a": 0.0401}}}}
///
/// "currency" and "sample" are optional: the defaults are USD and false.
class PriceTable {
public:
    /// An error names the place in the file.
    static Result<PriceTable> parse(std::string_view json);

    /// Absent if the price is unknown. An on-demand price holds for the whole region; spot prices
    /// are by zone. A zone without a spot price has the highest spot price of the other zones.
    std::optional<Price> find(const std::string& instance_type, const std::string& zone,
                              bool spot) const;
    const std::string& region() const noexcept { return region_; }
    const std::string& date() const noexcept { return date_; }  ///< "2026-11-01"
    bool is_sample() const noexcept { return is_sample_; }
    std::size_t size() const noexcept { return by_type_.size(); }

private:
    struct Entry {
        std::optional<double> on_demand{};
        std::map<std::string, double> spot_by_zone{};
    };
    std::map<std::string, Entry, std::less<>> by_type_{};
    std::string region_{}, date_{}, currency_ = "USD";
    bool is_sample_ = false;
};

}  // namespace capstan::aws
