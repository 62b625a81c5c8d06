#include "commands/plugin_report.hpp"

#include <chrono>

#include <boost/json.hpp>

#include "commands/child_process.hpp"
#include "commands/json_texts.hpp"
#include "commands/table.hpp"
#include "runtime/config/schema.hpp"
#include "runtime/kinds.hpp"
#include "runtime/plugin_files/library_registry.hpp"
#include "runtime/plugin_files/unloading.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds inspection_patience{10};

std::string abi_version(int major, int minor) {
    return std::to_string(major) + "." + std::to_string(minor);
}

json::array settings_of(const runtime::Fields& fields) {
    json::array out;
    for (const runtime::Field& f : fields) {
        json::object field{{"key", f.key}, {"type", runtime::describe_type(f)}, {"doc", f.doc}};
        if (!f.default_toml.empty()) field["default"] = f.default_toml;
        if (f.required) field["required"] = true;
        if (f.live) field["live"] = true;
        if (f.deprecated) field["deprecated"] = f.replaced_by;
        if (!f.fields.empty()) field["fields"] = settings_of(f.fields);
        out.push_back(std::move(field));
    }
    return out;
}

json::object class_of(const runtime::ClassInfo& info) {
    json::object out{{"id", info.id},
                     {"kind", info.kind},
                     {"doc", info.doc},
                     {"used", runtime::is_known_kind(info.kind)},
                     {"pure", info.is_pure},
                     {"parallel", info.concurrency == runtime::Concurrency::parallel},
                     {"needs_leader", info.needs_leader}};
    if (const auto fields = runtime::read_schema(info.fields)) {
        out["settings"] = settings_of(*fields);
    } else {
        out["schema_error"] = fields.error().message;
    }
    return out;
}

json::object tell_classes(const runtime::PluginLibrary& library) {
    json::array classes;
    for (const runtime::ClassInfo& info : library.classes()) classes.push_back(class_of(info));
    return {
        {"loads", true}, {"vendor", text(library.entry().vendor)}, {"classes", std::move(classes)}};
}

json::object tell_unloading(runtime::LibraryRegistry& registry) {
    const runtime::UnloadReport unloaded = registry.unload_unused();
    if (unloaded.kept.empty()) return {{"unloads", true}};
    return {{"unloads", unloaded.kept.front().because}};
}

/// In the child: everything that needs the file's code. Each line adds to the report, so that a
/// crash takes nothing away that was known before.
int open_and_tell(const runtime::PluginFile& file, const SendLine& send) {
    runtime::LibraryRegistry registry;
    if (auto library = registry.load(file); library) {
        send(json::serialize(tell_classes(**library)));
    } else {
        send(json::serialize(json::object{{"loads", library.error().message}}));
        return 0;
    }
    send(json::serialize(tell_unloading(registry)));
    return 0;
}

std::string text_of(const json::value& v) {
    if (v.is_string()) return std::string(v.get_string());
    if (v.is_bool()) return v.get_bool() ? "yes" : "no";
    if (!v.is_array()) return json::serialize(v);
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

}  // namespace

json::object describe_file(const runtime::PluginFacts& facts) {
    json::object out{
        {"file", facts.path.string()},
        {"size_bytes", facts.size},
        {"sha256", facts.sha256},
        {"plugin", facts.note.plugin_id},
        {"version", facts.note.version},
        {"sdk", facts.note.sdk},
        {"abi_required", abi_version(facts.note.abi_major, facts.note.abi_minor_required)},
        {"abi_built", abi_version(facts.note.abi_major, facts.note.abi_minor_built)},
        {"kinds", array_of_texts(facts.note.kinds)},
        {"machine", facts.elf.machine},
        {"needs", array_of_texts(facts.elf.needed)},
        {"symbol_versions", array_of_texts(facts.elf.floors)}};
    if (!facts.elf.run_paths.empty()) out["run_paths"] = array_of_texts(facts.elf.run_paths);
    return out;
}

void describe_library(const runtime::PluginFile& file, json::object& report) {
    const auto add = [&report](std::string_view line) {
        const json::value told = json::parse(line);
        for (const auto& [key, value] : told.get_object()) report[key] = value;
    };
    const ChildEnd end = run_child([&](const SendLine& send) { return open_and_tell(file, send); },
                                   inspection_patience, add);
    if (!end.is_well()) {
        std::string why = "the process that opened it " + end.sentence();
        if (!end.errors.empty())
            why += ", after writing: " + end.errors.substr(0, end.errors.find('\n'));
        report["loads"] = why;
    }
}

void print_report(std::ostream& out, const json::object& report) {
    std::vector<std::vector<std::string>> rows;
    const auto row = [&](const char* name, std::string value) {
        rows.push_back({name, std::move(value)});
    };
    row("file", text_of(report.at("file")));
    row("size", text_of(report.at("size_bytes")) + " bytes");
    row("plugin", text_of(report.at("plugin")) + " " + text_of(report.at("version")));
    if (const json::value* vendor = report.if_contains("vendor")) row("vendor", text_of(*vendor));
    row("ABI", "requires " + text_of(report.at("abi_required")) + ", built with " +
                   text_of(report.at("abi_built")) + " (SDK " + text_of(report.at("sdk")) + ")");
    row("kinds", text_of(report.at("kinds")));
    row("needs", text_of(report.at("needs")));
    row("versions", text_of(report.at("symbol_versions")));
    if (const json::value* paths = report.if_contains("run_paths"))
        row("run paths", text_of(*paths));
    row("pin", "sha256 = \"" + text_of(report.at("sha256")) + "\"");
    if (const json::value* loads = report.if_contains("loads")) row("loads", yes_or_why(*loads));
    if (const json::value* unloads = report.if_contains("unloads"))
        row("unloads", yes_or_why(*unloads));
    print_table(out, rows);
    if (const json::value* classes = report.if_contains("classes")) {
        for (const json::value& c : classes->get_array()) print_class(out, c.get_object());
    }
}

}  // namespace capstan::commands
