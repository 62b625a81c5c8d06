#include "settings.hpp"

#include <charconv>
#include <chrono>

#include <capstan/sentence.hpp>

namespace capstan::replicas {
namespace {

constexpr std::string_view least_error = "least_error", highest_averages = "highest_averages";
constexpr std::chrono::hours day(24);

Setting duration(std::string_view key, std::string_view doc, std::string_view default_value,
                 Duration min) {
    return {.key = key,
            .type = SettingType::duration,
            .doc = doc,
            .default_value = default_value,
            .live = true,
            .min = min,
            .max = day};
}

}  // namespace

Schema config_schema() {
    return {
        {.key = "namespace",
         .type = SettingType::string,
         .doc = "Namespace of the Balancers to manage. Empty: all namespaces.",
         .default_value = "\"\""},
        {.key = "proportional_rounding",
         .type = SettingType::enumeration,
         .doc = "Rounding of proportional shares: least_error minimizes the largest deviation from "
                "the exact share; highest_averages is upstream's method, in which adding a replica "
                "never takes one away from a target.",
         .default_value = "\"least_error\"",
         .live = true,
         .allowed = {least_error, highest_averages}},
        {.key = "max_moved",
         .type = SettingType::string,
         .doc = "Maximum replicas to move between targets in one step, as a number (\"5\") or a "
                "share of the wanted replicas (\"20%\"). The next step waits until the moved pods "
                "are ready. Empty: all at once.",
         .default_value = "\"\"",
         .live = true},
        duration("fallback_hold",
                 "How long replicas that were moved from a target whose pods did not start stay on "
                 "other targets after all pods have started.",
                 "\"0s\"", Duration::zero()),
        duration("resync", "How often each Balancer is checked without a change.", "\"30s\"",
                 std::chrono::seconds(1)),
        duration("debounce", "How long changes are collected before they are processed.",
                 "\"500ms\"", Duration::zero()),
    };
}

Config read_config(const Settings& settings) {
    Config out{.ns = settings.text("namespace"),
               .rounding = settings.text("proportional_rounding") == highest_averages
                               ? Rounding::highest_averages
                               : Rounding::least_error,
               .resync = settings.duration("resync"),
               .debounce = settings.duration("debounce"),
               .fallback_hold = settings.duration("fallback_hold")};
    Result<StepLimit> step_limit = parse_step_limit(settings.text("max_moved"));
    if (!step_limit) throw Failure(std::move(step_limit.error()));
    out.step_limit = *step_limit;
    return out;
}

void check_config(const Settings& settings) {
    const Result<StepLimit> step_limit = parse_step_limit(settings.text("max_moved"));
    if (!step_limit) settings.reject("max_moved", step_limit.error().message);
}

Result<StepLimit> parse_step_limit(std::string_view text) {
    if (text.empty()) return StepLimit{};
    const bool is_percent = text.ends_with('%');
    const std::string_view digits = text.substr(0, text.size() - (is_percent ? 1 : 0));
    std::int64_t number = 0;
    const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_number = bad == std::errc() && end == digits.data() + digits.size();
    if (!is_number || number < 1 || number > (is_percent ? 100 : 1'000'000'000))
        return fail(
            ErrorCode::invalid_config,
            in_quotes(text) + " is not a number or share of replicas; expected \"5\" or \"20%\"");
    if (is_percent) return StepLimit{.percent = number};
    return StepLimit{.most = number};
}

}  // namespace capstan::replicas
