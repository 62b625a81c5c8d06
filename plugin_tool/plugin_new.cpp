#include "plugin_tool/plugin_new.hpp"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>
#include <vector>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>

#include "commands/file_io.hpp"
#include "commands/options.hpp"
#include "config/text.hpp"
#include "plugin_tool/plugin_program.hpp"

namespace capstan::plugin_tool {
namespace {

namespace fs = std::filesystem;

/// "example.NAME" has to fit into the plugin file's note, "NAME_test.cpp" into a file name.
constexpr std::size_t name_length_max = 48;

bool is_name_character(char c) { return is_ascii_lower(c) || is_ascii_digit(c) || c == '_'; }
bool is_word_character(char c) { return is_name_character(c) || is_ascii_upper(c); }

/// Whether the name is a reserved target of CMake, a file that templates have, or a C header that a
/// file of this name would hide.
bool is_taken(std::string_view name) {
    static const std::set<std::string_view> taken{
        "all",      "clean",          "depend",      "edit_cache",    "help",   "install",
        "package",  "package_source", "preinstall",  "rebuild_cache", "test",   "verify",
        "api",      "fake_api",       "config",      "plugin",        "recent", "assert",
        "complex",  "ctype",          "errno",       "fenv",          "float",  "inttypes",
        "iso646",   "limits",         "locale",      "math",          "setjmp", "signal",
        "stdalign", "stdarg",         "stdatomic",   "stdbool",       "stddef", "stdint",
        "stdio",    "stdlib",         "stdnoreturn", "string",        "tgmath", "threads",
        "time",     "uchar",          "wchar",       "wctype"};
    return taken.contains(name);
}

Result<void> check_name(std::string_view name) {
    const auto refuse = [&](const std::string& why) {
        return fail(ErrorCode::invalid_argument,
                    "plugin name " + capstan::in_quotes(name) + ": " + why);
    };
    const bool is_word = !name.empty() && is_ascii_lower(name.front()) &&
                         std::ranges::all_of(name, is_name_character);
    if (!is_word)
        return refuse(
            "must begin with a lower-case letter and contain only lower-case letters, digits and "
            "'_'");
    if (name.size() > name_length_max)
        return refuse("longer than " + std::to_string(name_length_max) + " characters");
    if (is_taken(name)) return refuse("reserved by CMake, C or the files of the project");
    return {};
}

Result<const PluginTemplate*> find_template(const NewPlugin& plugin) {
    std::vector<std::string> kinds;
    for (const PluginTemplate& t : plugin_templates()) {
        const bool is_variant = plugin.variant.empty() || t.variant == plugin.variant;
        if (t.kind == plugin.kind && t.language == plugin.language && is_variant) return &t;
        kinds.emplace_back(t.kind);
    }
    const bool is_kind = std::ranges::find(kinds, plugin.kind) != kinds.end();
    return fail(
        ErrorCode::invalid_argument,
        "no template for kind " + capstan::in_quotes(plugin.kind) + " in language " +
            capstan::in_quotes(plugin.language) +
            (plugin.variant.empty() ? "" : " with name " + capstan::in_quotes(plugin.variant)) +
            "; templates are: " + known_templates() +
            (is_kind ? "" : config::suggestion(plugin.kind, kinds)));
}

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos;
         at += word.size()) {
        const std::size_t end = at + word.size();
        const bool starts = at == 0 || !is_word_character(text[at - 1]);
        const bool ends = end == text.size() || !is_word_character(text[end]);
        if (starts && ends) return true;
    }
    return false;
}

/// Refuses a name whose class name the template already uses: the project would not compile.
Result<void> check_class_name(const PluginTemplate& from, std::string_view name) {
    const std::string wanted = class_name_of(name);
    if (wanted == class_name_of(from.name)) return {};
    for (const TemplateFile& file : from.files) {
        if (file.path.ends_with(".md") || !has_word(file.text, wanted)) continue;
        return fail(ErrorCode::invalid_argument,
                    "plugin name " + capstan::in_quotes(name) + ": its class name " + wanted +
                        " is already used in " + std::string(file.path) + "; choose a longer name");
    }
    return {};
}

std::string upper(std::string_view name) {
    std::string out(name);
    for (char& c : out) c = ascii_upper(c);
    return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

/// A template's text or file name, with the template's name replaced in each spelling.
std::string renamed(std::string_view text, std::string_view from, std::string_view to) {
    std::string out = replaced(std::string(text), from, to);
    out = replaced(std::move(out), class_name_of(from), class_name_of(to));
    return replaced(std::move(out), upper(from), upper(to));
}

Unexpected cannot_write(const fs::path& path, const std::string& why) {
    return fail(ErrorCode::unavailable, path.string() + ": cannot be written: " + why);
}

Result<void> check_place(const fs::path& directory) {
    const auto in_the_way = [&](const char* what) {
        return fail(ErrorCode::conflict, directory.string() + ": " + what + "; not overwritten");
    };
    std::error_code error;
    const fs::file_status status = fs::status(directory, error);
    if (!fs::exists(status)) return {};
    if (!fs::is_directory(status)) return in_the_way("exists and is not a directory");
    const bool is_empty = fs::is_empty(directory, error);
    if (error) return cannot_write(directory, error.message());
    if (!is_empty) return in_the_way("exists and is not empty");
    return {};
}

/// A temporary folder on the file system of the project's directory, so that the finished project
/// can be moved there in one step. Removed with its content by the destructor.
class TemporaryFolder {
public:
    static Result<TemporaryFolder> open(const fs::path& beside) {
        std::string pattern = (beside / ".capstan-new-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) return cannot_write(beside, std::strerror(errno));
        return TemporaryFolder(pattern);
    }
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    const fs::path& path() const noexcept { return path_; }

private:
    explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
    fs::path path_;
};

Result<void> write_files(const PluginTemplate& from, const std::string& name,
                         const fs::path& directory) {
    std::error_code error;
    fs::create_directory(directory, error);
    if (error) return cannot_write(directory, error.message());
    for (const TemplateFile& file : from.files) {
        const fs::path place = directory / renamed(file.path, from.name, name);
        fs::create_directories(place.parent_path(), error);
        if (error) return cannot_write(place, error.message());
        CAPSTAN_CHECK(commands::write_file(place, renamed(file.text, from.name, name)));
    }
    return {};
}

/// The project's directory, without a trailing '/', which would make its file name empty.
fs::path place_of(const NewPlugin& plugin) {
    const fs::path given = plugin.directory.value_or(plugin.name).lexically_normal();
    return given.has_filename() ? given : given.parent_path();
}

}  // namespace

std::string known_templates() {
    std::string out;
    std::string_view kind;
    for (const PluginTemplate& t : plugin_templates()) {
        const std::string name =
            std::string(t.language) + (t.variant.empty() ? "" : " " + std::string(t.variant));
        if (t.kind == kind) {
            out.insert(out.size() - 1, ", " + name);
            continue;
        }
        kind = t.kind;
        out += (out.empty() ? "" : ", ") + std::string(kind) + " (" + name + ")";
    }
    return out;
}

std::string class_name_of(std::string_view name) {
    std::string out;
    bool starts = true;
    for (const char c : name) {
        if (c == '_') {
            starts = true;
            continue;
        }
        out += starts ? ascii_upper(c) : c;
        starts = false;
    }
    return out;
}

Result<fs::path> write_plugin_project(const NewPlugin& plugin) {
    CAPSTAN_CHECK(check_name(plugin.name));
    CAPSTAN_TRY(const PluginTemplate* chosen, find_template(plugin));
    CAPSTAN_CHECK(check_class_name(*chosen, plugin.name));
    fs::path directory = place_of(plugin);
    CAPSTAN_CHECK(check_place(directory));
    const fs::path parent = directory.has_parent_path() ? directory.parent_path() : fs::path(".");
    CAPSTAN_TRY(const TemporaryFolder folder, TemporaryFolder::open(parent));
    CAPSTAN_CHECK(write_files(*chosen, plugin.name, folder.path() / "project"));
    std::error_code error;
    // Replaces an empty directory; fails if the directory is not empty any more.
    fs::rename(folder.path() / "project", directory, error);
    if (error) return cannot_write(directory, error.message());
    return directory;
}

int plugin_new(const NewPlugin& plugin, std::ostream& out, std::ostream& err) {
    const Result<fs::path> directory = write_plugin_project(plugin);
    if (!directory) {
        err << "capstan: " << directory.error().message << '\n';
        return directory.error().code == ErrorCode::invalid_argument ? commands::exit_usage
                                                                     : commands::exit_failed;
    }
    const std::string place = directory->string();
    out << "created " << place << ", a plugin of kind " << plugin.kind
        << "; see README.md there\n\n";
    if (plugin.language == "rust") {
        out << "    cargo test --manifest-path " << place << "/Cargo.toml\n"
            << "    cargo build --release --manifest-path " << place << "/Cargo.toml\n"
            << "    capstan plugin verify " << place << "/target/release/lib" << plugin.name
            << ".so\n";
        return commands::exit_ok;
    }
    out << "    cmake -S " << place << " -B " << place << "/build -DCMAKE_BUILD_TYPE=Release\n"
        << "    cmake --build " << place << "/build\n"
        << "    ctest --test-dir " << place << "/build --output-on-failure\n";
    return commands::exit_ok;
}

void add_plugin_new(CLI::App& parent, commands::Action& action) {
    CLI::App& command =
        *parent.add_subcommand("new", "Create a plugin project with build files and tests");
    auto plugin = std::make_shared<NewPlugin>();
    auto directory = std::make_shared<std::string>();
    command
        .add_option("name", plugin->name,
                    "Name of the plugin and its class: lower-case letters, digits and '_'")
        ->required();
    commands::add_option(command, "--kind", plugin->kind, "KIND",
                         "Kind of plugin, with its languages and templates: " + known_templates())
        ->required();
    commands::add_option(command, "--lang", plugin->language, "LANG", "Language: cpp, c or rust")
        ->default_val("cpp");
    commands::add_option(
        command, "--template", plugin->variant, "NAME",
        "Template, for kinds with several; cloud in cpp: http (default) or memory");
    commands::add_option(command, "--directory", *directory, "DIR",
                         "Folder of the project (default: its name)");
    command.callback([&action, plugin, directory] {
        if (!directory->empty()) plugin->directory = *directory;
        action = [plugin](commands::Streams streams) {
            return plugin_new(*plugin, streams.out, streams.err);
        };
    });
}

}  // namespace capstan::plugin_tool
