#include "simulator/api_server/object_checks.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <capstan/ascii.hpp>
#include <capstan/label_syntax.hpp>

#include "simulator/api_server/label_query.hpp"

namespace capstan::simulator::api_server {
namespace {

bool is_path_segment(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of("/%") == std::string_view::npos;
}

/// Sets the member if it is missing. False: it has another value.
bool set_or_match(json::object& object, std::string_view path, std::string_view expected) {
    const std::string_view found = text_at(object, path);
    if (found.empty()) set_value(object, path, json_view(expected));
    return found.empty() || found == expected;
}

/// Metadata that no client may change, whichever part of the object it writes.
constexpr std::array immutable_metadata = {"name",
                                           "namespace",
                                           "uid",
                                           "creationTimestamp",
                                           "deletionTimestamp",
                                           "deletionGracePeriodSeconds",
                                           "generation",
                                           "resourceVersion"};

void keep_metadata(json::object& written, const json::object& current) {
    json::object& fresh = make_object(written, "metadata");
    const json::object& old = current.at("metadata").as_object();
    for (const char* key : immutable_metadata) take_member(fresh, old, key);
    if (!fresh.contains("managedFields")) take_member(fresh, old, "managedFields");
}

bool is_exponent(std::string_view text) {
    if (!text.starts_with('e') && !text.starts_with('E')) return false;
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && std::ranges::all_of(text, is_ascii_digit);
}

/// "1500m", "16Gi", "1e3", "0.5"
bool is_quantity(const json::value& value) {
    constexpr std::array<std::string_view, 16> units = {
        "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    if (value.is_number()) return true;
    if (!value.is_string()) return false;
    std::string_view text = view(value.get_string());
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, end), unit = text.substr(end);
    return std::ranges::any_of(number, is_ascii_digit) && std::ranges::count(number, '.') <= 1 &&
           (std::ranges::count(units, unit) > 0 || is_exponent(unit));
}

/// `amounts`, NULL: there is nothing to check.
Answer<void> check_quantities(const ResourceKind& kind, const json::object* amounts) {
    if (amounts == nullptr) return {};
    for (const auto& [resource, amount] : *amounts)
        if (!is_quantity(amount))
            return fail(bad_request(kind.kind + " in version \"" + kind.version +
                                    "\" cannot be handled as a " + kind.kind + ": " +
                                    std::string(view(resource)) +
                                    ": quantities must match the regular expression "
                                    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"));
    return {};
}

Answer<void> check_containers(const ResourceKind& kind, const json::object& pod,
                              std::string_view list) {
    const json::array* containers = find_array(pod, list);
    if (containers == nullptr) return {};
    for (const json::value& item : *containers)
        if (const json::object* container = item.if_object())
            for (const std::string_view which : {"resources.requests", "resources.limits"})
                CAPSTAN_CHECK(check_quantities(kind, find_object(*container, which)));
    return {};
}

/// Equality apart from the members `ignored`.
bool is_same(const json::object& a, const json::object& b,
             std::initializer_list<std::string_view> ignored) {
    const auto counts = [&](const json::key_value_pair& member) {
        return std::ranges::find(ignored, view(member.key())) == ignored.end();
    };
    const auto agrees = [&](const json::key_value_pair& member) {
        const json::value* match = b.if_contains(member.key());
        return !counts(member) || (match != nullptr && is_equal(*match, member.value()));
    };
    return std::ranges::count_if(a, counts) == std::ranges::count_if(b, counts) &&
           std::ranges::all_of(a, agrees);
}

}  // namespace

namespace {

/// What Go's decoder calls the type of a value that is not an object.
const char* go_type_of(const json::value& value) {
    if (value.is_string()) return "string";
    if (value.is_array()) return "array";
    return value.is_bool() ? "bool" : "number";
}

}  // namespace

Answer<void> check_identity(const ResourceKind& kind, std::string_view space,
                            json::object& object) {
    if (!set_or_match(object, "kind", kind.kind) ||
        !set_or_match(object, "apiVersion", kind.api_version()))
        return fail(bad_request(kind.resource() + " in version " + kind.api_version() +
                                " cannot be handled as a " +
                                std::string(text_at(object, "apiVersion")) + " " +
                                std::string(text_at(object, "kind"))));
    if (const json::value* metadata = object.if_contains("metadata");
        metadata != nullptr && !metadata->is_object())
        return fail(
            bad_request(kind.kind + " in version \"" + kind.version + "\" cannot be handled as a " +
                        kind.kind + ": json: cannot unmarshal " + go_type_of(*metadata) +
                        " into Go struct field " + kind.kind + ".metadata of type v1.ObjectMeta"));
    json::object& metadata = make_object(object, "metadata");
    if (!kind.namespaced) {
        metadata.erase("namespace");
    } else if (!set_or_match(object, "metadata.namespace", space)) {
        return fail(bad_request(
            "the namespace of the provided object does not match the namespace sent on the "
            "request"));
    }
    return {};
}

Answer<void> check_name(const ResourceKind& kind, std::string_view name) {
    const bool takes_any = kind.group == "rbac.authorization.k8s.io";
    if (takes_any ? is_path_segment(name) : is_dns_subdomain(name)) return {};
    return fail(invalid(kind.resource(), std::string(name),
                        name.empty()
                            ? "metadata.name: Required value: name or generateName is required"
                            : "metadata.name: Invalid value: \"" + std::string(name) +
                                  "\": a lowercase RFC 1123 subdomain must consist of lower case "
                                  "alphanumeric characters, '-' or '.', and must start and end "
                                  "with an alphanumeric character"));
}

Answer<void> check_amounts(const ResourceKind& kind, const json::object& object) {
    for (const std::string_view path : {"spec", "spec.template.spec"})
        if (const json::object* pod = find_object(object, path))
            for (const std::string_view list : {"containers", "initContainers"})
                CAPSTAN_CHECK(check_containers(kind, *pod, list));
    for (const std::string_view path : {"status.capacity", "status.allocatable", "spec.hard"})
        CAPSTAN_CHECK(check_quantities(kind, find_object(object, path)));
    return {};
}

Answer<void> check_selector(const ResourceKind& kind, const json::object& object,
                            const json::object* before) {
    if (kind.group != "apps" || kind.resource() == "controllerrevisions.apps") return {};
    const auto refused = [&](const char* why) {
        return fail(invalid(kind.resource(), std::string(name_of(object)), why));
    };
    const json::object* selector = find_object(object, "spec.selector");
    const json::object* old = before == nullptr ? nullptr : find_object(*before, "spec.selector");
    const json::object* pods = find_object(object, "spec.template");
    if (old != nullptr && selector != nullptr && !is_equal(*old, *selector))
        return refused("spec.selector: Invalid value: field is immutable");
    const json::object* old_pods =
        before == nullptr ? nullptr : find_object(*before, "spec.template");
    if (old_pods != nullptr && pods != nullptr && is_equal(*old_pods, *pods)) return {};
    if (selector == nullptr) return refused("spec.selector: Required value");
    const LabelQuery query = label_query_of(*selector);
    if (query.empty()) return refused("spec.selector: Invalid value: empty selector is invalid");
    if (pods == nullptr || !has_labels(*pods, query))
        return refused(
            "spec.template.metadata.labels: Invalid value: `selector` does not match template "
            "`labels`");
    return {};
}

Answer<void> check_preconditions(const ResourceKind& kind, const json::object& current,
                                 std::string_view uid, std::string_view resource_version) {
    const std::string name(name_of(current));
    const std::string_view current_uid = uid_of(current);
    if (!uid.empty() && uid != current_uid)
        return fail(conflict(kind.resource(), name,
                             "Precondition failed: UID in precondition: " + std::string(uid) +
                                 ", UID in object meta: " + std::string(current_uid)));
    if (!resource_version.empty() &&
        resource_version != text_at(current, "metadata.resourceVersion"))
        return fail(conflict(kind.resource(), name,
                             "the object has been modified; please apply your changes to the "
                             "latest version and try again"));
    return {};
}

json::object merge_parts(const ResourceKind& kind, const json::object& current,
                         json::object written, ObjectPart part) {
    if (part == ObjectPart::status) {
        json::object out = current;
        take_member(out, written, "status");
        return out;
    }
    keep_metadata(written, current);
    if (part == ObjectPart::all_but_status && kind.has_status)
        take_member(written, current, "status");
    return written;
}

bool is_same_object(const json::object& a, const json::object& b) {
    const json::object* metadata_a = find_object(a, "metadata");
    const json::object* metadata_b = find_object(b, "metadata");
    return is_same(a, b, {"metadata"}) && metadata_a != nullptr && metadata_b != nullptr &&
           is_same(*metadata_a, *metadata_b, {"resourceVersion", "managedFields"});
}

bool is_same_desire(const json::object& a, const json::object& b) {
    return is_same(a, b, {"apiVersion", "kind", "metadata", "status"});
}

std::string name_suffix(std::uint64_t random) {
    // No vowels, and no two characters that look similar: names are readable and spell no words.
    constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
    std::string out;
    for (int i = 0; i < 5; ++i, random /= letters.size()) out += letters[random % letters.size()];
    return out;
}

bool has_finalizers(const json::object& object) {
    const json::array* finalizers = find_array(object, "metadata.finalizers");
    return finalizers != nullptr && !finalizers->empty();
}

}  // namespace capstan::simulator::api_server
