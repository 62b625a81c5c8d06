#include "commands/run_program.hpp"
#include "plugin_tool/plugin_program.hpp"

int main(int argc, char** argv) {
    capstan::commands::run_program(argc, argv, capstan::plugin_tool::plugin_program());
}
