#include "simulator/api_server/tables.hpp"

#include <charconv>
#include <utility>

#include <capstan/time_text.hpp>

#include "simulator/api_server/table_columns.hpp"

namespace capstan::simulator::api_server {
namespace {

using namespace std::chrono;

std::string in_unit(std::int64_t count, const char* unit) { return std::to_string(count) + unit; }

/// "3h25m"; without the finer part if it is zero.
std::string two_parts(std::int64_t coarse, const char* unit, std::int64_t fine,
                      const char* fine_unit) {
    return in_unit(coarse, unit) + (fine == 0 ? "" : in_unit(fine, fine_unit));
}

json::array definitions(const std::vector<TableColumn>& columns) {
    json::array out;
    for (const TableColumn& column : columns)
        out.push_back(json::object{{"name", column.name},
                                   {"type", column.type},
                                   {"format", column.name == "Name" ? "name" : ""},
                                   {"description", ""},
                                   {"priority", column.priority}});
    return out;
}

}  // namespace

std::string human_duration(Duration age) {
    const std::int64_t s = duration_cast<seconds>(age).count();
    const std::int64_t m = s / 60, h = m / 60, d = h / 24;
    if (s < -1) return "<invalid>";
    if (s < 0) return "0s";
    if (s < 120) return in_unit(s, "s");
    if (m < 10) return two_parts(m, "m", s % 60, "s");
    if (m < 180) return in_unit(m, "m");
    if (h < 8) return two_parts(h, "h", m % 60, "m");
    if (h < 48) return in_unit(h, "h");
    if (h < 192) return two_parts(d, "d", h % 24, "h");
    if (d < 2 * 365) return in_unit(d, "d");
    if (d < 8 * 365) return two_parts(d / 365, "y", d % 365, "d");
    return in_unit(d / 365, "y");
}

std::string age_text(std::string_view timestamp, Time now) {
    const auto since = find_rfc3339(timestamp);
    return since ? human_duration(now - *since) : "<unknown>";
}

json::object metadata_of(const json::object& object, std::string_view meta_version) {
    const json::object* metadata = find_object(object, "metadata");
    return {{"kind", "PartialObjectMetadata"},
            {"apiVersion", "meta.k8s.io/" + std::string(meta_version)},
            {"metadata", metadata == nullptr ? json::object() : *metadata}};
}

json::object make_table(const ResourceKind& kind, const std::vector<ApiObject>& objects,
                        json::object list_metadata, std::string_view meta_version,
                        RowObject row_object, Time now) {
    const std::vector<TableColumn> columns = columns_of(kind);
    json::array rows;
    for (const ApiObject& object : objects) {
        json::array cells;
        for (const TableColumn& column : columns) cells.push_back(column.cell(*object, now));
        json::object row{{"cells", std::move(cells)}};
        if (row_object == RowObject::metadata) row["object"] = metadata_of(*object, meta_version);
        if (row_object == RowObject::object) row["object"] = *object;
        rows.push_back(std::move(row));
    }
    return {{"kind", "Table"},
            {"apiVersion", "meta.k8s.io/" + std::string(meta_version)},
            {"metadata", std::move(list_metadata)},
            {"columnDefinitions", definitions(columns)},
            {"rows", std::move(rows)}};
}

// JSON paths.

namespace {

using Values = std::vector<const json::value*>;

std::string_view unquoted(std::string_view text) {
    while (!text.empty() && std::string_view(" '\"").find(text.front()) != std::string_view::npos)
        text.remove_prefix(1);
    while (!text.empty() && std::string_view(" '\"").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    return text;
}

void go_to_member(Values& values, std::string_view name) {
    Values out;
    for (const json::value* value : values) {
        const json::object* object = value->if_object();
        const json::value* member =
            object == nullptr ? nullptr : object->if_contains(json_view(name));
        if (member != nullptr) out.push_back(member);
    }
    values = std::move(out);
}

/// Whether the value matches a filter: `?(@.type=="Ready")`.
bool passes(const json::value& value, std::string_view filter) {
    if (filter.ends_with(')')) filter.remove_suffix(1);
    const std::size_t equals = filter.find("==");
    const std::size_t open = filter.find("@.");
    const json::object* object = value.if_object();
    if (object == nullptr || equals == std::string_view::npos || open == std::string_view::npos)
        return false;
    const std::string_view path = unquoted(filter.substr(open + 2, equals - open - 2));
    return text_at(*object, path) == unquoted(filter.substr(equals + 2));
}

void go_to_elements(Values& values, std::string_view bracket) {
    Values out;
    for (const json::value* value : values) {
        const json::array* list = value->if_array();
        if (list == nullptr) continue;
        std::size_t index = 0;
        const auto parsed = std::from_chars(bracket.data(), bracket.data() + bracket.size(), index);
        for (std::size_t i = 0; i < list->size(); ++i) {
            const bool is_meant = bracket == "*" ||
                                  (bracket.starts_with("?(") && passes((*list)[i], bracket)) ||
                                  (parsed.ec == std::errc() && i == index);
            if (is_meant) out.push_back(&(*list)[i]);
        }
    }
    values = std::move(out);
}

}  // namespace

std::vector<const json::value*> values_at(const json::object& object, std::string_view path) {
    Values values;
    bool is_first = true;
    while (!path.empty()) {
        if (path.front() == '.') path.remove_prefix(1);
        if (path.starts_with('[')) {
            const std::size_t close = path.find(']');
            if (close == std::string_view::npos) return {};
            const std::string_view inside = path.substr(1, close - 1);
            path.remove_prefix(close + 1);
            if (inside.starts_with('\'') || inside.starts_with('"')) {
                go_to_member(values, unquoted(inside));
            } else {
                go_to_elements(values, inside);
            }
            continue;
        }
        std::size_t end = 0;
        std::string name;
        for (; end < path.size() && path[end] != '.' && path[end] != '['; ++end) {
            if (path[end] == '\\' && end + 1 < path.size()) ++end;
            name += path[end];
        }
        path.remove_prefix(end);
        if (!is_first) {
            go_to_member(values, name);
        } else if (const json::value* member = object.if_contains(name)) {
            values.push_back(member);
        }
        is_first = false;
    }
    return values;
}

}  // namespace capstan::simulator::api_server
