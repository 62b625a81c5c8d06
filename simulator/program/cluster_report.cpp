#include "simulator/program/cluster_report.hpp"

#include <chrono>
#include <cstdio>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "commands/value_text.hpp"

namespace capstan::simulator::program {
namespace {

namespace json = boost::json;

std::int64_t milliseconds(Duration time) {
    return std::chrono::floor<std::chrono::milliseconds>(time).count();
}

json::object json_of(const ClusterPlaces& places) {
    return {{"kind", "open"},
            {"title", places.title},
            {"url", places.url},
            {"admin", places.admin},
            {"kubeconfig", places.kubeconfig.string()},
            {"config", places.config.string()},
            {"state", places.state.string()},
            {"log", places.runs_daemon ? json::value(places.log.string()) : json::value()},
            {"speed", places.speed},
            {"warnings", json::array(places.warnings.begin(), places.warnings.end())}};
}

}  // namespace

void ClusterReport::print(const ClusterPlaces& places) {
    const std::string kubeconfig = places.kubeconfig.string();
    if (!places.title.empty()) out_ << places.title << "\n\n";
    out_ << "The API server listens at " << places.url << ". In another terminal:\n\n"
         << "  export KUBECONFIG=" << kubeconfig << '\n';
    if (!places.runs_daemon) {
        out_ << "  capstan run --config " << places.config.string() << " --state "
             << places.state.string() << '\n';
    }
    out_ << "  kubectl get nodes -w\n"
            "  kubectl get pods -A -o wide\n"
            "  kubectl scale deployment NAME --replicas=20\n"
            "  kubectl get events -n kube-system\n"
            "  kubectl describe configmap cluster-autoscaler-status -n kube-system\n"
         << "  capstan explain matrix --server " << places.admin << '\n';
    if (places.runs_daemon)
        out_ << "\n`capstan run` scales this cluster; its log is " << places.log.string() << ".\n";
    if (places.speed != 1)
        out_ << "\nTimes of the scenario are divided by " << places.speed << ".\n";
    out_ << "Press Ctrl-C to stop.\n\n";
    for (const std::string& remark : places.warnings) out_ << "warning: " << remark << '\n';
    if (!places.warnings.empty()) out_ << '\n';
    out_.flush();
}

/// Prints one line of JSON, or one YAML document.
void ClusterReport::print(const json::object& object) {
    if (format_ == commands::OutputFormat::json) {
        out_ << commands::json_line(object) << std::endl;
    } else {
        out_ << "---\n" << commands::yaml_text(object) << std::flush;
    }
}

void ClusterReport::open(const ClusterPlaces& places) {
    if (format_ == commands::OutputFormat::text) return print(places);
    print(json_of(places));
}

void ClusterReport::print(Duration at, const simulator::live::LiveLine& line) {
    if (format_ != commands::OutputFormat::text) {
        return print(json::object{{"kind", line.kind},
                                  {"at_ms", milliseconds(at)},
                                  {"subject", line.subject},
                                  {"text", line.text}});
    }
    char clock[32];
    std::snprintf(clock, sizeof clock, "%7.1fs  ", std::chrono::duration<double>(at).count());
    // An asterisk marks actions of the scenario; other lines are their consequences.
    out_ << clock << (line.kind == "scenario" ? "* " : "  ") << line.text << std::endl;
}

}  // namespace capstan::simulator::program
