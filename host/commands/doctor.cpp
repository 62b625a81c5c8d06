#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "autoscaler/config_doubts.hpp"
#include "autoscaler/daemon/checkup.hpp"
#include "autoscaler/daemon/host_environment.hpp"
#include "commands/live_command.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "commands/table.hpp"
#include "io/known_secrets.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

using autoscaler::daemon::Finding;
using autoscaler::daemon::Verdict;

struct DoctorArguments {
    LiveChoice live;
    OutputFormat format{};
    bool is_wide = false;
};

std::string colored(std::string_view word, Verdict verdict, bool is_on) {
    switch (verdict) {
        case Verdict::good: return green(word, is_on);
        case Verdict::warning: return yellow(word, is_on);
        case Verdict::missing: return red(word, is_on);
    }
    return "";
}

std::string_view word_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::good: return "ok";
        case Verdict::warning: return "warning";
        case Verdict::missing: return "MISSING";
    }
    return "";
}

void print_findings(std::ostream& out, const std::vector<Finding>& findings, bool has_color,
                    bool is_wide) {
    std::vector<std::vector<std::string>> rows{{"", "WHAT", "FOUND"}};
    if (is_wide) rows.front().emplace_back("TO DO");
    for (const Finding& finding : findings) {
        rows.push_back({colored(word_of(finding.verdict), finding.verdict, has_color), finding.what,
                        finding.found});
        if (is_wide) rows.back().push_back(finding.fix);
    }
    print_table(out, rows);
    if (is_wide) return;
    const bool has_fixes =
        std::ranges::any_of(findings, [](const Finding& f) { return !f.fix.empty(); });
    if (!has_fixes) return;
    out << '\n' << bold("TO DO", has_color) << '\n';
    for (const Finding& finding : findings)
        if (!finding.fix.empty()) out << "  " << finding.what << ": " << finding.fix << '\n';
}

json::array findings_json(const std::vector<Finding>& findings) {
    json::array out;
    for (const Finding& finding : findings)
        out.push_back(json::object{{"verdict", word_of(finding.verdict)},
                                   {"what", finding.what},
                                   {"found", finding.found},
                                   {"fix", finding.fix}});
    return out;
}

/// A configuration that cannot be loaded, or plugins that do not start, are findings like others.
std::vector<Finding> look(const LiveChoice& choice, std::ostream& err) {
    const std::string& file = choice.config;
    const auto loaded = load_live_config(choice, err);
    if (!loaded) {
        err << loaded.error().message;
        return {{Verdict::missing, "configuration", file + " has errors (listed above)",
                 "fix the file; check it with `capstan config check`"}};
    }
    std::vector<Finding> out{{Verdict::good, "configuration", file + " is valid", ""}};
    for (const auto& remark : autoscaler::daemon::check_environment((*loaded)->config))
        out.push_back({Verdict::warning, remark.what, remark.found, remark.fix});
    for (const auto& doubt : autoscaler::find_config_doubts((*loaded)->config, (*loaded)->plugins))
        out.push_back({Verdict::warning, doubt.what, doubt.found, doubt.fix});
    const auto host = autoscaler::PluginHost::start((*loaded)->config, (*loaded)->plugins,
                                                    {.seed = random_seed(),
                                                     .version = CAPSTAN_VERSION,
                                                     .has_cluster = true,
                                                     .is_dry_run = true});
    if (!host) {
        out.push_back({Verdict::missing, "plugins", host.error().message,
                       "fix the settings or credentials of the plugin"});
        return out;
    }
    const auto more = autoscaler::daemon::examine((*loaded)->config, **host, CAPSTAN_VERSION);
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

int run_doctor(const DoctorArguments& arguments, Streams streams) {
    std::signal(SIGPIPE, SIG_IGN);
    std::vector<Finding> findings = look(arguments.live, streams.err);
    // Error messages of servers and plugins may contain secrets that were sent to them.
    for (Finding& finding : findings) finding.found = io::redacted(std::move(finding.found));
    if (arguments.format != OutputFormat::text) {
        print_value(streams, arguments.format, findings_json(findings));
    } else {
        print_findings(streams.out, findings, uses_color(streams.color, streams.out_is_terminal),
                       arguments.is_wide);
    }
    const bool is_well = std::ranges::none_of(
        findings, [](const Finding& finding) { return finding.verdict == Verdict::missing; });
    return is_well ? exit_ok : exit_failed;
}

}  // namespace

void add_doctor(CLI::App& parent, Action& action) {
    const auto [command, arguments] = add_command(
        parent, action, "doctor",
        "Check what `run` needs: configuration, credentials, permissions, clock, plugins, clouds",
        run_doctor);
    add_live_choice(command, arguments.live);
    add_output_format(command, arguments.format, &arguments.is_wide);
}

}  // namespace capstan::commands
