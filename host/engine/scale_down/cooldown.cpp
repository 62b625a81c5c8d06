#include "engine/scale_down/cooldown.hpp"

#include <algorithm>

#include <capstan/duration.hpp>

#include "engine/health/alarm.hpp"
#include "engine/removal/phases.hpp"

namespace capstan::engine {

std::optional<Cooldown> find_cooldown(const LastActions& last, const ScaleDownSettings& settings,
                                      Time now) {
    std::optional<Cooldown> out;
    const auto consider = [&](std::optional<Time> when, const char* what, Duration delay,
                              const char* key) {
        if (!when) return;
        const Time until = later(*when, delay);
        if (until <= now || (out && out->until >= until)) return;
        const auto ago = std::chrono::floor<std::chrono::seconds>(now - *when);
        out = {.until = until,
               .because = std::string(what) + " " + format_rough_duration(ago) + " ago, and " +
                          key + " is " + format_duration(delay)};
    };
    consider(last.scale_up, "machines were asked for", settings.delay_after_add, "delay_after_add");
    consider(last.failed_removal, "a removal failed", settings.delay_after_failure,
             "delay_after_failure");
    consider(last.removal, "a node was removed", settings.delay_after_delete, "delay_after_delete");
    return out;
}

}  // namespace capstan::engine
