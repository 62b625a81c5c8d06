#include "commands/command_line.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/examples.hpp"
#include "commands/options.hpp"
#include "config/text.hpp"
#include "config/upstream_flags.hpp"
#include "io/known_secrets.hpp"

namespace capstan::commands {
namespace {

void add_all_commands(CLI::App& app, Action& action) {
    add_run(app, action);
    add_plan(app, action);
    add_doctor(app, action);
    add_dump(app, action);
    add_explain(app, action);
    add_pipeline(app, action);
    add_crd(app, action);

    CLI::App& config = *app.add_subcommand(
        "config", "Check, print or explain the configuration, or print its JSON Schema");
    config.require_subcommand(1);
    add_config_check(config, action);
    add_config_print(config, action);
    add_config_explain(config, action);
    add_config_schema(config, action);

    add_version(app, action);
}

void add_color(CLI::App& app, ColorChoice& color) {
    app.add_option_function<std::string>(
           "--color",
           [&color](const std::string& word) {
               color = word == "always"  ? ColorChoice::always
                       : word == "never" ? ColorChoice::never
                                         : ColorChoice::automatic;
           },
           "When to use colors: always, never or auto (on terminals, unless NO_COLOR is set), for "
           "example --color=never")
        ->check(one_of({"auto", "always", "never"}))
        ->type_name("WHEN");
}

bool has_color_on_error(const Streams& streams) {
    return uses_color(streams.color, streams.err_is_terminal);
}

/// Describes relations of options in words: "not with --chaos" at an option that excludes another,
/// "only with --live" at one that needs another and does not name it, and "one of these is
/// required" above a group.
class HelpFormatter final : public CLI::Formatter {
public:
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
    std::string make_expanded(const CLI::App* command) const override;
};

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

/// Not copied or moved: callbacks of its commands refer to `action`.
struct CommandLine {
    explicit CommandLine(const Program& program) {
        app.formatter(std::make_shared<HelpFormatter>());
        app.require_subcommand(1);
        app.set_help_all_flag("--help-all", "Print the help of all commands and exit");
        app.set_version_flag("-V,--version", version_text(), "Print the versions and exit");
        add_color(app, color);
        program.add_commands(app, action);
        for (const ExternalCommand& command : program.external_commands)
            add_external_command(app, command);
        add_examples(app);
    }
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    CLI::App app{"Capstan, a Kubernetes cluster autoscaler that is extended by plugins", "capstan"};
    Action action{};
    ColorChoice color = ColorChoice::automatic;
};

using Words = std::vector<const char*>;

/// The index of the first word that is not an option: the command. If there is none: the number of
/// words.
std::size_t command_index(const Words& words) {
    std::size_t at = 1;
    while (at < words.size() && words[at][0] == '-')
        at += std::string_view(words[at]) == "--color" ? 2 : 1;
    return std::min(at, words.size());
}

/// Takes the dashes off the flags of Cluster Autoscaler that `capstan config explain` is asked
/// about, because they are arguments and no options.
void take_dashes_off(Words& words) {
    constexpr std::string_view options[] = {"--color", "--config", "--help", "--help-all"};
    const std::size_t at = command_index(words);
    const bool explains = at + 2 < words.size() && std::string_view(words[at]) == "config" &&
                          std::string_view(words[at + 1]) == "explain";
    if (!explains) return;
    for (const char*& word : std::span(words).subspan(at + 2)) {
        const std::string_view text(word), name = text.substr(0, text.find('='));
        if (text.starts_with("--") && std::ranges::find(options, name) == std::end(options))
            word += text.find_first_not_of('-') == text.npos ? 0 : text.find_first_not_of('-');
    }
}

/// Rewrites `capstan help plan` to `capstan plan --help`.
Words given_words(int argc, const char* const* argv) {
    Words words(argv, argv + argc);
    if (argc >= 2 && std::string_view(argv[1]) == "help") {
        words.erase(words.begin() + 1);
        words.push_back("--help");
    }
    return words;
}

/// Rewrites `capstan-plugin list` to `capstan plugin list`, and moves --color=WHEN, which may be
/// anywhere on the line, before the command.
Words words_to_parse(int argc, const char* const* argv, const Program& program) {
    Words words = given_words(argc, argv);
    std::stable_partition(words.begin() + std::min(argc, 1), words.end(), [](const char* word) {
        return std::string_view(word).starts_with("--color=");
    });
    take_dashes_off(words);
    if (program.command != nullptr)
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(command_index(words)),
                     program.command);
    return words;
}

/// Prints the requested help or version, or the usage error; returns the exit code.
int show(const CLI::App& app, const CLI::ParseError& e, const Streams& streams) {
    if (e.get_exit_code() == 0) return app.exit(e, streams.out, streams.err);
    const std::string message = io::redacted(usage_message(app, e));
    const std::size_t name = message.find(':');
    streams.err << red(message.substr(0, name), has_color_on_error(streams))
                << message.substr(name);
    return exit_usage;
}

}  // namespace

Program capstan_program() {
    return {.add_commands = add_all_commands, .external_commands = shipped_commands()};
}

namespace {

/// Without hidden commands.
std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!each->get_name().empty() && !each->get_group().empty())
            out.push_back(each->get_name());
    return out;
}

/// The arguments of the program that has the command at this index.
Words passed_words(const Words& words, std::size_t at, bool passes_name) {
    Words out(words.begin() + 1, words.end());
    if (!passes_name) out.erase(out.begin() + static_cast<std::ptrdiff_t>(at - 1));
    return out;
}

Error execute_shipped(const ExternalCommand& command, Words arguments) {
    const Result<std::filesystem::path> program = program_beside(command.program);
    return within(command.name,
                  program ? execute(*program, std::move(arguments)) : program.error());
}

/// Without a person at the terminal, a program of PATH is only named, so that what a script runs
/// does not depend on the environment.
Result<void> execute_vendors(const std::string& name, Words arguments) {
    if (const auto program = find_program(name, program_folders(is_interactive())))
        return fail(within(name, execute(*program, std::move(arguments))));
    if (const auto program = find_program(name, program_folders(true)))
        return fail(ErrorCode::not_found,
                    name + ": PATH is searched only for a person at a terminal; run " +
                        program->string() + " itself");
    return {};
}

}  // namespace

Result<void> execute_external_command(int argc, const char* const* argv, const Program& program) {
    if (program.external_commands.empty()) return {};
    const Words words = given_words(argc, argv);
    const std::size_t at = command_index(words);
    if (at == words.size()) return {};
    const std::string name = words[at];
    for (const ExternalCommand& command : program.external_commands)
        if (name == command.name)
            return fail(execute_shipped(command, passed_words(words, at, command.passes_name)));
    const CommandLine line(program);
    if (std::ranges::count(commands_of(line.app), name) > 0) return {};
    return execute_vendors(name, passed_words(words, at, false));
}

namespace {

/// Whether the line asks for the help that lists all commands.
bool asks_for_list(const Words& words) {
    if (command_index(words) < words.size()) return false;
    return std::ranges::any_of(words, [](std::string_view word) {
        return word == "-h" || word == "--help" || word == "--help-all";
    });
}

/// What the other programs print for --help-all, or why that is not known.
void print_help_all(const Program& program, std::ostream& out) {
    std::set<std::string_view> printed;
    for (const ExternalCommand& command : program.external_commands) {
        if (!printed.insert(command.program).second) continue;
        const Result<std::string> help = help_of_all_commands(command.program);
        out << '\n' << (help ? *help : within(command.name, help.error()).message + '\n');
    }
}

}  // namespace

bool parses(int argc, const char* const* argv, std::ostream& err, const Program& program) {
    CommandLine line(program);
    try {
        const Words words = words_to_parse(argc, argv, program);
        line.app.parse(static_cast<int>(words.size()), words.data());
        return true;
    } catch (const CLI::ParseError& e) {
        std::istringstream nothing;
        show(line.app, e, {.in = nothing, .out = err, .err = err});
        return false;
    }
}

int refuse(Streams streams, std::string_view why, int code) {
    streams.err << red("capstan:", has_color_on_error(streams)) << ' '
                << io::redacted(std::string(why)) << '\n';
    return code;
}

int refuse(Streams streams, const Error& why) {
    const bool is_bad_input =
        why.code == ErrorCode::invalid_config || why.code == ErrorCode::invalid_argument;
    return refuse(streams, why.message, is_bad_input ? exit_usage : exit_failed);
}

int run(int argc, const char* const* argv, Streams streams, const Program& program) {
    CommandLine line(program);
    try {
        const Words words = words_to_parse(argc, argv, program);
        if (!program.external_commands.empty() && asks_for_list(words))
            list_programs(line.app, program.external_commands);
        line.app.parse(static_cast<int>(words.size()), words.data());
        streams.color = line.color;
        return line.action(streams);
    } catch (const CLI::ParseError& e) {
        streams.color = line.color;
        const int code = show(line.app, e, streams);
        const bool is_help_all = dynamic_cast<const CLI::CallForAllHelp*>(&e) != nullptr &&
                                 line.app.get_subcommands().empty();
        if (is_help_all) print_help_all(program, streams.out);
        return code;
    } catch (const std::exception& e) {
        streams.err << "capstan: " << e.what() << '\n';
        return exit_failed;
    }
}

namespace {

/// The innermost command that the line names.
const CLI::App& innermost(const CLI::App& app) {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
    return *at;
}

/// The long options of the command, and of its option groups, which CLI11 keeps as subcommands
/// without a name.
std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!each->get_name().empty()) continue;
        const std::vector<std::string> grouped = options_of(*each);
        out.insert(out.end(), grouped.begin(), grouped.end());
    }
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
    return out;
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
    return out;
}

/// A hint for an argument that is probably meant as the command's configuration file. Empty: it has
/// no such option, or the argument is another one.
std::string config_hint(const CLI::App& command, const std::string& word) {
    const bool is_file = word == "-f" || word == "--file" || word == "--filename" ||
                         word.ends_with(".toml") || word.ends_with(".yaml");
    const std::vector<std::string> options = options_of(command);
    const bool takes_config = std::ranges::count(options, "--config") > 0;
    return is_file && takes_config ? "; the configuration file is given as --config FILE" : "";
}

/// The message for `word`, an argument that the command does not take.
std::string unknown(const CLI::App& command, const std::string& word) {
    const std::string shown = config::shortened(word, 60);
    if (word.starts_with('-')) {
        const std::string option = word.substr(0, word.find('='));
        std::string hint = config_hint(command, option);
        if (hint.empty()) hint = config::upstream_flag_hint(option);
        if (hint.empty()) hint = config::suggestion(option, options_of(command));
        return "unknown option '" + shown + "'" + hint;
    }
    const std::vector<std::string> commands = commands_of(command);
    if (commands.empty()) return "unexpected argument '" + shown + "'" + config_hint(command, word);
    const std::string meant = config::suggestion(word, commands);
    return "unknown command '" + shown + "'" +
           (meant.empty() ? "; commands are " + joined(commands) : meant);
}

/// CLI11's message about missing options. The one about a group of options, of which exactly one
/// must be given, lists short names and aliases too: "Exactly 1 option from [-f,--filename] is
/// required".
std::string required(const std::string& message) {
    const std::size_t open = message.find('['), close = message.find(']');
    if (!message.starts_with("Exactly 1 option from [") || close == std::string::npos)
        return message;
    std::istringstream names(message.substr(open + 1, close - open - 1));
    std::vector<std::string> options;
    for (std::string name; std::getline(names, name, ',');)
        if (name.starts_with("--")) options.push_back(name);
    const bool are_several = message.find("were given", close) != std::string::npos;
    return (are_several ? "only one of these options is allowed: "
                        : "one of these options is required: ") +
           joined(options);
}

/// CLI11's messages in other words.
std::string plain(const CLI::ParseError& error) {
    std::string message = error.what();
    const auto replaced = [&message](std::string_view what, const std::string& by,
                                     const std::string& end) {
        const std::size_t at = message.find(what);
        if (at == std::string::npos) return message;
        return message.substr(0, at) + by + message.substr(at + what.size()) + end;
    };
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return required(message);
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
        return replaced(" excludes ", " and ", " cannot be used together");
    if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr)
        return replaced(" requires ", " needs ", "");
    constexpr std::string_view conversion = "Could not convert: ", needed = ": 1 required ";
    if (const std::size_t at = message.find(needed); at != std::string::npos) {
        const std::string type = message.substr(at + needed.size());
        return message.substr(0, at) + " needs a value: " + type.substr(0, type.find(" missing"));
    }
    if (message.starts_with(conversion))
        return message.substr(conversion.size()) + " is not a number";
    return message;
}

std::string what_is_wrong(const CLI::App& command, const CLI::ParseError& error) {
    const std::vector<std::string> left = command.remaining();
    if (!left.empty()) return unknown(command, left.front());
    const std::vector<std::string> commands = commands_of(command);
    const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    if (is_missing && !commands.empty()) return "missing command: " + joined(commands);
    return plain(error);
}

/// "capstan config print".
std::string line_of(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return (parent == nullptr ? "" : line_of(*parent) + " ") + command.get_name();
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& command = innermost(app);
    const std::string line = line_of(command);
    return line + ": " + what_is_wrong(command, error) + "\nRun `" + line + " --help` for help.\n";
}

}  // namespace capstan::commands
