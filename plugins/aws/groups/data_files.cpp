#include "data_files.hpp"

#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

namespace capstan::aws {

DataFiles::DataFiles(const Host& host, Config config)
    : host_(host),
      config_(std::move(config)),
      warnings_(host),
      prices_(host, config_.price_file, "prices", &PriceTable::parse) {}

Task<std::optional<TypeTable>> DataFiles::read_types() {
    if (config_.types_file.empty()) co_return std::optional<TypeTable>();
    DataFile<TypeTable> file(host_, config_.types_file, "types", &TypeTable::parse);
    co_await file.read();
    co_return std::optional<TypeTable>(*file.value());
}

Task<void> DataFiles::read_prices() {
    co_await prices_.read();
    warn_of_prices();
}

Task<void> DataFiles::renew_prices() {
    co_await prices_.renew();
    warn_of_prices();
}

void DataFiles::warn_of_prices() {
    const std::shared_ptr<const PriceTable>& prices = prices_.value();
    if (!prices) return;
    std::vector<std::string> sentences;
    const std::string file = "file " + in_quotes(config_.price_file);
    if (prices->is_sample())
        sentences.push_back(file + " is a sample with prices of " + prices->date() +
                            "; replace it with current prices");
    if (prices->region() != config_.region)
        sentences.push_back(file + " has prices of region " + in_quotes(prices->region()) +
                            ", but the groups are in " + in_quotes(config_.region));
    warnings_.set("prices", std::move(sentences));
}

}  // namespace capstan::aws
