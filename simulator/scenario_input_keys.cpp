#include "simulator/scenario_input_keys.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstddef>

#include <capstan/ascii.hpp>
#include <capstan/whole_number.hpp>

namespace capstan::config {

using engine::snapshot::HostPort;

std::optional<HostPort> MemberType<HostPort>::parse(std::string_view text) {
    HostPort out;
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        out.protocol = text.substr(slash + 1);
        if (out.protocol != "TCP" && out.protocol != "UDP" && out.protocol != "SCTP")
            return std::nullopt;
        text = text.substr(0, slash);
    }
    if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
        out.ip = text.substr(0, colon);
        text.remove_prefix(colon + 1);
    }
    const auto port = find_whole_number(text);
    if (!port || *port < 1 || *port > 65535) return std::nullopt;
    out.port = static_cast<int>(*port);
    return out;
}

std::string MemberType<HostPort>::toml(const HostPort& value) {
    return toml_string((value.ip.empty() ? "" : value.ip + ":") + std::to_string(value.port) +
                       (value.protocol == "TCP" ? "" : "/" + value.protocol));
}

}  // namespace capstan::config

namespace capstan::simulator {
namespace {

using config::TomlValue;

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

/// A number written in digits alone; absent: it is not, or is above `most`.
std::optional<int> parse_count(std::string_view written, int most) {
    const bool is_digit = !written.empty() && is_ascii_digit(written.front());
    const auto number = find_whole_number(written);
    if (!is_digit || !number || *number > most) return std::nullopt;
    return static_cast<int>(*number);
}

}  // namespace

void turn_shares_into_text(TomlValue& scenario) {
    turn_budgets(scenario, "budget");
    const auto steps = std::ranges::find(scenario.children, "step", &TomlValue::key);
    if (steps == scenario.children.end()) return;
    for (TomlValue& step : steps->children) turn_budgets(step, "budgets");
}

std::optional<PodShare> find_share(std::string_view text) {
    const bool is_percent = text.ends_with('%');
    if (is_percent) text.remove_suffix(1);
    const std::optional<int> amount = parse_count(text, is_percent ? 100 : INT_MAX);
    if (!amount) return std::nullopt;
    return PodShare(*amount, is_percent);
}

std::string share_text(const PodShare& share) {
    return std::to_string(share.amount) + (share.is_percent ? "%" : "");
}

std::optional<std::uint64_t> find_hexadecimal(std::string_view text) {
    std::uint64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, 16);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

std::string hexadecimal(std::uint64_t number) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    return {digits.data(), end};
}

std::vector<std::string> keys::words_of(const std::vector<Command>& commands) {
    std::vector<std::string> out;
    for (const Command command : commands)
        out.emplace_back(names_of(command).at(static_cast<std::size_t>(command)));
    return out;
}

std::vector<keys::Command> keys::commands_of(const std::vector<std::string>& words) {
    const auto names = names_of(Command{});
    std::vector<Command> out;
    for (const std::string& word : words) {
        const auto at = std::ranges::find(names, word);
        if (at != names.end()) out.push_back(static_cast<Command>(at - names.begin()));
    }
    return out;
}

}  // namespace capstan::simulator
