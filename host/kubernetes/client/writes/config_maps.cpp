#include "kubernetes/client/writes/config_maps.hpp"

#include <utility>

#include <boost/json/serialize.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/paths.hpp"
#include "kubernetes/client/writes/write_conflicts.hpp"

namespace capstan::kubernetes::client {
namespace {

using boost::json::object;

constexpr std::size_t data_limit = std::size_t{1} << 20;
constexpr std::size_t annotations_limit = std::size_t{256} << 10;

std::string describe_config_map(const ConfigMapName& name) {
    return "ConfigMap " + name.ns + "/" + name.name;
}

std::map<std::string, std::string> texts_of(const object* values) {
    std::map<std::string, std::string> out;
    if (values == nullptr) return out;
    for (const auto& [key, value] : *values) {
        if (value.is_string()) out[key] = value.get_string();
    }
    return out;
}

ConfigMap config_map_of(const object& written) {
    return {.data = texts_of(base::find_object(written, "data")),
            .annotations = texts_of(base::find_object(written, "metadata.annotations")),
            .uid = std::string(base::text_at(written, "metadata.uid")),
            .resource_version = std::string(base::text_at(written, "metadata.resourceVersion"))};
}

/// Applies `change`. True: a value has changed.
bool change_values(object& values, const ConfigMapChange::Values& change) {
    bool is_changed = false;
    for (const auto& [key, value] : change) {
        const boost::json::value* before = values.if_contains(key);
        const bool was_text = before != nullptr && before->is_string();
        if (value && was_text && before->get_string() == *value) continue;
        is_changed = is_changed || value || was_text;
        if (value) {
            values[key] = *value;
        } else {
            values.erase(key);
        }
    }
    return is_changed;
}

/// Keys count as well, which leaves room for the object's other members.
std::size_t size_of(const object* values) {
    std::size_t size = 0;
    if (values == nullptr) return size;
    for (const auto& [key, value] : *values) {
        size += key.size() + (value.is_string() ? value.get_string().size() : 0);
    }
    return size;
}

Result<void> check_size(const object& config_map) {
    const auto too_much = [](std::string_view what, std::size_t size, std::size_t limit) {
        return fail(ErrorCode::quota, std::string(what) + " would be " + std::to_string(size) +
                                          " bytes; the API allows " + std::to_string(limit));
    };
    const std::size_t data = size_of(base::find_object(config_map, "data")) +
                             size_of(base::find_object(config_map, "binaryData"));
    if (data > data_limit) return too_much("its data", data, data_limit);
    const std::size_t notes = size_of(base::find_object(config_map, "metadata.annotations"));
    if (notes > annotations_limit) return too_much("its annotations", notes, annotations_limit);
    return {};
}

}  // namespace

struct ConfigMaps::Attempt {
    ConfigMapName name;
    ConfigMapChange change;
    Read done;
    WriteConflicts conflicts;
};

void ConfigMaps::send(const ConfigMapName& name, std::string method, const object* body,
                      Api::Done done) {
    const bool is_new = method == "POST";
    calls_.send({.method = std::move(method),
                 .path = path_of(resources::config_maps, name.ns, is_new ? "" : name.name),
                 .body = body != nullptr ? boost::json::serialize(*body) : std::string(),
                 .purpose = "config_map"},
                std::move(done));
}

void ConfigMaps::read(const ConfigMapName& name, Read done) {
    send(name, "GET", nullptr, [name, done = std::move(done)](Result<ApiReply> reply) {
        const Result<object> found = parse_object(std::move(reply));
        if (!found) return done(fail(within("read " + describe_config_map(name), found.error())));
        done(config_map_of(*found));
    });
}

void ConfigMaps::write(const ConfigMapName& name, ConfigMapChange change, Read done) {
    attempt(std::make_shared<Attempt>(
        Attempt{name, std::move(change), std::move(done), WriteConflicts(random_)}));
}

void ConfigMaps::attempt(std::shared_ptr<Attempt> attempt) {
    send(attempt->name, "GET", nullptr, [this, attempt](Result<ApiReply> reply) {
        if (!reply && reply.error().code == ErrorCode::not_found) return put(attempt, std::nullopt);
        Result<object> found = parse_object(std::move(reply));
        if (!found) return finish(attempt, fail(std::move(found).error()));
        put(attempt, std::move(*found));
    });
}

void ConfigMaps::put(std::shared_ptr<Attempt> attempt, std::optional<object> before) {
    const bool is_there = before.has_value();
    object config_map =
        is_there
            ? std::move(*before)
            : object{{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", {{"name", attempt->name.name}, {"namespace", attempt->name.ns}}}};
    const bool has_new_data =
        change_values(base::make_object(config_map, "data"), attempt->change.data);
    const bool has_new_notes =
        change_values(base::make_object(base::make_object(config_map, "metadata"), "annotations"),
                      attempt->change.annotations);
    if (const Result<void> fits = check_size(config_map); !fits)
        return finish(attempt, fail(fits.error()));
    if (is_there && !has_new_data && !has_new_notes) return finish(attempt, std::move(config_map));
    send(attempt->name, is_there ? "PUT" : "POST", &config_map,
         [this, attempt](Result<ApiReply> reply) {
             finish(attempt, parse_object(std::move(reply)));
         });
}

void ConfigMaps::finish(std::shared_ptr<Attempt> attempt, Result<object> config_map) {
    if (config_map) return attempt->done(config_map_of(*config_map));
    if (config_map.error().code == ErrorCode::conflict) {
        if (const auto delay = attempt->conflicts.next_delay())
            return calls_.after(*delay, [this, attempt] { this->attempt(attempt); });
    }
    attempt->done(fail(within("write " + describe_config_map(attempt->name), config_map.error())));
}

void ConfigMaps::remove(const ConfigMapName& name, Done done) {
    send(name, "DELETE", nullptr, [name, done = std::move(done)](Result<ApiReply> reply) {
        if (reply || reply.error().code == ErrorCode::not_found) return done({});
        done(fail(within("delete " + describe_config_map(name), reply.error())));
    });
}

}  // namespace capstan::kubernetes::client
