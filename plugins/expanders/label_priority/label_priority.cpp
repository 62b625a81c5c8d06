#include "label_priority.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/ranking.hpp>
#include <capstan/whole_number.hpp>

namespace capstan::expanders {
namespace {

struct HigherPriority {
    bool better(std::int64_t a, std::int64_t b) const { return a > b; }
    std::string describe(std::int64_t priority) const {
        return "priority " + std::to_string(priority);
    }
};

/// A label whose value is not a 64-bit integer.
struct BadLabel {
    OptionView option;
    std::string_view value;
};

struct Reading {
    std::vector<Ranked<std::int64_t>> ranked;
    std::vector<OptionView> without_template;
    std::vector<BadLabel> bad;
};

Reading read(const OptionList& options, const std::string& label) {
    Reading out;
    for (const OptionView option : options) {
        const auto node = option.node();
        if (!node) {
            out.without_template.push_back(option);
            continue;
        }
        const auto written = find(node->labels(), label);
        const auto priority = written ? find_whole_number(*written) : std::nullopt;
        if (written && !priority) out.bad.push_back({option, *written});
        out.ranked.push_back({option, priority.value_or(0)});
    }
    return out;
}

void explain_bad(const Call& call, const std::vector<BadLabel>& bad, const std::string& label) {
    if (bad.empty()) return;
    const auto name = [](const BadLabel& b) {
        return std::string(b.option.group().id()) + " has " + in_quotes(b.value);
    };
    call.explain("priority 0, because label " + label +
                 " is not a 64-bit integer: " + listed(bad, name));
}

}  // namespace

void LabelPriority::filter(const Call& call, const ExpanderRequest& request,
                           const Selection& keep) const {
    const Reading reading = read(request.options(), config_.label);
    if (reading.ranked.empty())
        return keep_all(call, keep, request.options(), "no option has a node template");
    if (!reading.without_template.empty()) {
        call.explain("leaves out " + group_names(reading.without_template) + ": no node template");
    }
    explain_bad(call, reading.bad, config_.label);
    keep_best(call, keep, reading.ranked, HigherPriority{});
}

}  // namespace capstan::expanders
