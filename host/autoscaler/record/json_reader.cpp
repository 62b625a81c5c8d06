#include "autoscaler/record/json_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include <boost/json.hpp>

#include <capstan/utf8.hpp>

#include "config/text.hpp"
#include "io/printable.hpp"
#include "io/text_format.hpp"

namespace capstan::autoscaler::record {
namespace {

namespace json = boost::json;

/// A position in a text, and the printable line around it. A long line is cut.
struct TextExcerpt {
    std::size_t line = 1, column = 1;
    std::string before, after;  ///< the line's text before and after the position
};

std::string joined(const std::vector<std::string>& characters, std::size_t first,
                   std::size_t last) {
    std::string out;
    for (std::size_t i = first; i < last; ++i) out += characters[i];
    return out;
}

/// The excerpt around the byte `at`.
TextExcerpt excerpt_of(std::string_view text, std::size_t at) {
    constexpr std::size_t shown = 60;  // characters on either side
    at = std::min(at, text.size());
    const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    const auto before = config::printable_characters(text.substr(start, at - start));
    const auto after = config::printable_characters(text.substr(at, std::min(end - at, shown * 4)));
    TextExcerpt out;
    out.line += static_cast<std::size_t>(
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    out.column += before.size();
    out.before = joined(before, before.size() - std::min(before.size(), shown), before.size());
    out.after = joined(after, 0, std::min(after.size(), shown));
    return out;
}

Unexpected not_json(std::string_view text, std::string_view name, std::size_t at,
                    const std::string& why) {
    const TextExcerpt place = excerpt_of(text, at);
    return fail(ErrorCode::invalid_argument,
                std::string(name) + ":" + std::to_string(place.line) + ":" +
                    std::to_string(place.column) + ": not JSON: " + why + "\n    " + place.before +
                    place.after + "\n    " + std::string(count_characters(place.before), ' ') +
                    "^");
}

std::string json_reason(const json::error_code& error) {
    if (error == json::error::incomplete) return "ends too early";
    if (error == json::error::too_deep)
        return "nested deeper than " + std::to_string(json_depth_max) + " levels";
    if (error == json::error::extra_data) return "extra text after the end";
    return error.message();
}

}  // namespace

Result<std::string> read_all(std::istream& in, std::size_t limit) {
    std::string out;
    std::array<char, 65536> part{};
    while (in.read(part.data(), part.size()), in.gcount() > 0) {
        out.append(part.data(), static_cast<std::size_t>(in.gcount()));
        if (out.size() > limit) {
            return fail(ErrorCode::invalid_argument,
                        "longer than " + to_string(Bytes(static_cast<std::int64_t>(limit))));
        }
    }
    if (in.bad()) return fail(ErrorCode::unavailable, "cannot be read");
    return out;
}

Result<json::value> parse_json(std::string_view text, std::string_view name) {
    if (io::is_blank(text))
        return fail(ErrorCode::invalid_argument,
                    std::string(name) + ": is empty, expected a JSON object");
    json::parse_options options;
    options.max_depth = json_depth_max;
    json::parser parser({}, options);
    json::error_code error;
    std::size_t read = parser.write_some(text.data(), text.size(), error);
    if (!error && read < text.size()) error = json::error::extra_data;
    if (error) return not_json(text, name, read, json_reason(error));
    return parser.release();
}

void refuse_unknown(const kubernetes::JsonCursor& object,
                    std::initializer_list<std::string_view> known) {
    for (const kubernetes::JsonCursor& member : object.members()) {
        if (std::ranges::find(known, member.key()) != known.end()) continue;
        member.complain(
            "is unknown" +
            config::suggestion(member.key(), std::vector<std::string>(known.begin(), known.end())));
    }
}

std::string problems_text(const kubernetes::JsonProblems& problems, std::string_view name) {
    std::string out;
    for (const kubernetes::JsonProblem& problem : problems.kept()) {
        const std::string place =
            problem.pointer.empty() ? "" : ": " + config::printable(problem.pointer);
        out += std::string(name) + place + ": " + config::printable(problem.what) + "\n";
    }
    if (problems.left_out() > 0)
        out += "... and " + std::to_string(problems.left_out()) + " more\n";
    return out;
}

namespace {

bool is_plain(char c) noexcept { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

void JsonText::key(std::string_view key) {
    separate();
    append(key);
    out_ += ':';
}

void JsonText::text(std::string_view text) {
    separate();
    append(text);
    needs_comma_ = true;
}

void JsonText::text_member(std::string_view name, std::string_view value) {
    key(name);
    text(value);
}

void JsonText::whole(std::int64_t number) {
    separate();
    out_ += std::to_string(number);
    needs_comma_ = true;
}

void JsonText::natural(std::uint64_t number) {
    separate();
    out_ += std::to_string(number);
    needs_comma_ = true;
}

void JsonText::boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
    needs_comma_ = true;
}

void JsonText::null() {
    separate();
    out_ += "null";
    needs_comma_ = true;
}

void JsonText::begin(char bracket) {
    separate();
    out_ += bracket;
}

void JsonText::end(char bracket) {
    out_ += bracket;
    needs_comma_ = true;
}

void JsonText::separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = false;
}

void JsonText::append(std::string_view text) {
    if (std::ranges::all_of(text, is_plain)) {
        ((out_ += '"') += text) += '"';
    } else {
        out_ += io::json_quoted(io::repaired(text));
    }
}

}  // namespace capstan::autoscaler::record
