#include "kubernetes/client/access/kubeconfig_decode.hpp"

namespace capstan::kubernetes {
namespace {

constexpr std::string_view v1 = "client.authentication.k8s.io/v1";
constexpr std::string_view v1beta1 = "client.authentication.k8s.io/v1beta1";
constexpr std::string_view v1alpha1 = "client.authentication.k8s.io/v1alpha1";

void check_api_version(const KubeconfigEntry& entry, std::string_view version) {
    if (version == v1 || version == v1beta1) return;
    entry.complain("apiVersion", version == v1alpha1
                                     ? "v1alpha1 is gone; let the plugin's own tool write this "
                                       "user anew, with v1 or v1beta1"
                                     : "expects client.authentication.k8s.io/v1 or /v1beta1");
}

void check_interaction(const KubeconfigEntry& entry, std::string_view version) {
    const std::string mode = entry.text("interactiveMode");
    if (mode == "Never" || mode == "IfAvailable") return;
    if (mode == "Always") {
        entry.complain("interactiveMode",
                       "Always: the plugin wants to ask somebody, and nobody sits here");
    } else if (!mode.empty() || version == v1) {
        entry.complain("interactiveMode", "expects Never or IfAvailable");
    }
}

/// Only a bare name is left to PATH.
std::string decode_command(const KubeconfigEntry& entry) {
    std::string command = entry.text("command");
    if (command.empty()) entry.complain("command", "is missing: the program to run");
    if (command.find('/') == std::string::npos) return command;
    return entry.path("command").string();
}

}  // namespace

ExecPlugin decode_exec_plugin(const KubeconfigEntry& entry) {
    ExecPlugin out;
    out.api_version = entry.text("apiVersion");
    check_api_version(entry, out.api_version);
    check_interaction(entry, out.api_version);
    out.command = decode_command(entry);
    out.arguments = entry.texts("args");
    for (const KubeconfigEntry& variable : entry.each("env")) {
        std::string name = variable.text("name");
        if (name.empty() || name.find('=') != std::string::npos)
            entry.complain("env", "expects a name for each variable");
        out.variables.emplace_back(std::move(name), variable.text("value"));
    }
    out.install_hint = entry.text("installHint");
    out.provides_cluster_info = entry.flag("provideClusterInfo");
    return out;
}

}  // namespace capstan::kubernetes
