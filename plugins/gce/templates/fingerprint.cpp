#include <string>

#include <capstan/ascii.hpp>
#include <capstan/hash.hpp>

#include "group_template.hpp"

namespace capstan::gce {

/// Instance templates are immutable; a recreated one with the same name has another id.
std::string fingerprint_of(const TemplateSources& sources, const TemplateConfig& config) {
    const InstanceTemplate& from = sources.instance_template;
    std::string out = from.link.path() + "#" + from.id;
    std::string rest;
    for (const std::string& zone : sources.group.zones) rest += zone + ",";
    rest += ";" + from.machine_type + ";";
    if (sources.machine_type) {
        const GceMachineType& type = *sources.machine_type;
        rest += std::to_string(type.vcpus) + "x" + std::to_string(type.memory_mib) + type.arch;
        for (const GceMachineType::Accelerator& one : type.accelerators)
            rest += "+" + std::to_string(one.count) + one.type;
        rest += "+" + std::to_string(type.bundled_local_ssds);
    }
    if (sources.image)
        rest += ";" + sources.image->link.path() + sources.image->arch +
                std::to_string(sources.image->size_gb);
    for (const std::string& type : sources.group.flexible_types) rest += ";" + type;
    if (config.max_pods) rest += ";pods=" + std::to_string(*config.max_pods);
    return out + "#" + hex_text(fnv1a64(rest));
}

}  // namespace capstan::gce
