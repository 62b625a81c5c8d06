#include <algorithm>
#include <string>
#include <vector>

#include <capstan/label_syntax.hpp>

#include "fuzzing.hpp"
#include "templates/group_template.hpp"
#include "templates/kube_env.hpp"
#include "templates/node_labels_and_taints.hpp"

namespace {

using namespace capstan;

void require_reasons(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings)
        fuzz::require(!warning.empty(), "a warning says something");
}

void require_node(const NodeTemplate& node) {
    for (const auto& [key, value] : node.labels)
        fuzz::require(check_label_key(key) && check_label_value(value),
                      "labels are valid in Kubernetes");
    for (const auto& [resource, amount] : node.allocatable)
        fuzz::require(amount >= 0, "no amount is negative");
}

/// Writing labels and taints a second time changes nothing, and they are read back.
void require_rewriting(const std::string& kube_env) {
    const Labels labels{{"team", "ml"}};
    const std::vector<Taint> taints{
        {.key = "dedicated", .value = "ml", .effect = Effect::no_schedule}};
    const auto once = gce::write_kube_env(kube_env, labels, taints);
    if (!once) return fuzz::require(!once.error().message.empty(), "a refusal has a reason");
    const auto twice = gce::write_kube_env(*once, labels, taints);
    fuzz::require(twice && *twice == *once, "writing a second time changes nothing");
    const auto env = gce::KubeEnv::parse(*once);
    std::vector<std::string> warnings;
    fuzz::require(env && gce::read_node_labels(*env, warnings).at("team") == "ml",
                  "written labels are read back");
    const auto read = gce::read_node_taints(*env, warnings);
    fuzz::require(std::ranges::count(read, taints.front()) > 0, "written taints are read back");
    fuzz::require(warnings.empty(), "written labels and taints cause no warning");
}

/// The numbers in the name of a custom machine type stay in bounds, whatever the name is.
void require_figures(const std::string& name) {
    const auto type = gce::parse_custom_type(name);
    if (!type) return fuzz::require(!type.error().message.empty(), "a refusal has a reason");
    if (!*type) return;
    fuzz::require((*type)->vcpus > 0 && (*type)->vcpus <= 65'536,
                  "the number of cores is in bounds");
    fuzz::require((*type)->memory_mib > 0 && (*type)->memory_mib <= std::int64_t{1} << 30,
                  "the memory is in bounds");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string kube_env(fuzz::text_of(data, size));
    gce::TemplateSources sources;
    sources.group.link = {"p", {gce::Scope::zone, "z-a"}, "instanceGroupManagers", "web"};
    sources.instance_template.machine_type = "n2-standard-4";
    sources.instance_template.metadata["kube-env"] = kube_env;
    sources.instance_template.disks = {{.is_boot = true, .size_gb = 100}};
    sources.machine_type =
        gce::GceMachineType{.name = "n2-standard-4", .vcpus = 4, .memory_mib = 16384};
    const auto made = gce::make_template(sources, {});
    const auto again = gce::make_template(sources, {});
    fuzz::require(made.has_value() == again.has_value(), "equal kube-env gives an equal template");
    if (!made) {
        fuzz::require(!made.error().message.empty(), "a refusal has a reason");
    } else {
        fuzz::require(made->node == again->node, "equal kube-env gives an equal template");
        require_reasons(made->warnings);
        require_node(made->node);
    }
    require_reasons(gce::read_kube_env_options(sources.instance_template).warnings);
    require_rewriting(kube_env);
    require_figures(kube_env);
    return 0;
}
