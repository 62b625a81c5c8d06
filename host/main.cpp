#include "commands/run_program.hpp"
#include "plugin_commands/plugin_program.hpp"

int main(int argc, char** argv) {
    using namespace capstan;
    commands::run_program(argc, argv, {.add_commands = [](CLI::App& app, commands::Action& action) {
                              commands::capstan_program().add_commands(app, action);
                              plugin_commands::add_commands(app, action);
                          }});
}
