/// An asynchronous call from the view of the test that makes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <capstan/abi/call.h>
#include <capstan/abi/service_ops.h>
#include <capstan/assert.hpp>
#include <capstan/async_expander.hpp>
#include <capstan/controller.hpp>
#include <capstan/from_abi.hpp>
#include <capstan/from_abi_provisioning.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// A request of the conformance suite. `Raw` is a struct that begins with `struct_size` and
/// `flags`.
template <class Raw>
inline constexpr Raw asked_by_verify = [] {
    Raw request{};
    request.struct_size = sizeof request;
    request.flags = CAPSTAN_CALL_VERIFY;
    return request;
}();

namespace detail {

/// Receives the end of an operation. Called once, under a lock of the fake host.
class OperationSink {
public:
    virtual ~OperationSink() = default;
    virtual void end_with(const void* result) = 0;
    virtual void end_with(Error error) = 0;
};

/// For each type of a result: its CAPSTAN_RESULT_*, and how it is copied from the ABI.
template <class T>
struct Crossing;
template <>
struct Crossing<void> {
    static constexpr std::uint32_t type = CAPSTAN_RESULT_NONE;
    static Result<void> from_abi(const void*) { return {}; }
};
template <>
struct Crossing<CloudView> {
    static constexpr std::uint32_t type = CAPSTAN_RESULT_CLOUD_VIEW;
    static Result<CloudView> from_abi(const void* raw) {
        return cloud_view_from_abi(*static_cast<const capstan_cloud_view*>(raw));
    }
};
template <>
struct Crossing<Resized> {
    static constexpr std::uint32_t type = CAPSTAN_RESULT_RESIZED;
    static Result<Resized> from_abi(const void* raw) {
        return resized_from_abi(*static_cast<const capstan_resized*>(raw));
    }
};
template <>
struct Crossing<Removed> {
    static constexpr std::uint32_t type = CAPSTAN_RESULT_REMOVED;
    static Result<Removed> from_abi(const void* raw) {
        return removed_from_abi(*static_cast<const capstan_removed*>(raw));
    }
};
template <>
struct Crossing<MachineTypes> {
    static constexpr std::uint32_t type = CAPSTAN_RESULT_MACHINE_TYPES;
    static Result<MachineTypes> from_abi(const void* raw) {
        return machine_types_from_abi(*static_cast<const capstan_machine_types*>(raw));
    }
};
template <>
struct Crossing<NodeTemplate> {
    static constexpr std::uint32_t type = CAPSTAN_RESULT_TEMPLATE;
    static Result<NodeTemplate> from_abi(const void* raw) {
        return template_from_abi(*static_cast<const capstan_template*>(raw));
    }
};

/// The number of options is not known here, so the caller has to check the indices.
template <>
struct Crossing<KeptOptions> {
    static constexpr std::uint32_t type = CAPSTAN_RESULT_SELECTION;
    static Result<KeptOptions> from_abi(const void* raw) {
        return kept_options_from_abi(*static_cast<const capstan_selection*>(raw),
                                     std::numeric_limits<std::uint32_t>::max());
    }
};
template <>
struct Crossing<Reconciled> {
    static constexpr std::uint32_t type = CAPSTAN_RESULT_RECONCILED;
    static Result<Reconciled> from_abi(const void* raw) {
        return reconciled_from_abi(*static_cast<const capstan_reconciled*>(raw));
    }
};

template <class T>
class TypedSink : public OperationSink {
public:
    void end_with(const void* result) override {
        if (result == nullptr && !std::is_void_v<T>) {
            return end_with(
                Error{ErrorCode::internal, "the operation ended well, but without its result"});
        }
        set(Crossing<T>::from_abi(result));
    }
    void end_with(Error error) override { set(fail(std::move(error))); }

    bool is_done() const noexcept { return done_.load(std::memory_order_acquire); }
    const Result<T>& result() const {
        CAPSTAN_ASSERT(result_, "an operation is read before it is done");
        return *result_;
    }

private:
    void set(Result<T> result) {
        result_.emplace(std::move(result));
        done_.store(true, std::memory_order_release);
    }
    std::optional<Result<T>> result_;
    std::atomic<bool> done_ = false;
};

}  // namespace detail

/// A copyable handle to one operation of a FakeHost, made by FakeHost::open. T is the type of its
/// result, one of those with a detail::Crossing: void, CloudView and so on. The result was copied
/// and checked when the operation ended; a malformed result is an `internal` error that names the
/// place.
template <class T>
class Operation {
public:
    Operation(capstan_op id, std::shared_ptr<detail::TypedSink<T>> sink)
        : id_(id), sink_(std::move(sink)) {}

    /// The id to pass to a function of the plugin.
    capstan_op id() const noexcept { return id_; }
    bool is_done() const noexcept { return sink_->is_done(); }
    /// Throws std::logic_error if the operation is not done.
    const Result<T>& result() const {
        if (!is_done()) throw std::logic_error("the operation is still open");
        return sink_->result();
    }

private:
    capstan_op id_;
    std::shared_ptr<detail::TypedSink<T>> sink_;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
