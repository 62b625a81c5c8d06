#include "runtime/services/startup_watches.hpp"

#include <utility>

namespace capstan::runtime::services {

StartupWatches::Id StartupWatches::add(std::string what, std::function<void()> begin) {
    unsettled_.emplace(++last_, Watch{std::move(what), std::move(begin)});
    return last_;
}

void StartupWatches::begin() {
    std::vector<std::function<void()>> waiting;
    for (auto& [id, watch] : unsettled_)
        if (auto begin = std::exchange(watch.begin, nullptr)) waiting.push_back(std::move(begin));
    for (const auto& begin : waiting) begin();
}

void StartupWatches::settle(Id id) { unsettled_.erase(id); }

std::vector<std::string> StartupWatches::unsettled() const {
    std::vector<std::string> out;
    for (const auto& [id, watch] : unsettled_) out.push_back(watch.what);
    return out;
}

}  // namespace capstan::runtime::services
