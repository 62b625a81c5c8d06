#include "runtime/daemon/config_exchange.hpp"

#include <sstream>
#include <utility>

#include <boost/asio/post.hpp>

namespace capstan::runtime {
namespace {

std::string joined(const std::vector<std::string>& keys) {
    std::string out;
    for (const std::string& key : keys) out += (out.empty() ? "" : ", ") + key;
    return out;
}

}  // namespace

std::string ConfigExchange::toml() const {
    const std::lock_guard lock(mutex_);
    return loaded_->toml;
}

void ConfigExchange::tell(LogLevel level, const std::string& sentence) {
    host_.log().write(level, "config", sentence);
}

/// Each complaint on a line of its own, as it would be at the start.
void ConfigExchange::refuse(const std::string& complaints) {
    tell(LogLevel::error, "the old configuration is kept, for the new one is wrong:");
    std::istringstream lines(complaints);
    for (std::string line; std::getline(lines, line);) tell(LogLevel::error, line);
}

void ConfigExchange::take_over(const Read& read, Autoscaler& autoscaler, Shown& shown,
                               const std::shared_ptr<Beside>& beside) {
    auto next = read();
    if (!next) return refuse(next.error().message);
    const ConfigChanges changes = find_changes(*started_, *loaded_, **next);
    if (changes.live.empty() && changes.fixed.empty())
        return tell(LogLevel::info, "nothing has changed");
    if (!changes.fixed.empty())
        tell(LogLevel::warn, "waits for a restart: " + joined(changes.fixed));
    if (changes.live.empty()) return;
    if (const Result<void> taken = autoscaler.take_over((*next)->config); !taken)
        return tell(LogLevel::error,
                    "the old configuration is kept, a restart is needed: " + taken.error().message);
    hand_over(changes, *next);
    shown.health.set_limits((*next)->config.admin);
    boost::asio::post(host_.loop().io(),
                      [beside, interval = (*next)->config.cluster.scan_interval] {
                          beside->waiting().set_interval(interval);
                      });
    tell(LogLevel::info, "taken over: " + joined(changes.live));
    const std::lock_guard lock(mutex_);
    loaded_ = *std::move(next);
}

void ConfigExchange::hand_over(const ConfigChanges& changes,
                               const std::shared_ptr<const LoadedConfig>& next) {
    for (const PluginInstanceId& plugin : changes.plugins)
        if (const Result<void> done = reconfigure(host_, next, plugin); !done)
            tell(LogLevel::error,
                 "plugin " + plugin.value() + " keeps its old settings: " + done.error().message);
}

}  // namespace capstan::runtime
