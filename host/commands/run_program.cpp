#include "commands/run_program.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "commands/result_output.hpp"

namespace capstan::commands {

void run_program(int argc, const char* const* argv, const Program& program) {
    ResultOutput results;
    int code = run(argc, argv,
                   {.in = std::cin,
                    .out = results.stream(),
                    .err = std::cerr,
                    .out_is_terminal = results.is_terminal(),
                    .err_is_terminal = ::isatty(STDERR_FILENO) == 1},
                   program);
    if (!results.stream().flush()) {
        std::cerr << "capstan: the result could not be written to standard output\n";
        if (code == exit_ok) code = exit_failed;
    }
    std::cerr.flush();
    // Skips static destructors: an abandoned hook may still be running, and static destructors
    // would call or unload plugins in an undefined order.
    std::_Exit(code);
}

}  // namespace capstan::commands
