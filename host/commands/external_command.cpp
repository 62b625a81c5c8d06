#include "commands/external_command.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>

#include "io/loop.hpp"
#include "io/process.hpp"

namespace capstan::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view program_prefix = "capstan-";

/// Why the file cannot be executed, as errno; 0: it can.
int execution_error(const fs::path& program) {
    struct ::stat file{};
    if (::stat(program.c_str(), &file) != 0) return errno;
    if (!S_ISREG(file.st_mode)) return EACCES;
    return ::access(program.c_str(), X_OK) == 0 ? 0 : errno;
}

Error cannot_execute(const fs::path& program, int error) {
    if (error != ENOENT)
        return {ErrorCode::unavailable,
                program.string() + " cannot be executed: " + std::strerror(error)};
    return {ErrorCode::not_found, program.string() +
                                      " does not exist; build it with `./dev build`, or install "
                                      "all Capstan programs in one folder"};
}

Result<fs::path> own_folder() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error)
        return fail(ErrorCode::unavailable, "cannot read /proc/self/exe: " + error.message());
    return self.parent_path();
}

/// Whether a vendor's program may have this name.
bool is_vendor_name(std::string_view name) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    if (name.find_first_of(letters) != 0) return false;
    if (name.find_first_not_of(std::string(letters) + "-_") != name.npos) return false;
    const std::string program = std::string(program_prefix) + std::string(name);
    return std::ranges::none_of(shipped_commands(), [&](const ExternalCommand& command) {
        return program == command.program;
    });
}

}  // namespace

std::span<const ExternalCommand> shipped_commands() {
    static constexpr std::array all{simulate_command, cluster_command, replay_command,
                                    plugin_command};
    return all;
}

void add_external_command(CLI::App& app, const ExternalCommand& command) {
    CLI::App& added = *app.add_subcommand(command.name, command.description);
    added.prefix_command();
    added.set_help_flag();
    added.set_help_all_flag();
}

void list_programs(CLI::App& app, std::span<const ExternalCommand> commands) {
    for (const ExternalCommand& command : commands) {
        const Result<fs::path> program = program_beside(command.program);
        app.get_subcommand(command.name)
            ->group("Commands of " +
                    (program ? program->string()
                             : std::string(command.program) + ", which is not installed"));
    }
    for (const auto& [name, program] : programs_in(program_folders(is_interactive()))) {
        const bool is_taken = !app.get_subcommands([&name = name](const CLI::App* command) {
                                      return command->get_name() == name;
                                  })
                                   .empty();
        if (!is_taken) app.add_subcommand(name, program.string())->group("Other programs");
    }
}

Result<fs::path> program_beside(std::string_view file) {
    CAPSTAN_TRY(const fs::path folder, own_folder());
    fs::path program = folder / file;
    if (const int error = execution_error(program); error != 0)
        return fail(cannot_execute(program, error));
    return program;
}

bool is_interactive() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

std::vector<fs::path> program_folders(bool searches_path) {
    std::vector<fs::path> out;
    if (Result<fs::path> own = own_folder()) out.push_back(*std::move(own));
    const char* path = searches_path ? std::getenv("PATH") : nullptr;
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (folder.starts_with('/')) out.emplace_back(folder);
    return out;
}

std::optional<fs::path> find_program(std::string_view name, const std::vector<fs::path>& folders) {
    if (!is_vendor_name(name)) return {};
    for (const fs::path& folder : folders) {
        fs::path program = folder / (std::string(program_prefix) + std::string(name));
        if (execution_error(program) == 0) return program;
    }
    return {};
}

std::map<std::string, fs::path> programs_in(const std::vector<fs::path>& folders) {
    std::map<std::string, fs::path> out;
    for (const fs::path& folder : folders) {
        std::error_code error;
        for (fs::directory_iterator at(folder, error), end; !error && at != end;
             at.increment(error)) {
            const std::string file = at->path().filename().string();
            if (!file.starts_with(program_prefix)) continue;
            const std::string name = file.substr(program_prefix.size());
            if (const auto program = find_program(name, {folder})) out.emplace(name, *program);
        }
    }
    return out;
}

Error execute(const fs::path& program, std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), program.c_str());
    arguments.push_back(nullptr);
    ::execv(program.c_str(), const_cast<char* const*>(arguments.data()));
    return cannot_execute(program, errno);
}

Result<std::string> help_of_all_commands(std::string_view file) {
    CAPSTAN_TRY(const fs::path program, program_beside(file));
    boost::asio::io_context io;
    io::Loop loop(io);
    Result<io::ProgramEnd> ended;
    CAPSTAN_TRY(const auto process, io::ProgramProcess::start(loop,
                                                              {.program = program,
                                                               .arguments = {"--help-all"},
                                                               .deadline = std::chrono::seconds(10),
                                                               .output_max = std::size_t{1} << 20},
                                                              [&](Result<io::ProgramEnd> end) {
                                                                  ended = std::move(end);
                                                              }));
    io.run();
    if (!ended) return fail(within(program.string(), ended.error()));
    if (!ended->status.is_success())
        return fail(ErrorCode::unavailable, program.string() + " " + ended->status.sentence());
    return std::move(ended->output);
}

}  // namespace capstan::commands
