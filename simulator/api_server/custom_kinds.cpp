#include "simulator/api_server/custom_kinds.hpp"

#include <tuple>
#include <utility>

#include <boost/assert.hpp>

#include <capstan/ascii.hpp>
#include <capstan/time_text.hpp>

#include "io/http_syntax.hpp"

namespace capstan::simulator::api_server {
namespace {

constexpr std::string_view share_of_cpu = "targetCPUUtilizationPercentage";

json::object cpu_metric(json::value share) {
    return {{"type", "Resource"},
            {"resource",
             json::object{{"name", "cpu"},
                          {"target", json::object{{"type", "Utilization"},
                                                  {"averageUtilization", std::move(share)}}}}}};
}

/// The target utilization of CPU; NULL: the metric is of another kind.
const json::value* cpu_share(const json::value& metric) {
    const json::object* object = metric.if_object();
    if (object == nullptr || text_at(*object, "resource.name") != "cpu") return nullptr;
    return find_value(*object, "resource.target.averageUtilization");
}

}  // namespace

json::object autoscaler_as_v2(json::object v1) {
    json::object& spec = make_object(v1, "spec");
    if (const json::value* share = spec.if_contains(json_view(share_of_cpu))) {
        json::array metrics{cpu_metric(*share)};
        spec.erase(json_view(share_of_cpu));
        spec["metrics"] = std::move(metrics);
    }
    v1["apiVersion"] = "autoscaling/v2";
    return v1;
}

json::object autoscaler_as_v1(json::object v2) {
    json::object& spec = make_object(v2, "spec");
    if (const json::array* metrics = find_array(spec, "metrics"))
        for (const json::value& metric : *metrics)
            if (const json::value* share = cpu_share(metric)) {
                json::value kept = *share;
                spec[json_view(share_of_cpu)] = std::move(kept);
                break;
            }
    spec.erase("metrics");
    spec.erase("behavior");
    v2["apiVersion"] = "autoscaling/v1";
    return v2;
}

namespace {

std::vector<std::string> texts_at(const json::object& object, std::string_view path) {
    std::vector<std::string> out;
    if (const json::array* list = find_array(object, path))
        for (const json::value& item : *list)
            if (item.is_string()) out.emplace_back(view(item.get_string()));
    return out;
}

std::optional<ScalePaths> scale_in(const json::object& version) {
    const json::object* scale = find_object(version, "subresources.scale");
    if (scale == nullptr) return std::nullopt;
    return ScalePaths{std::string(text_at(*scale, "specReplicasPath")),
                      std::string(text_at(*scale, "statusReplicasPath")),
                      std::string(text_at(*scale, "labelSelectorPath"))};
}

/// The additional printer columns; the age if the definition has none.
std::vector<PrinterColumn> columns_in(const json::object& version) {
    std::vector<PrinterColumn> out;
    if (const json::array* list = find_array(version, "additionalPrinterColumns"))
        for (const json::value& item : *list)
            if (const json::object* column = item.if_object())
                out.push_back({std::string(text_at(*column, "name")),
                               std::string(text_at(*column, "type")),
                               std::string(text_at(*column, "jsonPath")),
                               static_cast<int>(integer_at(*column, "priority").value_or(0))});
    if (out.empty()) out.push_back({"Age", "date", ".metadata.creationTimestamp", 0});
    return out;
}

ResourceKind custom_kind(const json::object& definition, const json::object& version) {
    ResourceKind out{.group = std::string(text_at(definition, "spec.group")),
                     .version = std::string(text_at(version, "name")),
                     .plural = std::string(text_at(definition, "spec.names.plural")),
                     .singular = std::string(text_at(definition, "spec.names.singular")),
                     .kind = std::string(text_at(definition, "spec.names.kind")),
                     .short_names = texts_at(definition, "spec.names.shortNames"),
                     .categories = texts_at(definition, "spec.names.categories")};
    if (out.singular.empty()) out.singular = lower_case(out.kind);
    out.namespaced = text_at(definition, "spec.scope") != "Cluster";
    out.has_status = find_object(version, "subresources.status") != nullptr;
    out.has_generation = true;
    out.is_custom = true;
    out.scale = scale_in(version);
    out.columns = columns_in(version);
    if (const json::object* schema = find_object(version, "schema.openAPIV3Schema"))
        out.schema = std::make_shared<const json::object>(*schema);
    return out;
}

json::object condition(const char* type, const char* reason, const char* message, Time now) {
    return {{"type", type},
            {"status", "True"},
            {"lastTransitionTime", format_rfc3339(now, 0)},
            {"reason", reason},
            {"message", message}};
}

json::object established_status(const json::object& definition, Time now) {
    json::array stored;
    if (const json::array* versions = find_array(definition, "spec.versions"))
        for (const json::value& item : *versions)
            if (const json::object* version = item.if_object();
                version != nullptr && is_true_at(*version, "storage"))
                stored.push_back(json_view(text_at(*version, "name")));
    const json::object* names = find_object(definition, "spec.names");
    return {{"conditions",
             json::array{condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
                         condition("Established", "InitialNamesAccepted",
                                   "the initial names have been accepted", now)}},
            {"acceptedNames", names == nullptr ? json::object() : *names},
            {"storedVersions", std::move(stored)}};
}

/// Whether the name is PLURAL.GROUP: "balancers.balancer.x-k8s.io".
bool has_valid_name(const json::object& definition) {
    const std::string plural(text_at(definition, "spec.names.plural"));
    const std::string group(text_at(definition, "spec.group"));
    return !plural.empty() && !group.empty() && name_of(definition) == plural + "." + group;
}

}  // namespace

std::vector<ResourceKind> kinds_in(const json::object& definition) {
    std::vector<ResourceKind> out;
    if (const json::array* versions = find_array(definition, "spec.versions"))
        for (const json::value& item : *versions)
            if (const json::object* version = item.if_object();
                version != nullptr && is_true_at(*version, "served"))
                out.push_back(custom_kind(definition, *version));
    return out;
}

CustomKinds::CustomKinds(ObjectStore& store) : store_(store) {
    const ResourceKind& kind = store.kind("customresourcedefinitions.apiextensions.k8s.io");
    const Listing definitions = store.list(kind);
    for (const ApiObject& definition : definitions.items) establish(*definition);
    auto made = store.subscribe(kind, store.revision(),
                                {[this](const Change& change) { follow(change); }, {}});
    BOOST_ASSERT(made.has_value());
    subscription_ = std::move(*made);
}

void CustomKinds::follow(const Change& change) {
    if (change.type == ChangeType::deleted) {
        withdraw(*change.object);
    } else {
        establish(*change.object);
    }
}

void CustomKinds::establish(const json::object& definition) {
    const std::string_view name = name_of(definition);
    const KindPtr existing = store_.kinds().find(name);
    if ((existing != nullptr && !existing->is_custom) || !has_valid_name(definition)) return;
    store_.kinds().replace(name, kinds_in(definition));
    if (find_value(definition, "status.acceptedNames") != nullptr) return;
    const auto set = [&](json::object& fresh) {
        fresh["status"] = established_status(definition, store_.now());
    };
    // Fails if the definition is deleted by now; then no status is needed.
    std::ignore = store_.edit(store_.kind("customresourcedefinitions.apiextensions.k8s.io"), "",
                              name_of(definition), set, {.part = ObjectPart::status});
}

/// Deletes the objects of the kind, and serves it no more.
void CustomKinds::withdraw(const json::object& definition) {
    const std::string resource(name_of(definition));
    const KindPtr kind = store_.kinds().find(resource);
    if (kind == nullptr || !kind->is_custom) return;
    for (const ApiObject& object : store_.list(*kind).items)
        std::ignore = store_.remove(*kind, namespace_of(*object), name_of(*object));
    store_.kinds().replace(resource, {});
}

}  // namespace capstan::simulator::api_server
