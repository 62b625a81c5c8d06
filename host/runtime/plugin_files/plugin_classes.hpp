/// What a loaded plugin file can make: its class list, checked before anything relies on it.
#pragma once

#include <capstan/abi/plugin.h>

#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::runtime::plugin_files {

/// How many decision hooks of one instance may run at once.
enum class Concurrency { serial, parallel };

/// One class of a plugin file. Everything here borrows from the library, which must stay loaded.
struct ClassInfo {
    const capstan_class* raw = nullptr;
    std::string_view id;    ///< "least_waste"
    std::string_view kind;  ///< "capstan.expander/1"; may be one this host does not know
    std::string_view doc;
    Concurrency concurrency = Concurrency::serial;
    bool is_pure = false;
    bool needs_leader = false;
    capstan_array fields{};  ///< capstan_field, checked by check_fields
};

/// The classes that `entry` answers with. Refuses missing lists and functions, sizes and counts
/// outside their limits, ids and kinds that are not well formed, ids that stand there twice, and
/// kinds that the note does not list. A class may be longer than this host knows, never shorter.
Result<std::vector<ClassInfo>> read_classes(const capstan_entry& entry,
                                            const std::vector<std::string>& note_kinds);

/// "least_waste": lower-case letters, digits and '_', at most 64.
bool is_class_id(std::string_view text);

}  // namespace capstan::runtime::plugin_files
