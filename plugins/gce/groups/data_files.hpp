/// The file of prices that the settings name.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include <capstan/host.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

#include "../templates/price_table.hpp"

namespace capstan::gce {

/// [strand] The file is read where it may block.
class PriceFile {
public:
    /// An empty path: there is none.
    PriceFile(const Host& host, std::string path)
        : host_(host), path_(std::move(path)), warnings_(host) {}

    /// A file that cannot be read, or is none, is `invalid_config`.
    Task<void> read();
    /// Reads it again once in ten minutes; a file that cannot be read leaves the prices.
    Task<void> renew();
    /// Where the groups are, which the prices should be of.
    void compare(const std::set<std::string>& regions);

    /// NULL: none are known.
    const std::shared_ptr<const PriceTable>& prices() const noexcept { return prices_; }
    /// Another one whenever the prices were read.
    std::uint64_t version() const noexcept { return version_; }

private:
    void tell_sample();

    const Host host_;
    const std::string path_;
    StandingWarnings warnings_;
    std::shared_ptr<const PriceTable> prices_{};
    std::string text_{};  ///< of the file, as the prices are of
    Duration read_at_{};
    std::uint64_t version_ = 0;
};

}  // namespace capstan::gce
