/// The files of data that the settings name.
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

/// [strand] Files are read where it may block.
class DataFiles {
public:
    struct Config {
        std::string types_file{}, price_file{};  ///< empty: none
        std::string region{};                    ///< that prices are to be of
    };
    DataFiles(const Host& host, Config config);

    /// A file that cannot be read, or is none, is `invalid_config`.
    Task<std::optional<TypeTable>> read_types();
    Task<void> read_prices();
    /// Reads the prices again once in ten minutes; a file that cannot be read leaves them.
    Task<void> renew_prices();

    /// NULL: none are known.
    const std::shared_ptr<const PriceTable>& prices() const noexcept { return prices_.value(); }
    /// Another one whenever the prices changed.
    std::uint64_t version() const noexcept { return prices_.version(); }

private:
    void tell_prices();

    const Host host_;
    const Config config_;
    StandingWarnings warnings_;
    DataFile<PriceTable> prices_;
};

}  // namespace capstan::aws
