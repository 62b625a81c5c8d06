#include "commands/help_formatter.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>

#include "commands/command_line.hpp"

namespace capstan::commands {

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    const std::string all = Formatter::make_option_opts(option);
    return all.substr(0, std::min(all.find(" Needs:"), all.find(" Excludes:")));
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
    const std::string& own = option->get_description();
    std::set<std::string> needed, excluded;
    for (const CLI::Option* other : option->get_needs())
        if (own.find(other->get_name()) == std::string::npos) needed.insert(other->get_name());
    for (const CLI::Option* other : option->get_excludes()) excluded.insert(other->get_name());
    const auto listed = [](const char* word, const std::set<std::string>& names) {
        std::string out;
        for (const std::string& name : names)
            out += (out.empty() ? std::string(" (") + word + " " : ", ") + name;
        return out.empty() ? out : out + ")";
    };
    return own + listed("only with", needed) + listed("not with", excluded);
}

/// CLI11 keeps a group of options as a command without a name.
std::string HelpFormatter::make_expanded(const CLI::App* command) const {
    if (!command->get_name().empty()) return Formatter::make_expanded(command);
    std::string out = "\n" + command->get_description() + "; one of these is required:\n";
    for (const CLI::Option* option : command->get_options()) {
        if (option == command->get_help_ptr() || option == command->get_help_all_ptr()) continue;
        if (option->get_positional()) out += make_option(option, true);
        if (option->nonpositional()) out += make_option(option, false);
    }
    return out;
}

}  // namespace capstan::commands
