#include "runtime/guard/held_call_log.hpp"

#include <algorithm>

#include <capstan/duration.hpp>

namespace capstan::runtime::guard {
namespace {

bool is_same_call(const loop::HeldCall& a, const loop::HeldCall& b) {
    return a.plugin == b.plugin && a.hook == b.hook && a.lasts <= b.lasts;
}

}  // namespace

std::vector<HeldCallLog::Line> HeldCallLog::look(const std::vector<loop::HeldCall>& stuck) {
    std::vector<Line> out;
    std::erase_if(told_, [&](const auto& entry) {
        const loop::HeldCall& told = entry.second.call;
        const bool goes_on = std::ranges::any_of(
            stuck, [&](const loop::HeldCall& call) { return is_same_call(told, call); });
        if (!goes_on)
            out.emplace_back(config::LogLevel::warn, "plugin " + told.plugin + ": " +
                                                         std::string(loop::name_of(told.hook)) +
                                                         " has returned after more than " +
                                                         format_rough_duration(told.lasts) +
                                                         "; the instance is called again");
        return !goes_on;
    });
    for (const loop::HeldCall& call : stuck) {
        Told& told = told_[call.plugin];
        if (call.lasts >= told.next) {
            out.emplace_back(config::LogLevel::error,
                             call.sentence() + "; the instance gets no other call meanwhile");
            told.next = 2 * call.lasts;
        }
        told.call = call;
    }
    return out;
}

}  // namespace capstan::runtime::guard
