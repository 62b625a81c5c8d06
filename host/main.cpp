#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "commands/command_line.hpp"
#include "commands/result_output.hpp"

int main(int argc, char** argv) {
    namespace commands = capstan::commands;
    commands::ResultOutput results;
    int code = commands::run(argc, argv,
                             {.in = std::cin,
                              .out = results.stream(),
                              .err = std::cerr,
                              .out_is_terminal = results.is_terminal(),
                              .err_is_terminal = ::isatty(STDERR_FILENO) == 1});
    if (!results.stream().flush()) {
        std::cerr << "capstan: the result could not be written to standard output\n";
        if (code == commands::exit_ok) code = commands::exit_failed;
    }
    std::cerr.flush();
    // Skips static destructors: an abandoned hook may still be running, and static destructors
    // would call or unload plugins in an undefined order.
    std::_Exit(code);
}
