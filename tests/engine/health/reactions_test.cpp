#include "engine/health/reactions.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/actions.hpp"

namespace capstan::engine::health {
namespace {

constexpr const char* header = "sdk/include/capstan/abi/error.h";

/// A row of the table of error.h. The lines of a cell are joined with a space.
struct HeaderRow {
    std::string code;
    std::string refresh, change, start;
};

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? ""
                                      : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// The rows between the line with the names of the columns and the next empty line.
std::vector<HeaderRow> header_rows() {
    std::ifstream in(header);
    std::vector<HeaderRow> rows;
    std::optional<std::array<std::size_t, 4>> columns;
    for (std::string line; std::getline(in, line);) {
        if (!columns) {
            const std::size_t refresh = line.find("refresh  "), change = line.find("a change  "),
                              describe = line.find("describe,  "), start = line.find("  start");
            if (refresh != std::string::npos && start != std::string::npos)
                columns = {refresh, change, describe, start + 2};
            continue;
        }
        const auto cell = [&](std::size_t begin, std::size_t end) {
            return begin < line.size() ? trimmed(line.substr(begin, end - begin)) : std::string();
        };
        const auto& [refresh, change, describe, start] = *columns;
        const std::string code = cell(2, refresh);
        if (code.empty() && cell(2, line.size()).empty()) break;
        if (!code.empty()) rows.emplace_back().code = code;
        if (rows.empty()) continue;  // the second line of the names of the columns
        for (const auto& [text, part] : {std::pair(&rows.back().refresh, cell(refresh, change)),
                                         std::pair(&rows.back().change, cell(change, describe)),
                                         std::pair(&rows.back().start, cell(start, line.size()))})
            if (!part.empty()) *text += (text->empty() ? "" : " ") + part;
    }
    return rows;
}

/// Of increase, decrease_target, remove, create_group and destroy_group.
using OfChanges = std::array<Reaction, 5>;
constexpr std::array changes{Call::increase, Call::decrease_target, Call::remove,
                             Call::create_group, Call::destroy_group};

constexpr OfChanges all(Reaction reaction) {
    return {reaction, reaction, reaction, reaction, reaction};
}

// What the phrases of the header mean.
const std::map<std::string, Reaction> refresh_phrases{
    {"again", Reaction::again},
    {"again, a bug", Reaction::report_bug},
    {"cloud backed off", Reaction::back_off_cloud},
    {"credentials", Reaction::await_credentials},
};
const std::map<std::string, OfChanges> change_phrases{
    {"again", all(Reaction::again)},
    {"backed off", all(Reaction::back_off)},
    {"backed off, a bug", all(Reaction::report_bug)},
    {"cloud backed off", all(Reaction::back_off_cloud)},
    {"credentials", all(Reaction::await_credentials)},
    {"decided again in the next pass", all(Reaction::decide_again)},
    {"again (`increase`); else backed off",
     {Reaction::again, Reaction::back_off, Reaction::back_off, Reaction::back_off,
      Reaction::back_off}},
    {"not made for that group for a day", all(Reaction::suspend)},
    {"outcome unknown, as above; decided again in the next pass", all(Reaction::decide_again)},
    {"outcome unknown: counts as requested until `refresh` shows the outcome, for 2 min at most",
     all(Reaction::await_outcome)},
    {"the object is gone: `refresh` shows it; `remove` and `destroy` count as done",
     all(Reaction::treat_as_gone)},
};
const std::map<std::string, Reaction> start_phrases{
    {"later", Reaction::restart_later},
    {"refused", Reaction::disable},
};

/// "OUT_OF_CAPACITY" -> ErrorCode::out_of_capacity
std::optional<ErrorCode> find_code(const std::string& name) {
    std::string lower;
    for (const char c : name)
        lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (int code = 1; code <= CAPSTAN_E_BUSY; ++code)
        if (name_of(static_cast<ErrorCode>(code)) == lower) return static_cast<ErrorCode>(code);
    return std::nullopt;
}

TEST(Reactions, MatchTheTableInErrorH) {
    const std::vector<HeaderRow> rows = header_rows();
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(CAPSTAN_E_BUSY)) << "in " << header;
    for (const HeaderRow& row : rows) {
        SCOPED_TRACE(row.code);
        const auto code = find_code(row.code);
        ASSERT_TRUE(code);
        ASSERT_TRUE(refresh_phrases.contains(row.refresh)) << row.refresh;
        EXPECT_EQ(reaction_to(Call::refresh, *code), refresh_phrases.at(row.refresh));
        ASSERT_TRUE(change_phrases.contains(row.change)) << row.change;
        for (std::size_t i = 0; i < changes.size(); ++i)
            EXPECT_EQ(reaction_to(changes[i], *code), change_phrases.at(row.change)[i]) << i;
        ASSERT_TRUE(start_phrases.contains(row.start)) << row.start;
        EXPECT_EQ(reaction_to(Call::start, *code), start_phrases.at(row.start));
        EXPECT_EQ(is_outcome_open(Call::increase, {.code = *code, .message = "failed"}),
                  row.change.starts_with("outcome unknown"));
    }
}

TEST(Reactions, KnowTheOutcomeOfACallThatWasNotMade) {
    EXPECT_FALSE(is_outcome_open(Call::increase, {.code = ErrorCode::cancelled,
                                                  .message = "given up",
                                                  .provider_code = std::string(not_asked)}));
}

}  // namespace
}  // namespace capstan::engine::health
