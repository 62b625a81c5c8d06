#include "kubernetes/client/writes/node_edit.hpp"

#include <algorithm>
#include <string>

#include <boost/json/array.hpp>

#include "kubernetes/client/json_object.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes {
namespace {

using boost::json::array;
using boost::json::object;

std::string taint_key(const boost::json::value& taint) {
    return taint.is_object() ? text_at(taint.get_object(), {"key"}) : std::string();
}

bool is_same(const boost::json::value& written, const Taint& taint) {
    return written.is_object() && text_at(written.get_object(), {"key"}) == taint.key &&
           text_at(written.get_object(), {"value"}) == taint.value &&
           text_at(written.get_object(), {"effect"}) == name_of(taint.effect);
}

object write_taint(const Taint& taint, Time now) {
    object out{{"key", taint.key}, {"effect", name_of(taint.effect)}};
    if (!taint.value.empty()) out["value"] = taint.value;
    // Tolerations that end are counted from then; the API keeps it for this effect alone, to the
    // second.
    const auto at = find_timestamp_text(std::chrono::floor<std::chrono::seconds>(now));
    if (taint.effect == Effect::no_execute && at) out["timeAdded"] = *at;
    return out;
}

/// In the place of the first taint of its key, so that a list does not change its order for
/// nothing.
void set_taint(array& taints, const Taint& taint, Time now) {
    const auto has_key = [&](const auto& each) { return taint_key(each) == taint.key; };
    auto first = std::find_if(taints.begin(), taints.end(), has_key);
    if (first == taints.end()) {
        taints.emplace_back(write_taint(taint, now));
        return;
    }
    const auto same =
        std::find_if(first, taints.end(), [&](const auto& each) { return is_same(each, taint); });
    *first = same != taints.end() ? boost::json::value(*same)
                                  : boost::json::value(write_taint(taint, now));
    taints.erase(std::remove_if(first + 1, taints.end(), has_key), taints.end());
}

void drop_taint(array& taints, const std::string& key) {
    taints.erase(std::remove_if(taints.begin(), taints.end(),
                                [&](const auto& each) { return taint_key(each) == key; }),
                 taints.end());
}

void add_taints(object& patch, const object& node, const engine::NodeChange& change, Time now) {
    const array* before = find_array(node, {"spec", "taints"});
    array taints = before != nullptr ? *before : array();
    for (const std::string& key : change.drop_taints) drop_taint(taints, key);
    for (const Taint& taint : change.set_taints) set_taint(taints, taint, now);
    if (taints == (before != nullptr ? *before : array())) return;
    make_object(patch, "spec")["taints"] =
        taints.empty() ? boost::json::value(nullptr) : boost::json::value(std::move(taints));
}

void add_unschedulable(object& patch, const object& node, const engine::NodeChange& change) {
    if (!change.unschedulable ||
        *change.unschedulable == is_true_at(node, {"spec", "unschedulable"}))
        return;
    make_object(patch, "spec")["unschedulable"] =
        *change.unschedulable ? boost::json::value(true) : boost::json::value(nullptr);
}

void add_annotations(object& patch, const object& node, const engine::NodeChange& change) {
    for (const auto& [key, wanted] : change.annotations) {
        const auto* is = find_value(node, {"metadata", "annotations", key});
        const bool is_so =
            wanted ? is != nullptr && *is == boost::json::string(*wanted) : is == nullptr;
        if (is_so) continue;
        make_object(make_object(patch, "metadata"), "annotations")[key] =
            wanted ? boost::json::value(*wanted) : boost::json::value(nullptr);
    }
}

}  // namespace

std::optional<object> find_node_patch(const object& node, const engine::NodeChange& change,
                                      Time now) {
    object patch;
    add_annotations(patch, node, change);
    add_taints(patch, node, change, now);
    add_unschedulable(patch, node, change);
    if (patch.empty()) return std::nullopt;
    make_object(patch, "metadata")["resourceVersion"] =
        text_at(node, {"metadata", "resourceVersion"});
    return patch;
}

void apply_merge_patch(object& target, const object& patch) {
    for (const auto& [key, value] : patch) {
        if (value.is_null()) {
            target.erase(key);
        } else if (value.is_object()) {
            apply_merge_patch(make_object(target, key), value.get_object());
        } else {
            target[key] = value;
        }
    }
}

}  // namespace capstan::kubernetes
