#include "runtime/guard/held_call_log.hpp"

#include <algorithm>

#include <capstan/duration.hpp>

namespace capstan::runtime {
namespace {

bool is_same_call(const HeldCall& a, const HeldCall& b) {
    return a.plugin == b.plugin && a.hook == b.hook && a.lasts <= b.lasts;
}

}  // namespace

std::vector<HeldCallLog::Line> HeldCallLog::look(const std::vector<HeldCall>& stuck) {
    std::vector<Line> out;
    std::erase_if(told_, [&](const auto& entry) {
        const HeldCall& told = entry.second.call;
        const bool goes_on = std::ranges::any_of(
            stuck, [&](const HeldCall& call) { return is_same_call(told, call); });
        if (!goes_on)
            out.emplace_back(LogLevel::warn, "plugin " + told.plugin + ": " +
                                                 std::string(name_of(told.hook)) +
                                                 " has returned after more than " +
                                                 format_rough_duration(told.lasts) +
                                                 "; the instance is called again");
        return !goes_on;
    });
    for (const HeldCall& call : stuck) {
        Told& told = told_[call.plugin];
        if (call.lasts >= told.next) {
            out.emplace_back(LogLevel::error,
                             call.sentence() + "; the instance gets no other call meanwhile");
            told.next = 2 * call.lasts;
        }
        told.call = call;
    }
    return out;
}

}  // namespace capstan::runtime
