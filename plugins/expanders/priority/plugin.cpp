#include <optional>

#include <capstan/plugin.hpp>

#include "config.hpp"
#include "config_map.hpp"
#include "priority.hpp"

namespace {

using namespace capstan;
using namespace capstan::expanders;

PriorityConfig sound_config(const Settings& settings) {
    PriorityConfig config = read_priority(settings);
    if (const Result<void> sound = demand_sound(config); !sound) throw Failure(sound.error());
    return config;
}

class Plugin : public Priority {
public:
    Plugin(const Host& host, const Settings& settings) : Plugin(host, sound_config(settings)) {}
    static Schema schema() { return priority_schema(); }
    static void check(const Settings& settings) { check_priority(settings); }

    Task<void> start() {
        if (followed_) co_await followed_->start();
    }
    Task<void> stop() {
        if (followed_) followed_->stop();
        co_return;
    }

    Task<void> self_check() {
        if (followed_) co_await followed_->check();
    }

    /// Invalid settings are refused, and the last good priorities stay.
    Result<void> reconfigure(const Settings& settings) {
        Result<Tiers> tiers = tiers_of(read_priority(settings));
        if (!tiers) {
            host_.warn("invalid new priorities; the last valid ones stay in use: " +
                       tiers.error().message);
            return fail(tiers.error());
        }
        // The tiers of a ConfigMap are not in the settings.
        if (!followed_) replace(*std::move(tiers));
        return {};
    }

private:
    Plugin(const Host& host, PriorityConfig config)
        : Priority(std::move(config.tiers)), host_(host) {
        if (config.config_map)
            followed_.emplace(host, *std::move(config.config_map),
                              [this](Tiers tiers) { replace(std::move(tiers)); });
    }

    Host host_;
    std::optional<FollowedConfigMap> followed_;
};

}  // namespace

CAPSTAN_PLUGIN("capstan.priority", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<Plugin>(
                   {.id = "priority",
                    .doc = "Keeps the options whose group id matches a pattern of the highest "
                           "priority."}))
