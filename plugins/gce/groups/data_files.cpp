#include "data_files.hpp"

#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

namespace capstan::gce {

Task<void> PriceFile::read() {
    co_await file_.read();
    warn_of_sample();
}

Task<void> PriceFile::renew() {
    co_await file_.renew();
    warn_of_sample();
}

void PriceFile::warn_of_sample() {
    if (!prices()) return;
    std::vector<std::string> sentences;
    if (prices()->is_sample())
        sentences.push_back("file " + in_quotes(file_.path()) + " is a sample with prices of " +
                            prices()->date() + "; replace it with current prices");
    warnings_.set("sample", std::move(sentences));
}

void PriceFile::compare(const std::set<std::string>& regions) {
    if (!prices()) return;
    std::set<std::string> others = regions;
    others.erase(prices()->region());
    std::vector<std::string> sentences;
    if (!others.empty())
        sentences.push_back("file " + in_quotes(file_.path()) + " has prices of region " +
                            in_quotes(prices()->region()) + ", but there are groups in " +
                            listed(others, [](const std::string& region) { return region; }));
    warnings_.set("regions", std::move(sentences));
}

}  // namespace capstan::gce
