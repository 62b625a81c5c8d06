#include "config/diagnostics.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "config/text.hpp"
#include "io/file_descriptor.hpp"

namespace capstan::config {
namespace {

constexpr std::size_t columns_max = 120;
const std::string indent = "    ";

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// The line as one element a column, with '*' in hidden places.
std::vector<std::string> columns_of(std::string_view line, std::size_t number,
                                    const std::vector<Place>& hidden) {
    std::vector<std::string> columns = printable_characters(line);
    for (const Place& place : hidden) {
        if (place.line != number || place.column == 0) continue;
        const std::size_t first = place.column - 1;
        const std::size_t end = place.length > 1 ? first + place.length : columns.size();
        for (std::size_t i = first; i < std::min(end, columns.size()); ++i) columns[i] = "*";
    }
    return columns;
}

/// The line with carets below `place`. A long line is cut to a window that starts shortly before
/// the place.
std::string excerpt(const std::vector<std::string>& shown, const Place& place) {
    const std::size_t column = place.column > 0 ? place.column - 1 : 0;
    const std::size_t first = std::min(column, shown.size());
    const std::size_t start = first > columns_max / 2 ? first - columns_max / 3 : 0;
    const std::size_t end = std::min(shown.size(), start + columns_max);
    const std::size_t room = std::max<std::size_t>(end - first, 1);
    const std::size_t carets = std::clamp<std::size_t>(place.length, 1, room);
    const std::string cut = start > 0 ? "..." : "";
    std::string out = indent + cut;
    for (std::size_t i = start; i < end; ++i) out += shown[i];
    out += end < shown.size() ? "...\n" : "\n";
    return out + indent + std::string(cut.size() + first - start, ' ') + std::string(carets, '^') +
           '\n';
}

Unexpected unreadable(std::string why) { return fail(ErrorCode::invalid_config, std::move(why)); }

}  // namespace

Result<Source> read_source(const std::filesystem::path& file) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status))
        return unreadable(error ? error.message() : "no such file");
    // Checked before opening, because opening a named pipe would wait for its other end.
    if (!std::filesystem::is_regular_file(status)) return unreadable("not a regular file");
    std::ifstream in(file, std::ios::binary);
    if (!in) return unreadable("cannot be opened: " + io::errno_message());
    std::string text(max_source_bytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad()) return unreadable("cannot be read");
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_source_bytes) return unreadable("larger than 1 MiB");
    return Source{file.string(), std::move(text)};
}

void Diagnostics::error(Place place, std::string message) {
    all_.push_back({place, Severity::error, std::move(message)});
    ++errors_;
}

void Diagnostics::warning(Place place, std::string message) {
    all_.push_back({place, Severity::warning, std::move(message)});
}

void Diagnostics::hide(Place place) { hidden_.push_back(place); }

std::vector<Diagnostic> Diagnostics::sorted() const {
    std::vector<std::size_t> order(all_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [this](std::size_t i) {
        return std::tuple(all_[i].place.line, all_[i].place.column, i);
    });
    std::vector<Diagnostic> out;
    out.reserve(order.size());
    for (const std::size_t i : order) out.push_back(all_[i]);
    return out;
}

std::string Diagnostics::heading(const Diagnostic& d) const {
    std::string out = source_.name;
    if (d.place.line > 0)
        out += ":" + std::to_string(d.place.line) + ":" + std::to_string(d.place.column);
    if (d.place.option > 0 && d.place.option <= options_.size())
        out = "--set " + shortened(options_[d.place.option - 1], 80);
    return out + ": " + (d.severity == Severity::warning ? "warning: " : "") +
           printable(d.message) + "\n";
}

std::string Diagnostics::text() const {
    const std::vector<Diagnostic> all = sorted();
    const std::vector<std::string_view> lines = split_lines(source_.text);
    std::string out;
    for (std::size_t i = 0; i < std::min(all.size(), shown_max); ++i) {
        out += heading(all[i]);
        const std::size_t line = all[i].place.line;
        if (line > 0 && line <= lines.size())
            out += excerpt(columns_of(lines[line - 1], line, hidden_), all[i].place);
    }
    if (all.size() > shown_max)
        out += "... and " + std::to_string(all.size() - shown_max) + " more\n";
    return out;
}

}  // namespace capstan::config
