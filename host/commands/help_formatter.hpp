/// The layout of help texts.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace capstan::commands {

/// Describes relations of options in words: "not with --chaos" at an option that excludes another,
/// "only with --live" at one that needs another and does not name it, and "one of these is
/// required" above a group.
class HelpFormatter final : public CLI::Formatter {
public:
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
    std::string make_expanded(const CLI::App* command) const override;
};

}  // namespace capstan::commands
