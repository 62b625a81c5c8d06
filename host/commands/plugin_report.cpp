#include "commands/plugin_report.hpp"

#include <utility>

#include <boost/json.hpp>

#include "commands/json_texts.hpp"
#include "commands/table.hpp"
#include "commands/value_text.hpp"
#include "io/printable.hpp"
#include "runtime/plugin_files/trust.hpp"
#include "runtime/plugin_files/unloading.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

using Rows = std::vector<std::vector<std::string>>;

/// Bytes of one text of a file that a person is shown.
constexpr std::size_t text_max = 4096;
/// Names of symbols that a person is shown.
constexpr std::size_t names_max = 5;

std::string abi_version(int major, int minor) {
    return std::to_string(major) + "." + std::to_string(minor);
}

std::string text_of(const json::value& v) {
    if (v.is_string()) return io::printable(std::string_view(v.get_string()), text_max);
    if (v.is_bool()) return v.get_bool() ? "yes" : "no";
    if (!v.is_array()) return json_line(v);
    std::string out;
    for (const json::value& item : v.get_array()) out += (out.empty() ? "" : ", ") + text_of(item);
    return out;
}

/// "yes" or "no: why".
std::string yes_or_why(const json::value& v) {
    return v.is_string() ? "no: " + text_of(v) : text_of(v);
}

void print_settings(std::ostream& out, const json::array& settings, const std::string& indent) {
    std::vector<std::vector<std::string>> rows{{"SETTING", "TYPE", "DEFAULT", ""}};
    for (const json::value& v : settings) {
        const json::object& field = v.get_object();
        const json::value* fallback = field.if_contains("default");
        std::string doc = text_of(field.at("doc"));
        if (field.contains("live")) doc += " Takes effect without a restart.";
        if (field.contains("deprecated"))
            doc += " Deprecated: use " + text_of(field.at("deprecated")) + ".";
        rows.push_back({text_of(field.at("key")), text_of(field.at("type")),
                        field.contains("required") ? "(required)"
                        : fallback != nullptr      ? text_of(*fallback)
                                                   : "-",
                        std::move(doc)});
    }
    print_table(out, rows, indent);
    for (const json::value& v : settings) {
        const json::object& field = v.get_object();
        if (!field.contains("fields")) continue;
        out << indent << "of " << text_of(field.at("key")) << ":\n";
        print_settings(out, field.at("fields").get_array(), indent + "  ");
    }
}

void print_class(std::ostream& out, const json::object& c) {
    out << "\nclass " << text_of(c.at("id")) << "  " << text_of(c.at("kind"))
        << (c.at("used").get_bool() ? "" : " (a kind this host does not use)")
        << (c.at("pure").get_bool() ? ", pure" : "")
        << (c.at("parallel").get_bool() ? ", parallel" : ", serial") << "\n  "
        << text_of(c.at("doc")) << '\n';
    if (const json::value* error = c.if_contains("schema_error")) {
        out << "  settings cannot be read: " << text_of(*error) << '\n';
    } else if (c.at("settings").get_array().empty()) {
        out << "  no settings\n";
    } else {
        print_settings(out, c.at("settings").get_array(), "  ");
    }
}

/// Of the symbols beside the entry, the names of the first few.
json::object exports_of(const runtime::plugin_files::ElfFacts& elf) {
    json::array others;
    for (const runtime::plugin_files::ElfSymbol& symbol : elf.exports)
        if (symbol.name != CAPSTAN_ENTRY_SYMBOL && others.size() < names_max)
            others.emplace_back(symbol.name);
    return {{"entry", CAPSTAN_ENTRY_SYMBOL},
            {"others", elf.exports.size() - 1},
            {"names_of_others", std::move(others)}};
}

std::string exports_text(const json::object& exports) {
    const auto others = exports.at("others").to_number<std::size_t>();
    std::string out = text_of(exports.at("entry"));
    if (others == 0) return out;
    return out + " and " + std::to_string(others) +
           " more: " + text_of(exports.at("names_of_others")) + (others > names_max ? ", ..." : "");
}

json::array libraries_of(const std::vector<runtime::plugin_files::NeededLibrary>& libraries) {
    json::array out;
    for (const runtime::plugin_files::NeededLibrary& library : libraries)
        out.push_back(json::object{{"name", library.name},
                                   {"needed_by", library.needed_by},
                                   {"found", runtime::plugin_files::name_of(library.found)},
                                   {"file", library.file.string()}});
    return out;
}

/// What the plugin itself needs, and of what those need all that is not simply the system's.
bool is_worth_a_line(const json::object& library) {
    const std::string found = text_of(library.at("found"));
    return text_of(library.at("needed_by")).empty() ||
           (found != runtime::plugin_files::name_of(
                         runtime::plugin_files::NeededLibrary::Found::loaded) &&
            found != runtime::plugin_files::name_of(
                         runtime::plugin_files::NeededLibrary::Found::system));
}

std::string library_line(const json::object& library) {
    const std::string file = text_of(library.at("file")), by = text_of(library.at("needed_by"));
    std::string out = text_of(library.at("name"));
    if (!by.empty()) out += " of " + by;
    return out + ": " + (file.empty() ? "" : file + ", ") + text_of(library.at("found"));
}

void add_libraries(const json::object& report, Rows& rows) {
    std::string title = "needs";
    for (const json::value& v : report.at("libraries").get_array())
        if (is_worth_a_line(v.get_object()))
            rows.push_back({std::exchange(title, ""), library_line(v.get_object())});
    for (const json::value& doubt : report.at("warnings").get_array())
        rows.push_back({"warning", text_of(doubt)});
}

Rows rows_of_what_was_read(const json::object& report) {
    Rows rows;
    const auto row = [&](const char* name, std::string value) {
        rows.push_back({name, std::move(value)});
    };
    row("file", text_of(report.at("file")));
    row("size", text_of(report.at("size_bytes")) + " bytes");
    row("owner", "user " + text_of(report.at("owner")) + ", mode " + text_of(report.at("mode")));
    row("plugin", text_of(report.at("plugin")) + " " + text_of(report.at("version")));
    row("ABI", "requires " + text_of(report.at("abi_required")) + ", built with " +
                   text_of(report.at("abi_built")) + " (SDK " + text_of(report.at("sdk")) + ")");
    row("kinds", text_of(report.at("kinds")));
    if (const json::value* drafts = report.if_contains("drafts"))
        row("drafts", text_of(*drafts) + ": served with `drafts = true` in [trust] alone");
    row("exports", exports_text(report.at("exports").get_object()));
    add_libraries(report, rows);
    row("versions", text_of(report.at("symbol_versions")));
    if (const json::value* paths = report.if_contains("run_paths"))
        row("run paths", text_of(*paths));
    if (const json::value* why = report.if_contains("never_unloads"))
        row("unloads", "no: " + text_of(*why));
    row("pin", "sha256 = \"" + text_of(report.at("sha256")) + "\"");
    if (!report.contains("loads"))
        row("not known",
            "vendor, classes and settings, and whether it loads: only its own code "
            "tells, which --run asks");
    return rows;
}

void print_what_was_told(std::ostream& out, const json::object& report) {
    const std::string lacks = text_of(report.at("missing_confinement"));
    out << "\nIts own code was run in a confined child process"
        << (lacks.empty() ? "" : ", but " + lacks) << ". It says:\n";
    Rows rows;
    if (const json::value* vendor = report.if_contains("vendor"))
        rows.push_back({"vendor", text_of(*vendor)});
    rows.push_back({"loads", yes_or_why(report.at("loads"))});
    if (const json::value* unloads = report.if_contains("unloads"))
        rows.push_back({"unloads", yes_or_why(*unloads)});
    print_table(out, rows);
    if (const json::value* classes = report.if_contains("classes")) {
        for (const json::value& c : classes->get_array()) print_class(out, c.get_object());
    }
}

}  // namespace

json::object describe_file(const runtime::plugin_files::PluginFacts& facts,
                           const runtime::services::DraftIds& drafts) {
    json::object out{
        {"file", facts.path.string()},
        {"size_bytes", facts.size},
        {"owner", facts.owner},
        {"mode", runtime::plugin_files::octal(facts.mode)},
        {"sha256", facts.sha256},
        {"plugin", facts.note.plugin_id},
        {"version", facts.note.version},
        {"sdk", facts.note.sdk},
        {"abi_required", abi_version(facts.note.abi_major, facts.note.abi_minor_required)},
        {"abi_built", abi_version(facts.note.abi_major, facts.note.abi_minor_built)},
        {"kinds", array_of_texts(facts.note.kinds)},
        {"machine", facts.elf.machine},
        {"exports", exports_of(facts.elf)},
        {"needs", array_of_texts(facts.elf.needed)},
        {"libraries", libraries_of(facts.libraries)},
        {"warnings", array_of_texts(facts.warnings)},
        {"symbol_versions", array_of_texts(facts.elf.floors)}};
    json::array draft_kinds;
    for (const std::string& kind : facts.note.kinds)
        if (drafts.contains(kind)) draft_kinds.emplace_back(kind);
    if (!draft_kinds.empty()) out["drafts"] = std::move(draft_kinds);
    if (!facts.elf.run_paths.empty()) out["run_paths"] = array_of_texts(facts.elf.run_paths);
    if (const auto why = runtime::plugin_files::reason_to_keep(facts.elf))
        out["never_unloads"] = *why;
    return out;
}

void print_report(std::ostream& out, const json::object& report) {
    print_table(out, rows_of_what_was_read(report));
    if (report.contains("loads")) print_what_was_told(out, report);
}

}  // namespace capstan::commands
