/// Files that hold secrets, and whether others on this machine get at them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace capstan::runtime {

/// How users other than the file's own and its group get at it: "may be read by others (mode
/// 0644)". Nothing: they do not, because of its mode or of a folder on the way that they may not
/// enter; or the file cannot be looked at, which reading it will tell. Nothing also of what kubelet
/// mounts: the files of a Secret and a service account's token have mode 0644 in a memory of the
/// pod's own. It is known by the folder "..DATE" behind the links, or by being mounted read-only in
/// memory.
std::optional<std::string> find_exposure(const std::filesystem::path& file);

}  // namespace capstan::runtime
