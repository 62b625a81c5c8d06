#include "runtime/config/shipped_plugins.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <capstan/ascii.hpp>

#include "runtime/plugin_files/plugin_file.hpp"

namespace capstan::runtime::config {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> folders{"", "expanders", "similarity", "balancer"};

bool is_plain_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return is_ascii_alnum(c) || c == '_' || c == '-';
    });
}

}  // namespace

fs::path shipped_plugins_root() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path() : program.parent_path().parent_path() / "lib/capstan/plugins";
}

std::optional<fs::path> ShippedPlugins::find(std::string_view name) const {
    if (root_.empty() || !is_plain_name(name)) return std::nullopt;
    for (const char* folder : folders) {
        std::error_code error;
        fs::path file =
            fs::absolute(root_ / folder / (std::string(name) + ".so"), error).lexically_normal();
        if (!error && fs::is_regular_file(file, error)) return file;
    }
    return std::nullopt;
}

std::vector<std::string> ShippedPlugins::names() const {
    std::vector<std::string> out;
    for (const char* folder : folders) {
        std::error_code error;
        for (fs::directory_iterator it(root_ / folder, error), end; !error && it != end;
             it.increment(error)) {
            if (it->path().extension() == ".so") out.push_back(it->path().stem().string());
        }
    }
    std::ranges::sort(out);
    return out;
}

std::vector<std::string> ShippedPlugins::names_of_kind(std::string_view kind) const {
    std::vector<std::string> out;
    for (std::string& name : names()) {
        const Result<plugin_files::PluginFile> file =
            plugin_files::read_plugin_file(find(name).value_or(fs::path()));
        const bool is_of_kind = file && std::ranges::count(file->facts.note.kinds, kind) > 0;
        if (is_of_kind) out.push_back(std::move(name));
    }
    return out;
}

}  // namespace capstan::runtime::config
