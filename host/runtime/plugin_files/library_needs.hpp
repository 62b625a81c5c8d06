/// What any shared library says of the libraries that are loaded with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/plugin_files/partial_file.hpp"

namespace capstan::runtime {

struct LibraryNeeds {
    std::string soname{};                      ///< empty: none
    std::vector<std::string> needed{};         ///< DT_NEEDED, in order
    std::vector<std::string> early_folders{};  ///< DT_RPATH, as written
    std::vector<std::string> late_folders{};   ///< DT_RUNPATH, as written
};

/// Reads the few pages of `file` that tell. Refuses what is no complete shared object of this
/// host's architecture.
Result<LibraryNeeds> read_library_needs(PartialFile& file);

/// The parts of a list of folders that colons separate.
std::vector<std::string> split_folders(std::string_view list);

}  // namespace capstan::runtime
