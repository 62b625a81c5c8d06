#include "plugin_runtime/plugin_files/plugin_classes.hpp"

#include <algorithm>
#include <cstdint>

#include <capstan/ascii.hpp>
#include <capstan/view.hpp>

#include "plugin_runtime/loop/guarded_call.hpp"
#include "plugin_runtime/plugin_files/plugin_file.hpp"
#include "plugin_runtime/plugin_files/plugin_note.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace {

constexpr std::uint32_t classes_max = 1024;
constexpr std::size_t id_size_max = 64;
constexpr std::size_t doc_size_max = 4096;
/// The minimum size in ABI 1.0. Later minor versions append members.
constexpr std::size_t class_size_min =
    offsetof(capstan_class, create) + sizeof(capstan_class::create);
constexpr std::size_t list_size_min = offsetof(capstan_class_list, classes) + sizeof(capstan_array);

Result<capstan_array> ask_for_classes(const capstan_entry& entry) {
    const Result<const capstan_class_list*> answer =
        loop::call_guarded([&] { return loop::distrusted(entry.classes)(); });
    if (!answer) return refuse("cannot list its classes: it " + answer.error().message);
    const capstan_class_list* const list = *answer;
    if (list == nullptr) return refuse("returned no class list");
    if (reinterpret_cast<std::uintptr_t>(list) % alignof(capstan_class_list) != 0)
        return refuse("returned a class list that is not aligned");
    if (list->struct_size < list_size_min)
        return refuse("returned a class list whose struct_size is " +
                      std::to_string(list->struct_size));
    if (list->classes.count == 0) return refuse("has no class");
    CAPSTAN_CHECK(check_array(list->classes, "class list", class_size_min, classes_max));
    return list->classes;
}

Result<void> check_kind(std::string_view kind, const std::vector<std::string>& note_kinds) {
    if (!is_kind(kind))
        return refuse("has the kind \"" + std::string(kind) +
                      "\", expected one like \"capstan.expander/1\"");
    if (std::ranges::find(note_kinds, kind) == note_kinds.end())
        return refuse("is of the kind " + std::string(kind) +
                      ", which the Capstan note does not list");
    return {};
}

Result<ClassInfo> read_class(const capstan_class& raw, const std::vector<std::string>& note_kinds) {
    ClassInfo info;
    info.raw = &raw;
    CAPSTAN_TRY(info.id, checked_text(raw.class_id, "class id", id_size_max));
    if (!is_class_id(info.id))
        return refuse("has the class id \"" + std::string(info.id) +
                      "\"; only lower-case letters, digits and '_' are allowed");
    const auto with_class = [&](Error e) {
        return within("class " + std::string(info.id), std::move(e));
    };
    CAPSTAN_TRY(info.kind, checked_text(raw.kind, "kind", 4 * id_size_max).map_error(with_class));
    CAPSTAN_CHECK(check_kind(info.kind, note_kinds).map_error(with_class));
    CAPSTAN_TRY(info.doc, checked_text(raw.doc, "doc", doc_size_max).map_error(with_class));
    if (raw.create == nullptr)
        return fail(with_class({ErrorCode::invalid_config, "has no create function"}));
    CAPSTAN_CHECK(check_fields(raw.fields).map_error(with_class));
    if (raw.concurrency == CAPSTAN_CONCURRENCY_PARALLEL) info.concurrency = Concurrency::parallel;
    info.is_pure = (raw.flags & CAPSTAN_CLASS_PURE) != 0;
    info.needs_leader = (raw.flags & CAPSTAN_CLASS_NEEDS_LEADER) != 0;
    info.fields = raw.fields;
    return info;
}

}  // namespace

bool is_class_id(std::string_view text) {
    return !text.empty() && text.size() <= id_size_max && std::ranges::all_of(text, [](char c) {
        return is_ascii_lower(c) || is_ascii_digit(c) || c == '_';
    });
}

Result<std::vector<ClassInfo>> read_classes(const capstan_entry& entry,
                                            const std::vector<std::string>& note_kinds) {
    CAPSTAN_TRY(const capstan_array array, ask_for_classes(entry));
    std::vector<ClassInfo> classes;
    for (const capstan_class& raw : View<capstan_class>(array)) {
        if (raw.struct_size < class_size_min || raw.struct_size > array.stride)
            return refuse("has a class whose struct_size is " + std::to_string(raw.struct_size) +
                          ", expected " + std::to_string(class_size_min) + " to " +
                          std::to_string(array.stride));
        CAPSTAN_TRY(const ClassInfo info, read_class(raw, note_kinds));
        if (std::ranges::find(classes, info.id, &ClassInfo::id) != classes.end())
            return refuse("has two classes \"" + std::string(info.id) + "\"");
        classes.push_back(info);
    }
    return classes;
}

}  // namespace capstan::plugin_runtime::plugin_files
