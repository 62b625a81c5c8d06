/// The classes of a loaded plugin file, checked before their first use.
#pragma once

#include <capstan/abi/plugin.h>

#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::plugin_runtime::plugin_files {

/// How many decision hooks of one instance may run at once.
enum class Concurrency { serial, parallel };

/// One class of a plugin file. All members borrow from the library, which must stay loaded.
struct ClassInfo {
    const capstan_class* raw = nullptr;
    std::string_view id;    ///< "least_waste"
    std::string_view kind;  ///< "capstan.expander/1"; this host may not know the kind
    std::string_view doc;
    Concurrency concurrency = Concurrency::serial;
    bool is_pure = false;
    bool needs_leader = false;
    capstan_array fields{};  ///< capstan_field, checked by check_fields
};

/// Reads and checks the classes of `entry`. Refuses missing lists and functions, sizes and counts
/// outside their limits, malformed ids and kinds, duplicate ids, and kinds that the note does not
/// list. A class may be longer than this host's definition, but not shorter than that of ABI 1.0.
Result<std::vector<ClassInfo>> read_classes(const capstan_entry& entry,
                                            const std::vector<std::string>& note_kinds);

/// Whether `text` is like "least_waste": lower-case letters, digits and '_', at most 64 characters.
bool is_class_id(std::string_view text);

}  // namespace capstan::plugin_runtime::plugin_files
