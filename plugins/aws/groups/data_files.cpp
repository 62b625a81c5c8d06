#include "data_files.hpp"

#include <fstream>
#include <iterator>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

constexpr Duration prices_life = std::chrono::minutes(10);

std::string read_data_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string out(std::istreambuf_iterator<char>(file), {});
    if (!file)
        throw Failure(ErrorCode::invalid_config, "file " + in_quotes(path) + " cannot be read");
    return out;
}

Error about_file(const std::string& path, Error error) {
    error.code = ErrorCode::invalid_config;
    return within("file " + in_quotes(path), std::move(error));
}

}  // namespace

Task<std::optional<TypeTable>> DataFiles::read_types() {
    if (config_.types_file.empty()) co_return std::optional<TypeTable>();
    const std::string text = co_await blocking(host_, &read_data_file, config_.types_file);
    Result<TypeTable> table = TypeTable::parse(text);
    if (!table) co_return fail(about_file(config_.types_file, table.error()));
    co_return std::optional<TypeTable>(*std::move(table));
}

Task<void> DataFiles::read_prices() {
    if (config_.price_file.empty()) co_return;
    read_at_ = host_.monotonic();
    std::string text = co_await blocking(host_, &read_data_file, config_.price_file);
    if (prices_ && text == text_) co_return;
    Result<PriceTable> table = PriceTable::parse(text);
    if (!table) throw Failure(about_file(config_.price_file, table.error()));
    prices_ = std::make_shared<const PriceTable>(*std::move(table));
    text_ = std::move(text);
    ++version_;
    tell_prices();
}

Task<void> DataFiles::renew_prices() {
    if (!prices_ || host_.monotonic() - read_at_ < prices_life) co_return;
    const Result<void> done = co_await as_result(read_prices());
    if (done) {
        warnings_.end("file");
    } else {
        warnings_.tell("file", "prices stay those of " + prices_->date() + ": " + done.error().message);
    }
}

void DataFiles::tell_prices() {
    std::vector<std::string> sentences;
    const std::string file = "file " + in_quotes(config_.price_file);
    if (prices_->is_sample())
        sentences.push_back(file + " is a sample: its prices of " + prices_->date() +
                            " are no current ones");
    if (prices_->region() != config_.region)
        sentences.push_back(file + " has the prices of " + in_quotes(prices_->region()) +
                            ", and the groups are in " + in_quotes(config_.region));
    warnings_.tell("prices", std::move(sentences));
}

}  // namespace capstan::aws
