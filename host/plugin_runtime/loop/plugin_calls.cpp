#include "plugin_runtime/loop/plugin_calls.hpp"

namespace capstan::plugin_runtime::loop {
namespace {

bool is_power_of_ten(std::uint64_t count) {
    while (count % 10 == 0) count /= 10;
    return count == 1;
}

}  // namespace

void PluginCalls::report_exception(Hook hook, const std::string& what) {
    const std::uint64_t count = ++escapes_[index_of(hook)];
    if (!report_ || !is_power_of_ten(count)) return;
    const std::string times = count == 1 ? "" : " (" + std::to_string(count) + " times)";
    report_(hook, std::string(name_of(hook)) + " " + what + times);
}

void PluginCalls::report_thread_exit(Hook hook) const {
    if (!report_) return;
    report_(hook, std::string(name_of(hook)) +
                      " ends the thread it was called on, which ends the process");
}

}  // namespace capstan::plugin_runtime::loop
