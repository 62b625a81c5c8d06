#include "data_files.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::gce {
namespace {

constexpr Duration price_life = std::chrono::minutes(10);

std::string read_price_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string out(std::istreambuf_iterator<char>(file), {});
    if (!file)
        throw Failure(ErrorCode::invalid_config, "file " + in_quotes(path) + " cannot be read");
    return out;
}

}  // namespace

Task<void> PriceFile::read() {
    if (path_.empty()) co_return;
    read_at_ = host_.monotonic();
    std::string text = co_await blocking(host_, &read_price_text, path_);
    if (prices_ && text == text_) co_return;
    Result<PriceTable> table = PriceTable::parse(text);
    if (!table) {
        Error error = within("file " + in_quotes(path_), table.error());
        error.code = ErrorCode::invalid_config;
        throw Failure(std::move(error));
    }
    prices_ = std::make_shared<const PriceTable>(*std::move(table));
    text_ = std::move(text);
    ++version_;
    tell_sample();
}

Task<void> PriceFile::renew() {
    if (!prices_ || host_.monotonic() - read_at_ < price_life) co_return;
    const Result<void> done = co_await as_result(read());
    if (done) {
        warnings_.end("file");
    } else {
        warnings_.tell("file",
                       "prices stay those of " + prices_->date() + ": " + done.error().message);
    }
}

void PriceFile::tell_sample() {
    std::vector<std::string> sentences;
    if (prices_->is_sample())
        sentences.push_back("file " + in_quotes(path_) + " is a sample: its prices of " +
                            prices_->date() + " are no current ones");
    warnings_.tell("sample", std::move(sentences));
}

void PriceFile::compare(const std::set<std::string>& regions) {
    if (!prices_) return;
    std::set<std::string> others = regions;
    others.erase(prices_->region());
    std::vector<std::string> sentences;
    if (!others.empty())
        sentences.push_back("file " + in_quotes(path_) + " has the prices of " +
                            in_quotes(prices_->region()) + ", and there are groups in " +
                            listed(others, [](const std::string& region) { return region; }));
    warnings_.tell("regions", std::move(sentences));
}

}  // namespace capstan::gce
