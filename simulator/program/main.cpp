#include "commands/run_program.hpp"
#include "simulator/program/simulator_program.hpp"

int main(int argc, char** argv) {
    capstan::commands::run_program(argc, argv, capstan::simulator::program::simulator_program());
}
