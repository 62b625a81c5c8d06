#include "cloud_messages.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace capstan::external_grpc {
namespace {

constexpr std::int64_t nanos = 1'000'000'000;
constexpr int class_out_of_resources = 1;

Duration duration_of(const wire::Duration& received) {
    // A longer duration would overflow the nanoseconds.
    constexpr std::int64_t longest = std::int64_t{365} * 24 * 3600 * 100;
    const std::int64_t seconds = std::clamp<std::int64_t>(received.seconds(), -longest, longest);
    return Duration(seconds * nanos + received.nanos());
}

void set(wire::Duration& out, Duration value) {
    out.set_seconds(value.count() / nanos);
    out.set_nanos(static_cast<std::int32_t>(value.count() % nanos));
}

MachineState state_of(const wire::InstanceStatus& status) {
    switch (status.instancestate()) {
        case wire::InstanceStatus::instanceCreating: return MachineState::creating;
        case wire::InstanceStatus::instanceDeleting: return MachineState::deleting;
        default: return MachineState::running;
    }
}

Error error_of(const wire::InstanceErrorInfo& info, const std::string& machine) {
    const bool is_shortage = info.instanceerrorclass() == class_out_of_resources;
    Error out{is_shortage ? ErrorCode::out_of_capacity : ErrorCode::unavailable,
              info.errormessage().empty() ? info.errorcode() : info.errormessage()};
    out.provider_code = info.errorcode();
    out.subject = machine;
    return out;
}

template <class T>
std::optional<T> if_other(T received, T sent) {
    return received == sent ? std::nullopt : std::optional<T>(received);
}

std::optional<Duration> if_other(bool is_set, const wire::Duration& received, Duration sent) {
    return is_set ? if_other(duration_of(received), sent) : std::nullopt;
}

}  // namespace

Machine machine_of(const wire::Instance& instance, const NodeGroupId& group) {
    Machine out{
        .id = MachineId(instance.id()), .group = group, .state = state_of(instance.status())};
    const wire::InstanceErrorInfo& error = instance.status().errorinfo();
    if (out.state == MachineState::creating && !error.errorcode().empty()) {
        out.state = MachineState::failed;
        out.error = error_of(error, instance.id());
    }
    return out;
}

wire::NodeGroupAutoscalingOptions message_of(const OptionDefaults& defaults) {
    wire::NodeGroupAutoscalingOptions out;
    out.set_scaledownutilizationthreshold(defaults.utilization_threshold);
    out.set_scaledowngpuutilizationthreshold(defaults.gpu_utilization_threshold);
    out.set_zeroormaxnodescaling(defaults.zero_or_max);
    out.set_ignoredaemonsetsutilization(defaults.ignore_daemonsets_utilization);
    set(*out.mutable_scaledownunneededduration(), defaults.unneeded_time);
    set(*out.mutable_scaledownunreadyduration(), defaults.unready_time);
    set(*out.mutable_maxnodeprovisionduration(), defaults.max_node_provision_time);
    set(*out.mutable_maxnodestartupduration(), defaults.max_node_startup_time);
    return out;
}

GroupOptions options_of(const wire::NodeGroupAutoscalingOptions& received,
                        const OptionDefaults& sent) {
    GroupOptions out;
    out.utilization_threshold =
        if_other(received.scaledownutilizationthreshold(), sent.utilization_threshold);
    out.gpu_utilization_threshold =
        if_other(received.scaledowngpuutilizationthreshold(), sent.gpu_utilization_threshold);
    out.zero_or_max = if_other(received.zeroormaxnodescaling(), sent.zero_or_max);
    out.ignore_daemonsets_utilization =
        if_other(received.ignoredaemonsetsutilization(), sent.ignore_daemonsets_utilization);
    out.unneeded_time = if_other(received.has_scaledownunneededduration(),
                                 received.scaledownunneededduration(), sent.unneeded_time);
    out.unready_time = if_other(received.has_scaledownunreadyduration(),
                                received.scaledownunreadyduration(), sent.unready_time);
    out.max_node_provision_time =
        if_other(received.has_maxnodeprovisionduration(), received.maxnodeprovisionduration(),
                 sent.max_node_provision_time);
    return out;
}

const std::string& node_bytes_of(const wire::NodeGroupTemplateNodeInfoResponse& received) {
    return received.nodebytes().empty() ? received.nodeinfo() : received.nodebytes();
}

wire::ExternalGrpcNode message_of(const NodeReference& node) {
    wire::ExternalGrpcNode out;
    out.set_providerid(node.provider_id);
    out.set_name(node.name);
    for (const auto& [key, value] : node.labels) out.mutable_labels()->insert({key, value});
    for (const auto& [key, value] : node.annotations)
        out.mutable_annotations()->insert({key, value});
    return out;
}

wire::Timestamp message_of(Time time) {
    const auto count = time.time_since_epoch().count();
    wire::Timestamp out;
    out.set_seconds(count / nanos);
    out.set_nanos(static_cast<std::int32_t>(count % nanos));
    return out;
}

}  // namespace capstan::external_grpc
