#include "rows.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <stdexcept>

namespace capstan::hostile {
namespace {

const std::set<std::string, std::less<>> known_keys{
    "kind",        "at",           "act",          "limits",   "config",     "log",
    "within",      "exit_codes",   "may_continue", "next_log", "serves",     "admin_responds",
    "wants_rogue", "stops_within", "stops_with",   "last_log", "runs_again", "admin",
    "grows_rogue"};

template <class T>
std::vector<T> list_of(const toml::table& row, const char* key, std::vector<T> fallback) {
    const toml::array* const list = row[key].as_array();
    if (list == nullptr) {
        if (const auto one = row[key].value<T>()) return {*one};
        return fallback;
    }
    std::vector<T> out;
    for (const toml::node& item : *list) out.push_back(item.value<T>().value());
    return out;
}

std::chrono::seconds seconds_of(const toml::table& row, const char* key,
                                std::chrono::seconds fallback) {
    return std::chrono::seconds(row[key].value_or(fallback.count()));
}

Row read_row(const toml::table& table) {
    for (const auto& [key, value] : table)
        if (!known_keys.contains(key.str()))
            throw std::runtime_error("a row has the unknown key " + std::string(key.str()));
    Row out;
    out.kind = table["kind"].value_or(std::string());
    out.at = table["at"].value_or(std::string());
    out.act = table["act"].value_or(std::string());
    out.limits = table["limits"].value_or(std::string());
    out.config = table["config"].value_or(std::string());
    out.log = list_of<std::string>(table, "log", {});
    out.within = seconds_of(table, "within", out.within);
    out.exit_codes = list_of<int>(table, "exit_codes", {});
    out.may_continue = table["may_continue"].value_or(out.may_continue);
    out.next_log = list_of<std::string>(table, "next_log", {});
    out.serves = table["serves"].value_or(out.serves);
    out.admin_responds = table["admin_responds"].value_or(out.admin_responds);
    out.wants_rogue = table["wants_rogue"].value_or(out.wants_rogue);
    out.stops_within = seconds_of(table, "stops_within", out.stops_within);
    out.stops_with = list_of<int>(table, "stops_with", out.stops_with);
    out.runs_again = table["runs_again"].value_or(out.runs_again);
    out.admin = list_of<std::string>(table, "admin", {});
    out.grows_rogue = table["grows_rogue"].value_or(out.grows_rogue);
    out.last_log = list_of<std::string>(table, "last_log", {});
    return out;
}

}  // namespace

std::string name_of(const Row& row) { return row.kind + "_" + row.at + "_" + row.act; }

void PrintTo(const Row& row, std::ostream* out) { *out << name_of(row); }

std::vector<Row> all_rows() {
    std::vector<Row> out;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(CAPSTAN_HOSTILE_TABLES))
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    std::ranges::sort(files);
    for (const std::filesystem::path& file : files) {
        const toml::table table = toml::parse_file(file.string());
        for (const toml::node& row : *table["row"].as_array())
            out.push_back(read_row(*row.as_table()));
    }
    return out;
}

}  // namespace capstan::hostile
