#include "plugin_tool/call_cloud.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>
#include <capstan/testing/fake_settings.hpp>
#include <capstan/testing/plugin_instance.hpp>
#include <capstan/to_abi.hpp>
#include <capstan/whole_number.hpp>

#include "io/curl_http_client.hpp"
#include "plugin_runtime/services/secrets.hpp"
#include "plugin_tool/settings_table.hpp"

namespace capstan::plugin_tool {
namespace {

namespace json = boost::json;
using testing::FakeHost;
using testing::Operation;

constexpr const char* made_up = "made-up";
constexpr auto call_deadline = std::chrono::minutes(2);

/// Sends requests over the network, one after the other.
class Network {
public:
    testing::HttpOutcome answer(const HttpRequest& request) {
        std::optional<Result<HttpReply>> end;
        client_.send(request, [&end](Result<HttpReply> result) { end = std::move(result); });
        // This loop ends: the client fails each request that exceeds its time-out.
        while (!end) io_.run_one_for(std::chrono::milliseconds(100));
        if (!*end) return std::move(*end).error();
        return *std::move(*end);
    }

private:
    boost::asio::io_context io_;
    const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    io::CurlHttpClient client_{io_};
};

/// An instance of the cloud plugin on a testing host of its own.
class CalledCloud {
public:
    CalledCloud(const autoscaler::LoadedPlugin& plugin, const commands::SettingsFile& settings,
                const CloudCall& call)
        : host_({.instance_id = plugin.config.id.value(),
                 .start = call.is_live ? std::chrono::system_clock::now()
                                       : testing::FakeHostOptions().start}),
          settings_(plugin.plugin_class.raw->fields),
          is_live_(call.is_live) {
        if (settings.table) settings_.set_all(to_table(*settings.table));
        if (call.is_live) {
            host_.http().handle([this](const HttpRequest& r) { return network_.answer(r); });
        } else if (!call.recording.empty()) {
            host_.http().handle(testing::play(call.recording));
        }
    }
    CalledCloud(const CalledCloud&) = delete;

    Result<void> start(const autoscaler::LoadedPlugin& plugin, const CloudCall& call) {
        CAPSTAN_CHECK(find_secrets(call.secrets));
        auto instance = testing::PluginInstance::create(host_, *plugin.plugin_class.raw, settings_);
        if (!instance) return fail(within("create", std::move(instance).error()));
        instance_.emplace(*std::move(instance));
        cloud_ = instance_->find<capstan_cloud>(CAPSTAN_KIND_CLOUD);
        if (cloud_ == nullptr) return fail(ErrorCode::internal, "the instance has no cloud");
        const auto& raw = instance_->raw();
        if (!CAPSTAN_HAS(&raw, capstan_instance, start)) return {};
        const capstan_start_request cold{sizeof cold, 0, CAPSTAN_START_COLD, 0};
        return with_call_name(
            "start", ask<void>([&](capstan_op op) { return raw.start(raw.self, op, &cold); }));
    }
    Result<CloudView> refresh() {
        const capstan_refresh_request anew{sizeof anew, CAPSTAN_REFRESH_UNCACHED};
        return with_call_name("refresh", ask<CloudView>([&](capstan_op op) {
                                  return cloud_->refresh(cloud_->self, op, &anew);
                              }));
    }
    /// Empty: the cloud does not describe templates.
    std::optional<Result<NodeTemplate>> describe(const NodeGroupId& group) {
        CAPSTAN_ASSERT(instance_, "a cloud that has not started is called");
        const auto* templates =
            instance_->find<capstan_cloud_templates>(CAPSTAN_INTERFACE_TEMPLATES);
        if (!CAPSTAN_HAS(templates, capstan_cloud_templates, describe)) return std::nullopt;
        const capstan_describe_request request{sizeof request, 0, str(group.value())};
        return ask<NodeTemplate>(
            [&](capstan_op op) { return templates->describe(templates->self, op, &request); });
    }
    Result<Resized> resize(const Resize& resize, bool is_increase) {
        AbiArena arena;
        const capstan_resize raw = arena.to_abi(resize);
        const auto function = is_increase ? cloud_->increase : cloud_->decrease_target;
        return with_call_name(
            is_increase ? "increase" : "decrease_target",
            ask<Resized>([&](capstan_op op) { return function(cloud_->self, op, &raw); }));
    }
    Result<Removed> remove(const Removal& removal) {
        AbiArena arena;
        const capstan_removal raw = arena.to_abi(removal);
        return with_call_name("remove", ask<Removed>([&](capstan_op op) {
                                  return cloud_->remove(cloud_->self, op, &raw);
                              }));
    }
    json::array requests() {
        json::array out;
        for (const HttpRequest& r : host_.http().requests())
            out.emplace_back(r.method + " " + r.url.substr(0, r.url.find('?')));
        return out;
    }

private:
    Result<void> find_secrets(const std::filesystem::path& folder) {
        const plugin_runtime::services::DirectorySecrets files(folder);
        for (const std::string& name : settings_.secrets()) {
            host_.secrets()[name] = made_up;
            if (folder.empty()) continue;
            const auto value = files.read(name);
            if (!value) return fail(within("secret " + name, value.error()));
            host_.secrets()[name] = std::string(value->view());
        }
        return {};
    }
    template <class T>
    static Result<T> with_call_name(const char* call, Result<T> result) {
        if (!result) return fail(within(call, std::move(result).error()));
        return result;
    }
    /// Calls the plugin and waits for the answer. Advances the virtual clock; a live call also
    /// sleeps for the same real time.
    template <class T, class F>
    Result<T> ask(F&& function) {
        const Operation<T> operation = host_.call<T>(std::forward<F>(function), call_deadline);
        host_.run();
        while (!operation.is_done()) {
            const Duration before = host_.monotonic();
            if (!host_.step()) break;
            if (is_live_) std::this_thread::sleep_for(host_.monotonic() - before);
        }
        if (!operation.is_done()) return fail(ErrorCode::deadline, "did not finish");
        return operation.result();
    }

    Network network_;
    FakeHost host_;
    testing::FakeSettings settings_;
    std::optional<testing::PluginInstance> instance_;
    const capstan_cloud* cloud_ = nullptr;
    const bool is_live_;
};

json::object error_json(const Error& error) {
    return {{"code", name_of(error.code)}, {"message", error.message}, {"subject", error.subject}};
}

json::object template_json(const NodeTemplate& node) {
    json::object capacity, allocatable;
    json::array taints;
    for (const Resources::Entry& entry : node.capacity) capacity[entry.resource] = entry.amount;
    for (const Resources::Entry& entry : node.allocatable)
        allocatable[entry.resource] = entry.amount;
    for (const Taint& taint : node.taints) {
        taints.push_back(json::object{
            {"key", taint.key}, {"value", taint.value}, {"effect", name_of(taint.effect)}});
    }
    return {{"machine_type", node.machine_type},       {"zone", node.zone},
            {"capacity", std::move(capacity)},         {"allocatable", std::move(allocatable)},
            {"labels", json::value_from(node.labels)}, {"taints", std::move(taints)},
            {"fingerprint", node.fingerprint}};
}

json::value template_of(CalledCloud& cloud, const NodeGroupId& group) {
    const std::optional<Result<NodeTemplate>> node = cloud.describe(group);
    if (!node) return nullptr;
    if (!*node) return json::object{{"error", error_json(node->error())}};
    return template_json(**node);
}

json::object view_json(CalledCloud& cloud, const CloudView& view) {
    json::array groups, machines, unreadable;
    for (const NodeGroup& g : view.groups) {
        groups.push_back(json::object{
            {"id", g.id.value()},
            {"min", json::value_from(g.min)},
            {"max", json::value_from(g.max)},
            {"target", json::value_from(g.target)},
            {"healthy", json::value_from(g.healthy)},
            {"spot", json::value_from(g.spot)},
            {"price_per_hour", g.price ? json::value_from(g.price->per_hour) : nullptr},
            {"template", template_of(cloud, g.id)}});
    }
    for (const Machine& m : view.machines) {
        machines.push_back(json::object{
            {"id", m.id.value()},
            {"group", m.group.value()},
            {"state", name_of(m.state)},
            {"machine_type", m.machine_type},
            {"zone", m.zone},
            {"spot", json::value_from(m.spot)},
            {"leaves_because", m.leaves ? json::value(name_of(m.leaves->reason)) : nullptr},
            {"error", m.error ? json::value(error_json(*m.error)) : nullptr}});
    }
    for (const Error& e : view.unreadable) unreadable.push_back(error_json(e));
    return {{"complete", view.complete},
            {"groups", std::move(groups)},
            {"machines", std::move(machines)},
            {"unreadable", std::move(unreadable)}};
}

Result<json::object> make_change(CalledCloud& cloud, const CloudView& view,
                                 const CloudChange& change) {
    const std::string key =
        "capstan-plugin-call-" + std::to_string(unix_ns(std::chrono::system_clock::now()));
    if (change.what == CloudChange::What::remove) {
        const auto at = std::ranges::find_if(
            view.machines, [&](const Machine& m) { return m.id.value() == change.subject; });
        if (at == view.machines.end())
            return fail(ErrorCode::not_found, "remove: unknown machine " + change.subject);
        CAPSTAN_TRY(
            const Removed removed,
            cloud.remove({.group = at->group, .machines = {at->id}, .idempotency_key = key}));
        json::array failed;
        for (const Error& e : removed.failed) failed.push_back(error_json(e));
        return json::object{{"failed", std::move(failed)}};
    }
    const auto at = std::ranges::find_if(
        view.groups, [&](const NodeGroup& g) { return g.id.value() == change.subject; });
    if (at == view.groups.end())
        return fail(ErrorCode::not_found, "unknown group " + change.subject);
    CAPSTAN_TRY(const Resized resized, cloud.resize({.group = at->id,
                                                     .delta = change.by,
                                                     .expected_target = at->target.value_or(0),
                                                     .idempotency_key = key},
                                                    change.what == CloudChange::What::increase));
    return json::object{
        {"target", resized.target},
        {"shortfall", resized.shortfall ? json::value(error_json(*resized.shortfall)) : nullptr}};
}

}  // namespace

Result<CloudChange> parse_change(CloudChange::What what, const std::string& text) {
    if (what == CloudChange::What::remove) return CloudChange{what, text, 0};
    const std::size_t equals = text.rfind('=');
    const auto by = equals != std::string::npos && equals > 0
                        ? find_whole_number(std::string_view(text).substr(equals + 1))
                        : std::nullopt;
    if (!by || *by < 1 || *by > 100'000)
        return fail(ErrorCode::invalid_argument,
                    "expected GROUP=N with N from 1 to 100000, not " + capstan::in_quotes(text));
    return CloudChange{what, text.substr(0, equals), static_cast<int>(*by)};
}

Result<json::object> call_cloud(const autoscaler::LoadedPlugin& plugin,
                                const commands::SettingsFile& settings, const CloudCall& call) {
    CalledCloud cloud(plugin, settings, call);
    CAPSTAN_CHECK(cloud.start(plugin, call));
    CAPSTAN_TRY(CloudView view, cloud.refresh());
    json::object change;
    if (call.change) {
        CAPSTAN_TRY(json::object done, make_change(cloud, view, *call.change));
        change = std::move(done);
        CAPSTAN_TRY(CloudView after, cloud.refresh());
        view = std::move(after);
    }
    json::object out = view_json(cloud, view);
    if (call.change) out["change"] = std::move(change);
    out["requests"] = cloud.requests();
    return out;
}

}  // namespace capstan::plugin_tool
