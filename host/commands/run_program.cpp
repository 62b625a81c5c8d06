#include "commands/run_program.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "commands/result_output.hpp"

namespace capstan::commands {

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
    int code = run(argc, argv,
                   {.in = std::cin,
                    .out = results.stream(),
                    .err = std::cerr,
                    .out_is_terminal = results.is_terminal(),
                    .err_is_terminal = err_is_terminal},
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
