/// The files of data that the settings name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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
    DataFiles(const Host& host, Config config)
        : host_(host), config_(std::move(config)), warnings_(host) {}

    /// A file that cannot be read, or is none, is `invalid_config`.
    Task<std::optional<TypeTable>> read_types();
    Task<void> read_prices();
    /// Reads the prices again once in ten minutes; a file that cannot be read leaves them.
    Task<void> renew_prices();

    /// NULL: none are known.
    const std::shared_ptr<const PriceTable>& prices() const noexcept { return prices_; }
    /// Another one whenever the prices were read.
    std::uint64_t version() const noexcept { return version_; }

private:
    void tell_prices();

    const Host host_;
    const Config config_;
    StandingWarnings warnings_;
    std::shared_ptr<const PriceTable> prices_{};
    std::string text_{};  ///< of the file, as the prices are of
    Duration read_at_{};
    std::uint64_t version_ = 0;
};

}  // namespace capstan::aws
