#include "plugin_tool/plugin_report.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

#include "autoscaler/kinds.hpp"
#include "commands/child_process.hpp"
#include "commands/table.hpp"
#include "commands/value_text.hpp"
#include "config/schema.hpp"
#include "io/printable.hpp"
#include "plugin_runtime/plugin_files/library_registry.hpp"
#include "plugin_runtime/plugin_files/trust.hpp"
#include "plugin_runtime/plugin_files/unloading.hpp"

namespace capstan::plugin_tool {
namespace {

namespace json = boost::json;

using Rows = std::vector<std::vector<std::string>>;

/// The most bytes of one text from a file that the report shows.
constexpr std::size_t text_max = 4096;
/// The most names of symbols that the report lists.
constexpr std::size_t names_max = 5;

std::string abi_version(int major, int minor) {
    return std::to_string(major) + "." + std::to_string(minor);
}

std::string text_of(const json::value& v) {
    if (v.is_string()) return io::printable(std::string_view(v.get_string()), text_max);
    if (v.is_bool()) return v.get_bool() ? "yes" : "no";
    if (!v.is_array()) return commands::json_line(v);
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
    commands::print_table(out, rows, indent);
    for (const json::value& v : settings) {
        const json::object& field = v.get_object();
        if (!field.contains("fields")) continue;
        out << indent << "settings in " << text_of(field.at("key")) << ":\n";
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

/// The entry, the number of other exported symbols, and the names of the first few of them.
json::object exports_of(const plugin_runtime::plugin_files::ElfFacts& elf) {
    json::array others;
    for (const plugin_runtime::plugin_files::ElfSymbol& symbol : elf.exports)
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

json::array libraries_of(
    const std::vector<plugin_runtime::plugin_files::NeededLibrary>& libraries) {
    json::array out;
    for (const plugin_runtime::plugin_files::NeededLibrary& library : libraries)
        out.push_back(json::object{{"name", library.name},
                                   {"needed_by", library.needed_by},
                                   {"found", plugin_runtime::plugin_files::name_of(library.found)},
                                   {"file", library.file.string()}});
    return out;
}

/// Whether the text report shows the library: always if the plugin itself needs it, otherwise only
/// if it is neither loaded nor the system's.
bool is_worth_a_line(const json::object& library) {
    const std::string found = text_of(library.at("found"));
    return text_of(library.at("needed_by")).empty() ||
           (found != plugin_runtime::plugin_files::name_of(
                         plugin_runtime::plugin_files::NeededLibrary::Found::loaded) &&
            found != plugin_runtime::plugin_files::name_of(
                         plugin_runtime::plugin_files::NeededLibrary::Found::system));
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

Rows file_rows(const json::object& report) {
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
        row("drafts", text_of(*drafts) + ": requires `drafts = true` in [trust]");
    row("exports", exports_text(report.at("exports").get_object()));
    add_libraries(report, rows);
    row("versions", text_of(report.at("symbol_versions")));
    if (const json::value* paths = report.if_contains("run_paths"))
        row("run paths", text_of(*paths));
    if (const json::value* why = report.if_contains("never_unloads"))
        row("unloads", "no: " + text_of(*why));
    row("pin", "sha256 = \"" + text_of(report.at("sha256")) + "\"");
    if (!report.contains("loads"))
        row("unknown", "vendor, classes, settings, and whether it loads; use --run");
    return rows;
}

void print_library_section(std::ostream& out, const json::object& report) {
    const std::string lacks = text_of(report.at("missing_confinement"));
    out << "\nIts code was run in a confined child process"
        << (lacks.empty() ? "" : " (" + lacks + ")") << ". It reports:\n";
    Rows rows;
    if (const json::value* vendor = report.if_contains("vendor"))
        rows.push_back({"vendor", text_of(*vendor)});
    rows.push_back({"loads", yes_or_why(report.at("loads"))});
    if (const json::value* unloads = report.if_contains("unloads"))
        rows.push_back({"unloads", yes_or_why(*unloads)});
    commands::print_table(out, rows);
    if (const json::value* classes = report.if_contains("classes")) {
        for (const json::value& c : classes->get_array()) print_class(out, c.get_object());
    }
}

}  // namespace

json::object describe_file(const plugin_runtime::plugin_files::PluginFacts& facts,
                           const plugin_runtime::services::DraftIds& drafts) {
    json::object out{
        {"file", facts.path.string()},
        {"size_bytes", facts.size},
        {"owner", facts.owner},
        {"mode", plugin_runtime::plugin_files::octal(facts.mode)},
        {"sha256", facts.sha256},
        {"plugin", facts.note.plugin_id},
        {"version", facts.note.version},
        {"sdk", facts.note.sdk},
        {"abi_required", abi_version(facts.note.abi_major, facts.note.abi_minor_required)},
        {"abi_built", abi_version(facts.note.abi_major, facts.note.abi_minor_built)},
        {"kinds", json::value_from(facts.note.kinds)},
        {"machine", facts.elf.machine},
        {"exports", exports_of(facts.elf)},
        {"needs", json::value_from(facts.elf.needed)},
        {"libraries", libraries_of(facts.libraries)},
        {"warnings", json::value_from(facts.warnings)},
        {"symbol_versions", json::value_from(facts.elf.required_versions)}};
    json::array draft_kinds;
    for (const std::string& kind : facts.note.kinds)
        if (drafts.contains(kind)) draft_kinds.emplace_back(kind);
    if (!draft_kinds.empty()) out["drafts"] = std::move(draft_kinds);
    if (!facts.elf.run_paths.empty()) out["run_paths"] = json::value_from(facts.elf.run_paths);
    if (const auto why = plugin_runtime::plugin_files::reason_to_keep(facts.elf))
        out["never_unloads"] = *why;
    return out;
}

void print_report(std::ostream& out, const json::object& report) {
    commands::print_table(out, file_rows(report));
    if (report.contains("loads")) print_library_section(out, report);
}

namespace {

namespace json = boost::json;

constexpr std::chrono::seconds inspection_deadline{10};

json::array settings_of(const config::Fields& fields) {
    json::array out;
    for (const config::Field& f : fields) {
        json::object field{{"key", f.key}, {"type", config::describe_type(f)}, {"doc", f.doc}};
        // A table's default "{}" is not shown: the members show their defaults.
        const bool is_filled_table = config::is_section(f) && f.default_toml == "{}";
        if (!f.default_toml.empty() && !is_filled_table) field["default"] = f.default_toml;
        if (f.required) field["required"] = true;
        if (f.live) field["live"] = true;
        if (f.deprecated) field["deprecated"] = f.replaced_by;
        if (!f.fields.empty()) field["fields"] = settings_of(f.fields);
        out.push_back(std::move(field));
    }
    return out;
}

json::object class_of(const plugin_runtime::plugin_files::ClassInfo& info) {
    json::object out{
        {"id", info.id},
        {"kind", info.kind},
        {"doc", info.doc},
        {"used", autoscaler::is_known_kind(info.kind)},
        {"pure", info.is_pure},
        {"parallel", info.concurrency == plugin_runtime::plugin_files::Concurrency::parallel},
        {"needs_leader", info.needs_leader}};
    if (const auto fields = config::read_schema(info.fields)) {
        out["settings"] = settings_of(*fields);
    } else {
        out["schema_error"] = fields.error().message;
    }
    return out;
}

json::object classes_report(const plugin_runtime::plugin_files::PluginLibrary& library) {
    json::array classes;
    for (const plugin_runtime::plugin_files::ClassInfo& info : library.classes())
        classes.push_back(class_of(info));
    return {
        {"loads", true}, {"vendor", text(library.entry().vendor)}, {"classes", std::move(classes)}};
}

json::object unloading_report(plugin_runtime::plugin_files::LibraryRegistry& registry) {
    const plugin_runtime::plugin_files::UnloadReport unloaded = registry.unload_unused();
    if (unloaded.kept.empty()) return {{"unloads", true}};
    return {{"unloads", unloaded.kept.front().because}};
}

/// Runs in the child: everything that needs the file's code. Each line adds to the report, so after
/// a crash the report still has the lines before it.
int open_and_report(const plugin_runtime::plugin_files::PluginFile& file,
                    plugin_runtime::plugin_files::LibraryRegistry& registry,
                    const commands::SendLine& send) {
    if (auto library = registry.load(file); library) {
        send(json::serialize(classes_report(**library)));
    } else {
        send(json::serialize(json::object{{"loads", library.error().message}}));
        return 0;
    }
    send(json::serialize(unloading_report(registry)));
    return 0;
}

using Shape = bool (*)(const json::value&);

bool is_text(const json::value& v) { return v.is_string(); }
bool is_flag(const json::value& v) { return v.is_bool(); }
bool is_true_or_text(const json::value& v) { return v == true || v.is_string(); }

struct Member {
    std::string_view key;
    Shape shape;
    bool is_required = false;
};

/// Whether `v` is an object with no other members than these, all required ones, and each of its
/// shape.
template <std::size_t count>
bool has_members(const json::value& v, const Member (&members)[count]) {
    const json::object* object = v.if_object();
    if (object == nullptr) return false;
    const bool are_known = std::ranges::all_of(*object, [&](const auto& pair) {
        const auto member = std::ranges::find(members, std::string_view(pair.key()), &Member::key);
        return member != std::end(members) && member->shape(pair.value());
    });
    return are_known && std::ranges::all_of(members, [&](const Member& member) {
               return !member.is_required || object->contains(member.key);
           });
}

template <Shape shape>
bool is_array_of(const json::value& v) {
    return v.is_array() && std::ranges::all_of(v.get_array(), shape);
}

bool is_setting(const json::value& v) {
    static constexpr Member members[]{{"key", is_text, true},  {"type", is_text, true},
                                      {"doc", is_text, true},  {"default", is_text},
                                      {"required", is_flag},   {"live", is_flag},
                                      {"deprecated", is_text}, {"fields", is_array_of<is_setting>}};
    return has_members(v, members);
}

bool is_class(const json::value& v) {
    static constexpr Member members[]{
        {"id", is_text, true},           {"kind", is_text, true},
        {"doc", is_text, true},          {"used", is_flag, true},
        {"pure", is_flag, true},         {"parallel", is_flag, true},
        {"needs_leader", is_flag, true}, {"settings", is_array_of<is_setting>},
        {"schema_error", is_text}};
    return has_members(v, members) &&
           v.get_object().contains("settings") != v.get_object().contains("schema_error");
}

/// Adds the lines of the child to the report.
class ChildReport {
public:
    explicit ChildReport(json::object& report) : report_(report) {}

    void add(std::string_view line) {
        boost::system::error_code error;
        const json::value answer = json::parse(line, error);
        if (error || !is_valid_report(answer)) {
            is_malformed_ = true;
            return;
        }
        for (const auto& [key, value] : answer.get_object()) report_[key] = value;
    }
    void end(const commands::ChildEnd& end) {
        report_["missing_confinement"] = json::value_from(end.lacking);
        if (!end.is_well()) {
            report_["loads"] = "the process that loaded it " + end.story();
        } else if (is_malformed_ || !report_.contains("loads")) {
            report_["loads"] = "the process that loaded it sent an unexpected report";
        }
    }

private:
    json::object& report_;
    bool is_malformed_ = false;
};

}  // namespace

bool is_valid_report(const json::value& line) {
    static constexpr Member members[]{{"loads", is_true_or_text},
                                      {"unloads", is_true_or_text},
                                      {"vendor", is_text},
                                      {"classes", is_array_of<is_class>}};
    return has_members(line, members);
}

void describe_library(const plugin_runtime::plugin_files::PluginFile& file, json::object& report) {
    plugin_runtime::plugin_files::LibraryRegistry registry;
    const auto folder = registry.prepare(file);
    if (!folder) {
        report["loads"] = folder.error().message;
        report["missing_confinement"] = json::array();
        return;
    }
    ChildReport child_report(report);
    child_report.end(commands::run_child(
        [&](const commands::SendLine& send) { return open_and_report(file, registry, send); },
        {.patience = inspection_deadline,
         .deadline = inspection_deadline,
         .confinement = commands::Confinement{.cpu = inspection_deadline, .kept = {*folder}}},
        [&](std::string_view line) { child_report.add(line); }));
}

}  // namespace capstan::plugin_tool
