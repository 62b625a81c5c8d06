#include "kubernetes/client/watch/object_watch.hpp"

#include <utility>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes::client {
namespace {

std::string object_key(const boost::json::object& object) {
    std::string out(base::text_at(object, "metadata.namespace"));
    return out.append("/").append(base::text_at(object, "metadata.name"));
}

}  // namespace

ObjectWatch::ObjectWatch(Api& api, io::Loop& loop, const Options& options)
    : forwarder_(options),
      reflector_(api, loop, forwarder_,
                 {.what = {.name = options.path,
                           .path = options.path,
                           .selectors = options.selectors,
                           .purpose = options.purpose},
                  .kept = nullptr,
                  .page = options.page,
                  .only_pages = true,
                  .seed = options.seed,
                  .on_error = [this](const Error& e) { forwarder_.report_trouble(e); }}) {}

void ObjectWatch::EventForwarder::finish_replace() {
    for (auto at = reported_.begin(); at != reported_.end();) {
        const auto each = at++;
        if (each->second.seen_in == lists_) continue;
        const auto gone = reported_.extract(each);
        report_vanished(gone.key(), gone.mapped());
    }
    report(Change::synced, {});
}

bool ObjectWatch::EventForwarder::is_of_kind(const boost::json::object& object) const {
    const std::string_view kind = base::text_at(object, "kind");
    return (kind.empty() || options_.kind.empty() || kind == options_.kind) &&
           !base::text_at(object, "metadata.name").empty();
}

void ObjectWatch::EventForwarder::set(const boost::json::value& object) {
    const boost::json::object& members = object.get_object();
    if (!is_of_kind(members)) return;
    const std::string key = object_key(members);
    const std::string_view uid = base::text_at(members, "metadata.uid");
    const std::string_view version = base::text_at(members, "metadata.resourceVersion");
    auto at = reported_.find(key);
    if (at != reported_.end() && at->second.uid != uid) {
        const auto gone = reported_.extract(at);
        report_vanished(gone.key(), gone.mapped());
        at = reported_.end();
    }
    const bool is_new = at == reported_.end();
    const bool is_reported = !is_new && at->second.version == version;
    reported_[key] = {std::string(uid), std::string(version), lists_};
    if (!is_reported) report(is_new ? Change::added : Change::modified, with_kind(object));
}

void ObjectWatch::EventForwarder::remove(const boost::json::value& object) {
    if (!is_of_kind(object.get_object())) return;
    if (reported_.erase(object_key(object.get_object())) > 0)
        report(Change::deleted, with_kind(object));
}

void ObjectWatch::EventForwarder::confirm() {
    if (is_in_trouble_) report(Change::synced, {});
}

void ObjectWatch::EventForwarder::report_trouble(const Error& error) {
    is_in_trouble_ = true;
    if (options_.on_error) options_.on_error(error);
}

/// A copy with its own memory, with the apiVersion and kind that items of a list lack.
boost::json::object ObjectWatch::EventForwarder::with_kind(const boost::json::value& object) const {
    boost::json::object out(object.get_object(), boost::json::storage_ptr());
    if (!out.contains("apiVersion")) out["apiVersion"] = options_.api_version;
    if (!out.contains("kind")) out["kind"] = options_.kind;
    return out;
}

void ObjectWatch::EventForwarder::report(Change change, const boost::json::object& object) {
    is_in_trouble_ = false;
    if (options_.on_change) options_.on_change(change, object);
}

void ObjectWatch::EventForwarder::report_vanished(const std::string& key, const Reported& object) {
    const std::size_t slash = key.find('/');
    boost::json::object metadata{{"name", key.substr(slash + 1)}, {"uid", object.uid}};
    if (slash > 0) metadata["namespace"] = key.substr(0, slash);
    report(Change::deleted, {{"apiVersion", options_.api_version},
                             {"kind", options_.kind},
                             {"metadata", std::move(metadata)}});
}

}  // namespace capstan::kubernetes::client
