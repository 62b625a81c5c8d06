// Options of a group by `autoscaling_options` of kube-env, with upstream's names.
#include <capstan/group_option_text.hpp>

#include "group_template.hpp"
#include "kube_env.hpp"

namespace capstan::gce {

KubeEnvOptions read_kube_env_options(const InstanceTemplate& from) {
    KubeEnvOptions out;
    const auto at = from.metadata.find("kube-env");
    const Result<KubeEnv> env =
        at == from.metadata.end() ? Result<KubeEnv>(KubeEnv()) : KubeEnv::parse(at->second);
    if (!env) return out;  // the template is an error then
    const std::optional<std::string> text =
        env->find_autoscaler_variable("autoscaling_options").value_or(std::nullopt);
    if (!text) return out;
    const Result<PairList> pairs = parse_pairs(*text);
    if (!pairs) {
        out.warnings.push_back("kube-env, autoscaling_options: " + pairs.error().message);
        return out;
    }
    GroupOptions options;
    for (const auto& [name, value] : *pairs) {
        const Result<void> read = read_group_option(name, value, options);
        if (!read)
            out.warnings.push_back("kube-env, autoscaling_options, " + name + ": " +
                                   read.error().message);
    }
    if (options != GroupOptions()) out.options = options;
    return out;
}

}  // namespace capstan::gce
