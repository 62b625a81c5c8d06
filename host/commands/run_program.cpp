#include "commands/run_program.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "commands/external_command.hpp"
#include "commands/result_output.hpp"

namespace capstan::commands {
namespace {

/// Returns only if the program cannot be executed.
Error hand_over(std::string_view file, int argc, const char* const* argv, ResultOutput& results) {
    const Result<std::filesystem::path> program = program_beside(file);
    if (!program) return program.error();
    results.give_back();
    return execute(*program, {argv + 1, argv + argc});
}

}  // namespace

void run_program(int argc, const char* const* argv, const Program& program) {
    const bool err_is_terminal = ::isatty(STDERR_FILENO) == 1;
    // This runs before standard output is redirected, because the other program inherits it.
    const Result<void> found = execute_external_command(argc, argv, program);
    if (!found) {
        const Streams streams{
            .in = std::cin, .out = std::cout, .err = std::cerr, .err_is_terminal = err_is_terminal};
        std::_Exit(refuse(streams, found.error().message, exit_failed));
    }
    // A write beyond RLIMIT_FSIZE, which a plugin may set, is then an error of that write.
    std::signal(SIGXFSZ, SIG_IGN);
    ResultOutput results;
    const HandOver to_program = [&](std::string_view file) {
        return hand_over(file, argc, argv, results);
    };
    int code = run(argc, argv,
                   {.in = std::cin,
                    .out = results.stream(),
                    .err = std::cerr,
                    .out_is_terminal = results.is_terminal(),
                    .err_is_terminal = err_is_terminal,
                    .hand_over = &to_program},
                   program);
    if (!results.stream().flush()) {
        std::cerr << "capstan: cannot write the result to standard output\n";
        if (code == exit_ok) code = exit_failed;
    }
    std::cerr.flush();
    // Skips static destructors: an abandoned hook may still be running, and static destructors
    // would call or unload plugins in an undefined order.
    std::_Exit(code);
}

}  // namespace capstan::commands
