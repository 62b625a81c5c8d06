#include "plugin_runtime/loop/plugin_time.hpp"

#include <chrono>
#include <utility>

namespace capstan::plugin_runtime::loop {
namespace {

struct ThreadTime {
    Duration spent{0};
    Duration since{0};  ///< the last time that `spent` was brought up to date
    bool is_inside = false;

    void bring_up_to_date() noexcept {
        const Duration now = std::chrono::steady_clock::now().time_since_epoch();
        if (is_inside) spent += now - since;
        since = now;
    }
};
thread_local ThreadTime thread_time;

}  // namespace

Duration PluginTime::spent() noexcept {
    thread_time.bring_up_to_date();
    return thread_time.spent;
}

bool PluginTime::set_inside(bool is_inside) noexcept {
    thread_time.bring_up_to_date();
    return std::exchange(thread_time.is_inside, is_inside);
}

}  // namespace capstan::plugin_runtime::loop
