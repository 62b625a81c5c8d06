#include "simulation/scenario_shares.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>

#include <capstan/sentence.hpp>
#include <capstan/whole_number.hpp>

namespace capstan::simulation {
namespace {

using runtime::TomlValue;

constexpr std::array<std::string_view, 2> bounds{"min_available", "max_unavailable"};

void turn_budgets(TomlValue& table, std::string_view list) {
    const auto at = std::ranges::find(table.children, list, &TomlValue::key);
    if (at == table.children.end()) return;
    for (TomlValue& budget : at->children) {
        for (TomlValue& member : budget.children) {
            if (member.kind != TomlValue::Kind::integer || !std::ranges::count(bounds, member.key))
                continue;
            member.kind = TomlValue::Kind::string;
            member.text = std::to_string(member.integer);
        }
    }
}

/// Digits alone, up to a bound.
std::optional<int> parse_count(std::string_view written, int most) {
    const bool is_digit = !written.empty() && written.front() >= '0' && written.front() <= '9';
    const auto number = find_whole_number(written);
    if (!is_digit || !number || *number > most) return std::nullopt;
    return static_cast<int>(*number);
}

std::optional<PodShare> find_share(std::string_view written) {
    const bool is_percent = written.ends_with('%');
    if (is_percent) written.remove_suffix(1);
    const std::optional<int> amount = parse_count(written, is_percent ? 100 : INT_MAX);
    if (!amount) return std::nullopt;
    return PodShare(*amount, is_percent);
}

}  // namespace

void turn_shares_into_text(TomlValue& scenario) {
    turn_budgets(scenario, "budget");
    const auto steps = std::ranges::find(scenario.children, "step", &TomlValue::key);
    if (steps == scenario.children.end()) return;
    for (TomlValue& step : steps->children) turn_budgets(step, "budgets");
}

std::optional<PodShare> read_share(const std::optional<std::string>& said, const char* key,
                                   const runtime::SettingValue& table,
                                   runtime::Diagnostics& diagnostics) {
    if (!said) return std::nullopt;
    std::optional<PodShare> share = find_share(*said);
    if (!share) {
        diagnostics.error(
            table.find(key)->place,
            "budget: '" + std::string(key) +
                "' is a number of pods, or a percentage from \"0%\" to \"100%\", not " +
                in_quotes(*said));
    }
    return share;
}

}  // namespace capstan::simulation
