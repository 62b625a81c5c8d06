#include "commands/options.hpp"

#include <charconv>

#include "config/text.hpp"

namespace capstan::commands {

void add_config_file(CLI::App& app, std::string& file) {
    add_option(app, "-c,--config", file, "FILE", config_help)->required();
}

void add_overrides(CLI::App& app, std::vector<std::string>& set) {
    add_option(app, "--set", set, "KEY=VALUE",
               "Override a setting, such as scale_up.backoff=until_joined; may be repeated")
        ->allow_extra_args(false);
}

CLI::Validator at_least_one() {
    return CLI::Validator(
        [](const std::string& text) {
            long long number = 0;
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), number);
            const bool is_read = error == std::errc() && end == text.data() + text.size();
            return is_read && number >= 1 ? std::string()
                                          : "expected an integer of at least 1, not '" +
                                                config::shortened(text, 40) + "'";
        },
        "");
}

CLI::Validator one_of(std::vector<std::string> words) {
    return CLI::Validator(
        [words = std::move(words)](const std::string& text) {
            std::string all;
            for (const std::string& word : words) {
                if (text == word) return std::string();
                const char* const separator = &word == &words.back() ? " or " : ", ";
                all += (all.empty() ? "" : separator) + word;
            }
            return "expected " + all + ", not '" + config::shortened(text, 40) + "'" +
                   config::suggestion(text, words);
        },
        "");
}

}  // namespace capstan::commands
