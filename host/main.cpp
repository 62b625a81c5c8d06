#include "commands/run_program.hpp"

int main(int argc, char** argv) {
    capstan::commands::run_program(argc, argv, capstan::commands::capstan_program());
}
