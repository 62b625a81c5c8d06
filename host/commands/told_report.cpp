#include "commands/told_report.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "commands/child_process.hpp"
#include "commands/json_texts.hpp"
#include "runtime/config/schema.hpp"
#include "runtime/kinds.hpp"
#include "runtime/plugin_files/library_registry.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds inspection_deadline{10};

json::array settings_of(const runtime::config::Fields& fields) {
    json::array out;
    for (const runtime::config::Field& f : fields) {
        json::object field{
            {"key", f.key}, {"type", runtime::config::describe_type(f)}, {"doc", f.doc}};
        if (!f.default_toml.empty()) field["default"] = f.default_toml;
        if (f.required) field["required"] = true;
        if (f.live) field["live"] = true;
        if (f.deprecated) field["deprecated"] = f.replaced_by;
        if (!f.fields.empty()) field["fields"] = settings_of(f.fields);
        out.push_back(std::move(field));
    }
    return out;
}

json::object class_of(const runtime::plugin_files::ClassInfo& info) {
    json::object out{{"id", info.id},
                     {"kind", info.kind},
                     {"doc", info.doc},
                     {"used", runtime::is_known_kind(info.kind)},
                     {"pure", info.is_pure},
                     {"parallel", info.concurrency == runtime::plugin_files::Concurrency::parallel},
                     {"needs_leader", info.needs_leader}};
    if (const auto fields = runtime::config::read_schema(info.fields)) {
        out["settings"] = settings_of(*fields);
    } else {
        out["schema_error"] = fields.error().message;
    }
    return out;
}

json::object tell_classes(const runtime::plugin_files::PluginLibrary& library) {
    json::array classes;
    for (const runtime::plugin_files::ClassInfo& info : library.classes())
        classes.push_back(class_of(info));
    return {
        {"loads", true}, {"vendor", text(library.entry().vendor)}, {"classes", std::move(classes)}};
}

json::object tell_unloading(runtime::plugin_files::LibraryRegistry& registry) {
    const runtime::plugin_files::UnloadReport unloaded = registry.unload_unused();
    if (unloaded.kept.empty()) return {{"unloads", true}};
    return {{"unloads", unloaded.kept.front().because}};
}

/// In the child: everything that needs the file's code. Each line adds to the report, so that a
/// crash takes nothing away that was known before.
int open_and_tell(const runtime::plugin_files::PluginFile& file,
                  runtime::plugin_files::LibraryRegistry& registry, const SendLine& send) {
    if (auto library = registry.load(file); library) {
        send(json::serialize(tell_classes(**library)));
    } else {
        send(json::serialize(json::object{{"loads", library.error().message}}));
        return 0;
    }
    send(json::serialize(tell_unloading(registry)));
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

/// An object of these members and no others.
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

/// Adds what the lines of the child say.
class Told {
public:
    explicit Told(json::object& report) : report_(report) {}

    void add(std::string_view line) {
        boost::system::error_code error;
        const json::value told = json::parse(line, error);
        if (error || !is_told_report(told)) {
            is_nonsense_ = true;
            return;
        }
        for (const auto& [key, value] : told.get_object()) report_[key] = value;
    }
    void end(const ChildEnd& end) {
        report_["missing_confinement"] = array_of_texts(end.lacking);
        if (!end.is_well()) {
            report_["loads"] = "the process that opened it " + end.story();
        } else if (is_nonsense_ || !report_.contains("loads")) {
            report_["loads"] = "the process that opened it said something else than what was asked";
        }
    }

private:
    json::object& report_;
    bool is_nonsense_ = false;
};

}  // namespace

bool is_told_report(const json::value& told) {
    static constexpr Member members[]{{"loads", is_true_or_text},
                                      {"unloads", is_true_or_text},
                                      {"vendor", is_text},
                                      {"classes", is_array_of<is_class>}};
    return has_members(told, members);
}

void describe_library(const runtime::plugin_files::PluginFile& file, json::object& report) {
    runtime::plugin_files::LibraryRegistry registry;
    const auto folder = registry.prepare(file);
    if (!folder) {
        report["loads"] = folder.error().message;
        report["missing_confinement"] = json::array();
        return;
    }
    Told told(report);
    told.end(run_child([&](const SendLine& send) { return open_and_tell(file, registry, send); },
                       {.patience = inspection_deadline,
                        .deadline = inspection_deadline,
                        .confinement = Confinement{.cpu = inspection_deadline, .kept = {*folder}}},
                       [&](std::string_view line) { told.add(line); }));
}

}  // namespace capstan::commands
