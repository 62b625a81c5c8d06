#include "runtime/engine_settings.hpp"

namespace capstan::runtime {
namespace {

engine::Bound bound(std::string_view resource, const Bounds& bounds) {
    engine::Bound out{.min = amount_of(resource, bounds.min)};
    if (bounds.max) out.max = amount_of(resource, *bounds.max);
    return out;
}

engine::TemplateSource source(TemplateSource from) {
    return from == TemplateSource::cloud ? engine::TemplateSource::cloud
                                         : engine::TemplateSource::mixed;
}

}  // namespace

engine::Settings make_settings(const ScaleUp& scale_up, const Limits& limits) {
    engine::Settings out{
        .expendable_pods_priority_cutoff = scale_up.expendable_pods_priority_cutoff,
        .new_pod_delay = scale_up.new_pod_delay,
        .bypassed_scheduler_names = scale_up.bypassed_scheduler_names,
        .allowed_scheduler_names = scale_up.allowed_scheduler_names,
        .template_source = source(scale_up.template_source),
        .force_daemon_sets = scale_up.force_ds,
        .reserve_from_nodes = scale_up.reserve_from_nodes,
        .startup_taints = scale_up.startup_taint,
        .startup_taint_prefixes = scale_up.startup_taint_prefix,
        .status_taints = scale_up.status_taint,
        .balance_similar = scale_up.balance_similar,
        .one_option_per_pass = scale_up.one_option_per_pass,
        .max_nodes_per_scale_up = scale_up.max_nodes_per_scaleup,
        .cpu = bound("cpu", limits.cpu),
        .memory = bound("memory", limits.memory),
        .gpu = bound("gpu", limits.gpu),
        .nodes = bound("nodes", limits.nodes),
        .max_node_provision_time = scale_up.max_node_provision_time,
        .max_node_startup_time = scale_up.max_node_startup_time,
        .backoff_initial = scale_up.initial_node_group_backoff_duration,
        .backoff_max = scale_up.max_node_group_backoff_duration,
        .backoff_reset = scale_up.node_group_backoff_reset_timeout};
    for (const auto& [resource, bounds] : limits.gpu_types)
        out.gpu_types[resource] = bound(resource, bounds);
    return out;
}

}  // namespace capstan::runtime
