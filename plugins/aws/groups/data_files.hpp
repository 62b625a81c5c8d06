/// The data files that the settings name: instance types and prices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <capstan/data_file.hpp>
#include <capstan/host.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

#include "../templates/price_table.hpp"
#include "../templates/type_table.hpp"

namespace capstan::aws {

/// [strand] Files are read off the strand, where a read may block.
class DataFiles {
public:
    struct Config {
        std::string types_file{}, price_file{};  ///< empty: none
        std::string region{};  ///< of the groups; prices of another region cause a warning
    };
    DataFiles(const Host& host, Config config);

    /// Fails with `invalid_config` if the file cannot be read or parsed.
    Task<std::optional<TypeTable>> read_types();
    Task<void> read_prices();
    /// Reads the prices again once in ten minutes. The earlier prices stay if the file cannot be
    /// read.
    Task<void> renew_prices();

    /// NULL if no prices are known.
    const std::shared_ptr<const PriceTable>& prices() const noexcept { return prices_.value(); }
    /// Changes whenever the prices change.
    std::uint64_t version() const noexcept { return prices_.version(); }

private:
    void warn_of_prices();

    const Host host_;
    const Config config_;
    StandingWarnings warnings_;
    DataFile<PriceTable> prices_;
};

}  // namespace capstan::aws
