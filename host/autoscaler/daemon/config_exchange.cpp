#include "autoscaler/daemon/config_exchange.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <sstream>
#include <utility>

#include <boost/asio/post.hpp>

namespace capstan::autoscaler::daemon {
namespace {

std::string joined(const std::vector<std::string>& keys) {
    std::string out;
    for (const std::string& key : keys) out += (out.empty() ? "" : ", ") + key;
    return out;
}

/// The instances that passes call, other than clouds.
std::vector<PluginInstanceId> named_for_decisions(const config::Pipeline& pipeline) {
    std::vector<PluginInstanceId> out{pipeline.scale_up.splitter};
    for (const config::Stage& stage : pipeline.scale_up.expanders) out.push_back(stage.use);
    for (const auto* ids : {&pipeline.scale_up.similarity, &pipeline.scale_up.group_sources})
        out.insert(out.end(), ids->begin(), ids->end());
    return out;
}

/// As it counts from now on: clouds that wait for a restart are not asked.
std::shared_ptr<const LoadedConfig> in_force(std::shared_ptr<const LoadedConfig> next,
                                             const LoadedConfig& running,
                                             const ConfigChanges& changes) {
    if (!changes.keeps_clouds) return next;
    auto out = std::make_shared<LoadedConfig>(*next);
    out->config.pipeline.clouds = running.config.pipeline.clouds;
    return out;
}

/// The complaints with their places, without the excerpts of the file, which are indented.
std::string one_line(const std::string& complaints) {
    std::string out;
    std::istringstream lines(complaints);
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && !line.starts_with(' ')) out += (out.empty() ? "" : "; ") + line;
    return out;
}

}  // namespace

std::string ConfigExchange::toml() const {
    const std::lock_guard lock(mutex_);
    return loaded_->toml;
}

Time ConfigExchange::wall() const { return host_.loop().clock()->wall(); }

void ConfigExchange::log(config::LogLevel level, const std::string& sentence) const {
    host_.log().write(level, "config", sentence);
}

/// In one record of the log.
void ConfigExchange::refuse(const std::string& complaints, ObservableState& observable) {
    log(config::LogLevel::error,
        "reload failed; keeping the last valid configuration: " + one_line(complaints));
    observable.config.refuse(complaints, wall());
}

void ConfigExchange::take_over(const Read& read, Autoscaler& autoscaler,
                               ObservableState& observable,
                               const std::shared_ptr<LoopServices>& services) {
    auto next = read();
    if (!next) return refuse(next.error().message, observable);
    const ConfigChanges changes = find_changes(*started_, *loaded_, **next);
    const bool is_live = !changes.live.empty() || !changes.made.empty() || !changes.gone.empty();
    if (!changes.fixed.empty())
        log(config::LogLevel::warn,
            "changed settings that need a restart: " + joined(changes.fixed));
    if (!is_live) {
        if (changes.fixed.empty()) log(config::LogLevel::info, "reloaded: no changes");
        return observable.config.confirm(changes.fixed, wall());
    }
    const LoadedPtr counts = in_force(*std::move(next), *loaded_, changes);
    if (const Result<void> taken = exchange(counts, changes, autoscaler); !taken)
        return refuse(taken.error().message, observable);
    std::vector<std::string> waiting = changes.fixed;
    std::ranges::move(hand_over(changes, counts), std::back_inserter(waiting));
    observable.health.set_limits(counts->config.admin);
    boost::asio::post(host_.loop().io(),
                      [services, interval = counts->config.cluster.scan_interval] {
                          services->pass_scheduler().set_interval(interval);
                      });
    log(config::LogLevel::info, "reloaded: " + joined(changes.live));
    observable.config.take_over(counts->toml, std::move(waiting), wall());
    const std::lock_guard lock(mutex_);
    loaded_ = counts;
}

/// Refuses an id that changes between a cloud or controller and a plugin that decides: the new
/// instance cannot have the id while the old one runs.
Result<void> ConfigExchange::check_kinds(const LoadedConfig& next,
                                         const ConfigChanges& changes) const {
    const std::vector<plugin_runtime::services::InstanceIdentity>& known = host_.identities();
    for (const PluginInstanceId& id : named_for_decisions(next.config.pipeline)) {
        const auto old =
            std::ranges::find(known, id, &plugin_runtime::services::InstanceIdentity::id);
        const bool is_made = std::ranges::find(changes.made, id) != changes.made.end();
        const auto plugins = select_plugins(next, {id});
        if (old == known.end() || is_made || plugins.empty()) continue;
        if (old->kind != plugins.front()->plugin_class.kind)
            return fail(ErrorCode::invalid_config,
                        "plugin " + id.value() + " changes its kind, which needs a restart");
    }
    return {};
}

Result<void> ConfigExchange::exchange(const LoadedPtr& next, const ConfigChanges& changes,
                                      Autoscaler& autoscaler) {
    CAPSTAN_CHECK(check_kinds(*next, changes));
    CAPSTAN_TRY(const PluginHost::Instances made,
                host_.make_replacements(select_plugins(*next, changes.made)));
    std::vector<PluginInstanceId> affected = changes.made;
    affected.insert(affected.end(), changes.gone.begin(), changes.gone.end());
    if (on_exchange_ && !affected.empty()) on_exchange_(affected);
    const PluginHost::Instances replaced = host_.exchange(made, changes.gone);
    if (const Result<void> taken = autoscaler.apply_config(next->config); !taken) {
        std::vector<PluginInstanceId> added = changes.made;
        std::erase_if(added, [&](const PluginInstanceId& id) {
            return std::ranges::any_of(
                replaced, [&](const auto& instance) { return instance->id() == id.value(); });
        });
        host_.exchange(replaced, added);
        host_.stop(made, StopReason::failed);
        return fail(taken.error());
    }
    pass_metrics::Gauges& running = host_.metrics().running;
    for (const PluginInstanceId& id : changes.made) running.Add({{"plugin", id.value()}}).Set(1);
    for (const PluginInstanceId& id : changes.gone)
        running.Remove(&running.Add({{"plugin", id.value()}}));
    stop_replaced();
    replaced_ = replaced;
    return {};
}

void ConfigExchange::stop_replaced() {
    for (const auto& instance : std::views::reverse(std::exchange(replaced_, {}))) {
        const bool has_successor = host_.find(PluginInstanceId(instance->id())) != nullptr;
        host_.stop({instance}, has_successor ? StopReason::replaced : StopReason::removed);
    }
}

std::vector<std::string> ConfigExchange::hand_over(const ConfigChanges& changes,
                                                   const LoadedPtr& next) {
    std::vector<std::string> kept;
    for (const PluginInstanceId& plugin : changes.plugins) {
        const Result<void> done = reconfigure(host_, next, plugin);
        if (done) continue;
        log(config::LogLevel::error,
            "plugin " + plugin.value() + " keeps its old settings: " + done.error().message);
        kept.push_back("plugin." + plugin.value() + ".settings");
    }
    return kept;
}

void ConfigExchange::observe_file(bool is_gone, ObservableState& observable) const {
    log(is_gone ? config::LogLevel::warn : config::LogLevel::info,
        is_gone ? "configuration file missing or empty; keeping the last valid configuration"
                : "configuration file found again");
    observable.config.set_gone(is_gone, wall());
}

void ConfigExchange::leave_unread(ObservableState& observable) const {
    log(config::LogLevel::info, "configuration file has changed; send SIGHUP to reload it");
    observable.config.leave_unread(wall());
}

}  // namespace capstan::autoscaler::daemon
