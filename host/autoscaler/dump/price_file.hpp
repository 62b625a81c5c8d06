/// The price file of a cloud plugin, as a simulation reads it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <capstan/result.hpp>

namespace capstan::autoscaler::dump {

/// The prices of whole machine types in a file by deploy/aws/make_prices or deploy/gce/make_prices.
/// Rates by core and GiB, which the file for Google Cloud has for most types, are left out.
class PriceFile {
public:
    /// The error names the file.
    static Result<PriceFile> read(const std::filesystem::path& file);

    /// By the hour. Absent: unknown.
    std::optional<double> find(const std::string& type, const std::string& zone, bool spot) const;
    const std::string& currency() const noexcept { return currency_; }

private:
    struct Entry {
        std::optional<double> on_demand{}, spot{};
        std::map<std::string, double> spot_by_zone{};
    };
    std::map<std::string, Entry> types_;
    std::string currency_ = "USD";
};

}  // namespace capstan::autoscaler::dump
