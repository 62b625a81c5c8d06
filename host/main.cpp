#include <iostream>

#include "commands/command_line.hpp"

int main(int argc, char** argv) {
    return capstan::commands::run(argc, argv, {.in = std::cin, .out = std::cout, .err = std::cerr});
}
