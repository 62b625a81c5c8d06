/// The price file that the settings name.
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

/// [strand] The file is read off the strand, where a read may block.
class PriceFile {
public:
    /// An empty path: no file, no prices.
    PriceFile(const Host& host, std::string path)
        : file_(host, std::move(path), "prices", &PriceTable::parse), warnings_(host) {}

    /// Fails with `invalid_config` if the file cannot be read or parsed.
    Task<void> read();
    /// Reads the file again once in ten minutes. The earlier prices stay if it cannot be read.
    Task<void> renew();
    /// Warns if the prices are of another region than the groups.
    void compare(const std::set<std::string>& regions);

    /// NULL if no prices are known.
    const std::shared_ptr<const PriceTable>& prices() const noexcept { return file_.value(); }
    /// Changes whenever the prices change.
    std::uint64_t version() const noexcept { return file_.version(); }

private:
    void warn_of_sample();

    DataFile<PriceTable> file_;
    StandingWarnings warnings_;
};

}  // namespace capstan::gce
