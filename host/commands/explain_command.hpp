/// `capstan explain`: what it asks, where the answer comes from, and how it is printed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "autoscaler/questions/question.hpp"
#include "commands/chosen_cluster.hpp"
#include "commands/command_line.hpp"
#include "commands/input_options.hpp"
#include "commands/result_output.hpp"

namespace capstan::commands {

/// Exactly one input is set.
struct ExplainInput : InputOptions {
    std::string recorded{};    ///< a recorded pass
    std::string server{};      ///< a daemon's admin URL
    std::string token_file{};  ///< the bearer token for `server`; empty: no token
    std::string ca_file{};     ///< authorities to trust for `server`; empty: the system's
    bool live = false;         ///< the live cluster of `config`
};

struct ExplainArguments {
    ExplainInput input{};
    std::string kind{}, name{}, ns{};  ///< as they were typed
    autoscaler::questions::Question question{};
    std::string at{};                 ///< as it was typed
    std::optional<Duration> after{};  ///< the time, from the start; absent: the dump's own, the end
    std::optional<Time> moment{};     ///< the same as a time of day
    ClusterChoice cluster{};          ///< with --live
    OutputFormat format{};
    bool is_wide = false;
};

/// Answers a question about a scenario, a trace, or a dump with --at, which need a simulation up to
/// the moment of the question. Returns the exit code.
using ExplainOverTime = int (*)(const ExplainArguments& arguments, Streams streams);

/// Adds `explain` below `parent`. All questions that need no simulation are answered here.
CLI::App& define_explain(CLI::App& parent, Action& action, ExplainOverTime over_time);

/// The providerIDs of a dump's nodes, by the id of the simulated machine that stands in.
using ProviderIds = std::map<std::string, std::string, std::less<>>;

/// Prints the answer, or why there is none; returns the exit code.
int print_answer(const ExplainArguments& arguments,
                 Result<autoscaler::questions::Explained> explained,
                 const ProviderIds& provider_ids, Streams streams);

}  // namespace capstan::commands
