#include "commands/external_command.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>

#include "io/loop.hpp"
#include "io/process.hpp"

namespace capstan::commands {
namespace {

namespace fs = std::filesystem;

Result<fs::path> program_of(const ExternalCommand& command) {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error)
        return fail(ErrorCode::unavailable,
                    std::string(command.name) + ": cannot read /proc/self/exe: " + error.message());
    return self.parent_path() / (std::string("capstan-") + command.name);
}

Error cannot_execute(const ExternalCommand& command, const fs::path& program, int error) {
    const std::string tried = std::string(command.name) + ": " + program.string();
    if (error != ENOENT)
        return {ErrorCode::unavailable, tried + " cannot be executed: " + std::strerror(error)};
    return {ErrorCode::not_found, tried +
                                      " does not exist; build it with `./dev build`, or install "
                                      "all Capstan programs in one folder"};
}

}  // namespace

void add_external_command(CLI::App& app, const ExternalCommand& command) {
    CLI::App& added = *app.add_subcommand(command.name, command.description);
    added.prefix_command();
    added.set_help_flag();
    added.set_help_all_flag();
}

Error execute(const ExternalCommand& command, std::vector<const char*> arguments) {
    const Result<fs::path> program = program_of(command);
    if (!program) return program.error();
    arguments.insert(arguments.begin(), program->c_str());
    arguments.push_back(nullptr);
    ::execv(program->c_str(), const_cast<char* const*>(arguments.data()));
    return cannot_execute(command, *program, errno);
}

Result<std::string> help_of_all_commands(const ExternalCommand& command) {
    CAPSTAN_TRY(const fs::path program, program_of(command));
    if (::access(program.c_str(), X_OK) != 0) return fail(cannot_execute(command, program, errno));
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
