/// One instance of a plugin class on a FakeHost, created and destroyed as by a real host.
#pragma once

#include <memory>
#include <tuple>
#include <utility>

#include <capstan/abi/plugin.h>
#include <capstan/testing/fake_call.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/fake_settings.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// Owns the instance; host and class must outlive it. The destructor stops the instance, unless
/// that was done before, and destroys it.
class PluginInstance {
public:
    /// Fails with the error that the class reported. `internal`: `create` succeeded without a
    /// usable instance.
    static Result<PluginInstance> create(FakeHost& host, const capstan_class& of,
                                         FakeSettings& settings) {
        FakeCall call;
        const capstan_instance* instance = nullptr;
        const capstan_status status =
            of.create(host.handle(), settings.raw(), call.raw(), &instance);
        if (status != CAPSTAN_OK) {
            return fail(call.failure().value_or(Error{error_code(status), "create says no more"}));
        }
        if (instance == nullptr)
            return fail(ErrorCode::internal, "create succeeded and left no instance");
        if (!CAPSTAN_HAS(instance, capstan_instance, interface_of) ||
            !CAPSTAN_HAS(instance, capstan_instance, destroy)) {
            return fail(ErrorCode::internal,
                        "create left an instance without interface_of or destroy");
        }
        return PluginInstance(host, *instance);
    }
    PluginInstance(PluginInstance&& other) noexcept
        : host_(other.host_),
          instance_(std::exchange(other.instance_, nullptr)),
          is_stopped_(other.is_stopped_) {}
    PluginInstance& operator=(PluginInstance&&) = delete;
    ~PluginInstance() {
        if (instance_ == nullptr) return;
        if (!is_stopped_) std::ignore = stop();
        destroy();
    }

    const capstan_instance& raw() const noexcept { return *instance_; }
    /// The table of an interface, or nullptr.
    template <class Table>
    const Table* find(const char* interface_id) const noexcept {
        return static_cast<const Table*>(instance_->interface_of(instance_->self, interface_id));
    }
    /// Succeeds at once if the instance has no `start`.
    Result<void> start() {
        if (!CAPSTAN_HAS(instance_, capstan_instance, start)) return {};
        return host_->settle(host_->call<void>([&](capstan_op op) {
            return instance_->start(instance_->self, op, &asked_by_verify<capstan_start_request>);
        }));
    }
    /// As FakeHost::stop. Afterwards the host is ready for the next instance.
    Result<void> stop() {
        is_stopped_ = true;
        Result<void> stopped = host_->stop(instance_);
        host_->restart();
        return stopped;
    }
    /// Destroys the instance without stopping it first.
    void destroy() noexcept {
        const capstan_instance* const gone = std::exchange(instance_, nullptr);
        if (gone != nullptr) gone->destroy(gone->self);
    }

private:
    PluginInstance(FakeHost& host, const capstan_instance& instance) noexcept
        : host_(&host), instance_(&instance) {}

    FakeHost* host_;
    const capstan_instance* instance_;
    bool is_stopped_ = false;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
