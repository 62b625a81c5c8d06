/// The file of prices that the settings name.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include <capstan/data_file.hpp>
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
        : file_(host, std::move(path), "prices", &PriceTable::parse), warnings_(host) {}

    /// A file that cannot be read, or is none, is `invalid_config`.
    Task<void> read();
    /// Reads it again once in ten minutes; a file that cannot be read leaves the prices.
    Task<void> renew();
    /// Where the groups are, which the prices should be of.
    void compare(const std::set<std::string>& regions);

    /// NULL: none are known.
    const std::shared_ptr<const PriceTable>& prices() const noexcept { return file_.value(); }
    /// Another one whenever the prices changed.
    std::uint64_t version() const noexcept { return file_.version(); }

private:
    void tell_sample();

    DataFile<PriceTable> file_;
    StandingWarnings warnings_;
};

}  // namespace capstan::gce
