#include "simulation/trace/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <capstan/sentence.hpp>
#include <capstan/whole_number.hpp>

#include "io/gzip.hpp"

namespace capstan::simulation::trace {
namespace {

/// Takes the values of one row off `text`, and counts the lines it goes over. Nothing: a quote is
/// not closed.
std::optional<std::vector<std::string>> take_row(std::string_view& text, std::size_t& lines) {
    std::vector<std::string> values(1);
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
            values.back() += text[++at];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            values.emplace_back();
        } else if (c == '\n' && !quoted) {
            break;
        } else {
            values.back() += c;
        }
    }
    const std::size_t taken = std::min(at + 1, text.size());
    lines = static_cast<std::size_t>(std::count(text.begin(), text.begin() + taken, '\n'));
    text.remove_prefix(taken);
    if (quoted) return std::nullopt;
    if (values.back().ends_with('\r')) values.back().pop_back();
    return values;
}

bool is_empty(const std::vector<std::string>& values) {
    return values.size() == 1 && values.front().empty();
}

std::string line_place(const std::string& name, std::size_t line) {
    return name + ":" + std::to_string(line);
}

}  // namespace

const std::string& CsvRow::text(std::string_view column) const {
    const auto at = std::ranges::find(*header_, column);
    return values_[static_cast<std::size_t>(at - header_->begin())];
}

Error CsvRow::error_about(std::string_view column, std::string_view expected) const {
    return Error{.code = ErrorCode::invalid_argument,
                 .message = place_ + ": " + std::string(column) + ": expects " +
                            std::string(expected) + ", found " + in_quotes(text(column))};
}

Result<std::int64_t> CsvRow::natural(std::string_view column) const {
    const auto number = find_whole_number(text(column));
    if (number && *number >= 0) return *number;
    return fail(error_about(column, "a whole number of 0 or more"));
}

Result<std::optional<std::int64_t>> CsvRow::find_natural(std::string_view column) const {
    if (text(column).empty()) return std::optional<std::int64_t>();
    CAPSTAN_TRY(const std::int64_t number, natural(column));
    return std::optional(number);
}

Result<double> CsvRow::number(std::string_view column) const {
    const std::string& written = text(column);
    double value = 0;
    const auto [end, error] =
        std::from_chars(written.data(), written.data() + written.size(), value);
    const bool whole = error == std::errc() && end == written.data() + written.size();
    if (whole && std::isfinite(value) && value >= 0) return value;
    return fail(error_about(column, "a number of 0 or more"));
}

Result<CsvTable> CsvTable::read(const std::filesystem::path& file) {
    CAPSTAN_TRY(const std::string text, io::read_text(file));
    return parse(file.string(), text);
}

Result<CsvTable> CsvTable::parse(std::string name, std::string_view text) {
    CsvTable out;
    out.name_ = std::move(name);
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::size_t lines = 0;
    for (std::size_t line = 1; !text.empty(); line += lines) {
        auto values = take_row(text, lines);
        const std::string place = line_place(out.name_, line);
        if (!values)
            return fail(ErrorCode::invalid_argument, place + ": a quote is opened and not closed");
        if (is_empty(*values)) continue;
        if (out.header_.empty()) {
            out.header_ = std::move(*values);
        } else if (values->size() != out.header_.size()) {
            return fail(ErrorCode::invalid_argument,
                        place + ": has " + counted(values->size(), "value") +
                            ", the header names " + std::to_string(out.header_.size()));
        } else {
            out.rows_.push_back({line, std::move(*values)});
        }
    }
    return out;
}

bool CsvTable::has(std::string_view column) const {
    return std::ranges::find(header_, column) != header_.end();
}

CsvRow CsvTable::row(std::size_t index) const {
    const Line& line = rows_[index];
    return CsvRow(header_, line.values, line_place(name_, line.number));
}

}  // namespace capstan::simulation::trace
