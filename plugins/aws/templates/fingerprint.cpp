// One hash of all that a template is made from.
//
// Unordered lists are sorted first, and each part begins with its count or a marker, so that no two
// different sources hash the same sequence. The launch template's version is left out: a new
// version with the same contents makes the same machines.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <capstan/ascii.hpp>
#include <capstan/hash.hpp>

#include "group_template.hpp"
#include "node_tags.hpp"

namespace capstan::aws {
namespace {

/// Incremented when make_template changes, so that hosts describe their groups again.
constexpr std::int64_t template_rules = 2;

class TemplateHash {
public:
    void add(std::string_view text) { hash_.add(text); }
    void add(std::int64_t number) { hash_.add(number); }
    void add(const std::optional<std::int64_t>& number) {
        hash_.add(number ? 1 : 0);
        hash_.add(number.value_or(0));
    }
    void add(const Labels& labels) {
        hash_.add(static_cast<std::int64_t>(labels.size()));
        for (const auto& [key, value] : labels) {
            hash_.add(key);
            hash_.add(value);
        }
    }
    void add(const std::vector<Accelerators>& list) {
        hash_.add(static_cast<std::int64_t>(list.size()));
        for (const Accelerators& one : list) {
            hash_.add(one.manufacturer);
            hash_.add(one.name);
            hash_.add(one.count);
        }
    }
    /// Adds the items sorted by `before`.
    template <class T, class Before>
    void add_sorted(const std::vector<T>& list, Before before) {
        std::vector<const T*> sorted;
        sorted.reserve(list.size());
        for (const T& item : list) sorted.push_back(&item);
        std::ranges::sort(sorted, [&](const T* a, const T* b) { return before(*a, *b); });
        hash_.add(static_cast<std::int64_t>(sorted.size()));
        for (const T* item : sorted) add_part(*item);
    }

    void add_part(const InstanceType& type) {
        hash_.add(type.name);
        hash_.add(type.vcpus);
        hash_.add(type.memory_mib);
        hash_.add(static_cast<std::int64_t>(type.architectures.size()));
        for (const std::string& name : type.architectures) hash_.add(name);
        add(type.gpus);
        add(type.neuron_devices);
        hash_.add(type.neuron_cores);
        hash_.add(type.instance_storage_gib);
        hash_.add(type.efa_interfaces);
        hash_.add(type.network_interfaces);
        hash_.add(type.ipv4_per_interface);
        hash_.add(type.has_prefix_delegation ? 1 : 0);
    }
    void add_part(const BlockDevice& device) {
        hash_.add(device.device_name);
        add(device.size_gib);
    }
    void add_part(const EksTaint& taint) {
        hash_.add(taint.key);
        hash_.add(taint.value);
        hash_.add(taint.effect);
    }

    std::uint64_t value() const { return hash_.value(); }

private:
    Hash hash_{};
};

bool is_device_before(const BlockDevice& a, const BlockDevice& b) {
    return std::tie(a.device_name, a.size_gib) < std::tie(b.device_name, b.size_gib);
}

void hash_devices(TemplateHash& hash, const std::vector<BlockDevice>& devices) {
    hash.add_sorted(devices, is_device_before);
}

Labels template_tags(const Labels& tags) {
    Labels out;
    for (const auto& [key, value] : tags)
        if (is_template_tag(key)) out.emplace_hint(out.end(), key, value);
    return out;
}

void hash_group(TemplateHash& hash, const TemplateSources& sources) {
    const auto zone = std::ranges::min_element(sources.group.zones);
    const std::string name = zone == sources.group.zones.end() ? std::string() : *zone;
    const auto id = sources.zone_ids.find(name);
    hash.add(name);
    hash.add(id == sources.zone_ids.end() ? std::string_view() : std::string_view(id->second));
    hash.add(template_tags(sources.group.tags));
}

void hash_types(TemplateHash& hash, const TemplateSources& sources, const TemplateConfig& config) {
    hash.add(static_cast<std::int64_t>(sources.types.size()));
    if (!sources.types.empty() && config.mixed == MixedTemplate::first) {
        hash.add_part(sources.types.front());
    } else if (!sources.types.empty()) {
        hash.add_sorted(sources.types, [](const InstanceType& a, const InstanceType& b) {
            return a.name < b.name;
        });
    } else if (sources.requirements) {
        const InstanceRequirements& asked = *sources.requirements;
        hash.add(asked.vcpu_min);
        hash.add(asked.memory_mib_min);
        hash.add(asked.accelerator_count_min);
        for (const auto& list : {asked.accelerator_manufacturers, asked.accelerator_types}) {
            hash.add(static_cast<std::int64_t>(list.size()));
            for (const std::string& item : list) hash.add(item);
        }
    }
}

void hash_image(TemplateHash& hash, const TemplateSources& sources) {
    hash.add(sources.launch_template ? 1 : 0);
    if (const auto& made_from = sources.launch_template) {
        hash.add(made_from->image_id);
        hash.add(made_from->user_data);
        hash_devices(hash, made_from->block_devices);
        hash.add(made_from->efa_interfaces);
    }
    hash.add(sources.image ? 1 : 0);
    if (const auto& image = sources.image) {
        for (const std::string& text : {image->id, image->name, image->architecture,
                                        image->platform, image->root_device_name})
            hash.add(text);
        hash_devices(hash, image->block_devices);
    }
}

void hash_node_group(TemplateHash& hash, const TemplateSources& sources) {
    hash.add(sources.nodegroup ? 1 : 0);
    if (!sources.nodegroup) return;
    const EksNodegroup& group = *sources.nodegroup;
    for (const std::string& text : {group.name, group.ami_type, group.capacity_type})
        hash.add(text);
    hash.add(group.disk_size_gib ? *group.disk_size_gib : -1);
    hash.add(group.labels);
    hash.add(template_tags(group.tags));
    hash.add_sorted(group.taints, [](const EksTaint& a, const EksTaint& b) {
        return std::tie(a.key, a.effect, a.value) < std::tie(b.key, b.effect, b.value);
    });
}

}  // namespace

std::string fingerprint_of(const TemplateSources& sources, const TemplateConfig& config) {
    TemplateHash hash;
    hash.add(template_rules);
    hash.add(config.region);
    hash.add(static_cast<std::int64_t>(config.mixed));
    hash.add(config.prefix_delegation ? 1 : 0);
    hash.add(config.max_pods ? *config.max_pods : -1);
    hash_group(hash, sources);
    hash_types(hash, sources, config);
    hash_image(hash, sources);
    hash_node_group(hash, sources);
    return hex_text(hash.value());
}

}  // namespace capstan::aws
