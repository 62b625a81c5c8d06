#include "simulation/api_server/tables.hpp"

#include <boost/json/serialize.hpp>

namespace capstan::simulation {
namespace {

using namespace std::chrono;

std::string in_unit(std::int64_t count, const char* unit) { return std::to_string(count) + unit; }

/// "3h25m"; the finer part only where there is one.
std::string two_parts(std::int64_t coarse, const char* unit, std::int64_t fine,
                      const char* fine_unit) {
    return in_unit(coarse, unit) + (fine == 0 ? "" : in_unit(fine, fine_unit));
}

json::value custom_cell(const json::object& object, const PrinterColumn& column, Time now) {
    const auto found = values_at(object, column.json_path);
    if (found.empty() || found.front()->is_null()) return nullptr;
    const json::value& value = *found.front();
    if (column.type == "date")
        return json::value(value.is_string() ? age_text(view(value.get_string()), now)
                                             : "<unknown>");
    if (column.type == "string" && !value.is_string()) return json::value(json::serialize(value));
    return value;
}

bool has_own_columns(const ResourceKind& kind) { return kind.is_custom && !kind.columns.empty(); }

std::vector<TableColumn> columns_of(const ResourceKind& kind) {
    if (const TableLayout* layout = find_layout(kind)) return layout->columns;
    std::vector<TableColumn> out = {{"Name"}};
    if (!has_own_columns(kind)) {
        out.push_back({"Age"});
        return out;
    }
    for (const PrinterColumn& column : kind.columns)
        out.push_back({column.name, column.type, column.priority});
    return out;
}

json::array row_cells(const ResourceKind& kind, const json::object& object, Time now) {
    if (const TableLayout* layout = find_layout(kind)) return layout->cells(object, now);
    json::array out = {json_view(text_at(object, "metadata.name"))};
    if (!has_own_columns(kind))
        out.emplace_back(age_text(text_at(object, "metadata.creationTimestamp"), now));
    else
        for (const PrinterColumn& column : kind.columns)
            out.push_back(custom_cell(object, column, now));
    return out;
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
    const auto since = parse_timestamp_text(timestamp);
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
    json::array rows;
    for (const ApiObject& object : objects) {
        json::object row{{"cells", row_cells(kind, *object, now)}};
        if (row_object == RowObject::metadata) row["object"] = metadata_of(*object, meta_version);
        if (row_object == RowObject::object) row["object"] = *object;
        rows.push_back(std::move(row));
    }
    return {{"kind", "Table"},
            {"apiVersion", "meta.k8s.io/" + std::string(meta_version)},
            {"metadata", std::move(list_metadata)},
            {"columnDefinitions", definitions(columns_of(kind))},
            {"rows", std::move(rows)}};
}

}  // namespace capstan::simulation
