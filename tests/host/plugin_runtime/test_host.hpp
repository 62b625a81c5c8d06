// A host for plugins under test with manual time; log lines and HTTP requests are recorded.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <capstan/plugin.hpp>

#include "config/settings_view.hpp"
#include "plugin_runtime/instances/instance.hpp"

namespace capstan::plugin_runtime {

/// Holds requests until the test answers them.
class FakeHttp final : public io::HttpClient {
public:
    struct Sent {
        HttpRequest request;
        Done done;
    };
    explicit FakeHttp(boost::asio::io_context& io) : io_(io) {}

    RequestId send(HttpRequest request, Done done) override {
        sent.emplace(++last_, Sent{std::move(request), std::move(done)});
        return last_;
    }
    RequestId stream(HttpRequest request, Listener listener, Done done) override {
        return send(std::move(request), [listener = std::move(listener),
                                         done = std::move(done)](Result<HttpReply> reply) {
            if (reply) {
                const std::string body = std::exchange(reply->body, {});
                if (listener.on_head) listener.on_head(*reply);
                if (listener.on_part && !body.empty()) listener.on_part(body);
            }
            done(std::move(reply));
        });
    }
    void cancel(RequestId id) override { answer(id, fail(ErrorCode::cancelled, "cancelled")); }
    void answer(RequestId id, Result<HttpReply> reply) {
        auto found = sent.extract(id);
        if (found.empty()) return;
        boost::asio::post(io_, [done = std::move(found.mapped().done), reply = std::move(reply)] {
            done(reply);
        });
    }
    void set_tls(const io::TlsOptions& options) override { tls.push_back(options); }
    std::map<RequestId, Sent> sent;
    std::vector<io::TlsOptions> tls;  ///< each argument of set_tls

private:
    boost::asio::io_context& io_;
    RequestId last_ = 0;
};

/// Log lines; thread-safe.
class Lines {
public:
    void add(std::string_view line) {
        const std::lock_guard lock(mutex_);
        text_.append(line).append("\n");
    }
    std::string text() const {
        const std::lock_guard lock(mutex_);
        return text_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;
};

struct TestHost {
    boost::asio::io_context io;
    std::shared_ptr<io::ManualClock> clock =
        std::make_shared<io::ManualClock>(time_from_unix_ns(1'000'000'000));
    io::ManualLoop loop{io, clock};
    std::shared_ptr<Lines> lines = std::make_shared<Lines>();
    std::shared_ptr<plugin_runtime::services::Metrics> metrics =
        std::make_shared<plugin_runtime::services::Metrics>();
    std::shared_ptr<FakeHttp> http = std::make_shared<FakeHttp>(io);
    std::string user_agent{};  ///< of the newest instance
    std::shared_ptr<plugin_runtime::services::StateStore> state =
        std::make_shared<plugin_runtime::services::MemoryStateStore>();
    std::shared_ptr<plugin_runtime::services::SecretSource> secrets{};
    std::shared_ptr<plugin_runtime::loop::Breadcrumbs> crumbs{};
    bool has_strand_threads = false;
    std::shared_ptr<plugin_runtime::loop::CallWatches> calls{};
    plugin_runtime::services::DraftIds drafts{};

    plugin_runtime::services::HostEnvironment environment() {
        const auto log = std::make_shared<plugin_runtime::services::Logger>(
            config::Log{.level = config::LogLevel::debug, .per_plugin = {}}, clock,
            [to = lines](std::string_view line) { to->add(line); });
        plugin_runtime::services::HostEnvironment out{loop,  log,    metrics, {},    secrets,
                                                      state, crumbs, 42,      "test"};
        out.http = [this](const std::string& agent) {
            user_agent = agent;
            return http;
        };
        out.has_strand_threads = has_strand_threads;
        out.calls = calls;
        out.drafts = drafts;
        return out;
    }
};

inline plugin_runtime::services::InstanceIdentity identity(const char* id) {
    return {.id = PluginInstanceId(id), .class_id = "probe"};
}

inline Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> create(
    TestHost& host, const capstan_class& type,
    plugin_runtime::services::InstanceIdentity instance = identity("probe")) {
    static const config::SettingValue none;
    config::SettingsView settings(none, "plugin.probe.settings", nullptr);
    const auto kept = std::make_shared<capstan_class>(type);
    return plugin_runtime::instances::PluginInstance::create(
        host.environment(), {kept.get(), kept, std::move(instance)}, *settings.abi());
}

/// Records the result of a `done` callback.
class Outcome {
public:
    plugin_runtime::instances::PluginInstance::Done receive() {
        return [kept = kept_](Result<void> result) { kept->push_back(std::move(result)); };
    }
    bool has_value() const { return !kept_->empty(); }
    std::size_t count() const { return kept_->size(); }
    const Result<void>& get() const { return kept_->at(0); }

private:
    std::shared_ptr<std::vector<Result<void>>> kept_ =
        std::make_shared<std::vector<Result<void>>>();
};

inline Result<void> start(TestHost& host, plugin_runtime::instances::PluginInstance& instance) {
    Outcome outcome;
    instance.start(std::chrono::seconds(10), outcome.receive());
    host.loop.settle();
    return outcome.get();
}

/// Stops within a minute of virtual time.
inline Result<void> stop(TestHost& host, plugin_runtime::instances::PluginInstance& instance) {
    Outcome outcome;
    instance.stop(std::chrono::seconds(10), outcome.receive());
    host.loop.advance(std::chrono::minutes(1));
    return outcome.get();
}

/// A running instance of T, stopped by the destructor.
template <class T>
class Running {
public:
    explicit Running(TestHost& host,
                     plugin_runtime::services::InstanceIdentity instance = identity("probe"))
        : host_(host),
          instance_(create(host, make_class<T>({.id = "probe", .doc = "Under test."}),
                           std::move(instance))
                        .value()) {
        EXPECT_TRUE(start(host_, *instance_));
    }
    ~Running() {
        if (instance_) std::ignore = stop(host_, *instance_);
    }
    plugin_runtime::instances::PluginInstance& operator*() const { return *instance_; }
    plugin_runtime::instances::PluginInstance* operator->() const { return instance_.get(); }
    const std::shared_ptr<plugin_runtime::instances::PluginInstance>& shared() const {
        return instance_;
    }
    void release() { instance_ = nullptr; }

private:
    TestHost& host_;
    std::shared_ptr<plugin_runtime::instances::PluginInstance> instance_;
};

}  // namespace capstan::plugin_runtime
