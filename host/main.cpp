#include <cstdlib>
#include <iostream>

#include "commands/command_line.hpp"

int main(int argc, char** argv) {
    const int code =
        capstan::commands::run(argc, argv, {.in = std::cin, .out = std::cout, .err = std::cerr});
    std::cout.flush();
    std::cerr.flush();
    // Not through static destructors: an abandoned hook may still be running, and no plugin is to
    // be called, or unloaded, in an order that nobody chose.
    std::_Exit(code);
}
