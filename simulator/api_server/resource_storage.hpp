/// The storage of one resource: its objects, their latest changes, and the subscribers.
///
/// The current objects are a map by "namespace/name", and the latest changes are a list ordered by
/// revision, each with the object before and after. So a list at an older revision is the current
/// map with the later changes undone, and a watch is a position in the list of changes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "simulator/api_server/api_object.hpp"

namespace capstan::simulator::api_server {

/// An immutable copy of `object`, with that resourceVersion. The whole copy lies in one block of
/// memory and is freed at once, so that thousands of old objects cost little to keep and to free.
/// A copy of the result, or of a part of it, has memory of its own and may outlive the result.
/// [any thread]
ApiObject make_stored(const json::object& object, std::uint64_t revision);

enum class ChangeType { added, modified, deleted };

struct Change {
    std::uint64_t revision = 0;
    ChangeType type = ChangeType::added;
    ApiObject object{};  ///< if deleted: the last state, with the revision of the deletion
    ApiObject before{};  ///< NULL if added
};

struct Subscriber {
    std::function<void(const Change&)> changed{};
    /// The next change is no longer in the history. The subscriber is not called again.
    std::function<void()> expired{};
};

/// Unsubscribes when it is destroyed. Must be destroyed before the store.
class Subscription {
public:
    struct State;
    explicit Subscription(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;
    ~Subscription();

private:
    std::shared_ptr<State> state_;
};

/// Subscribers are called by the loop, never inside a write, and in the order of the revisions.
/// [the loop's thread]
class ResourceStorage {
public:
    using Objects = std::map<std::string, ApiObject, std::less<>>;
    ResourceStorage(boost::asio::io_context& io, std::size_t history)
        : io_(io), history_(history) {}
    ResourceStorage(const ResourceStorage&) = delete;
    ResourceStorage& operator=(const ResourceStorage&) = delete;

    /// Ordered by "namespace/name".
    const Objects& objects() const noexcept { return objects_; }
    /// NULL: there is no such object.
    ApiObject find(std::string_view key) const;
    /// The objects as of a revision that is not older than `oldest`.
    Objects objects_at(std::uint64_t revision) const;
    bool has_changed_since(std::uint64_t revision) const;
    /// Carries out the change, adds it to the history and wakes the subscribers.
    void record(const std::string& key, Change change);

    /// The oldest revision after which the history is complete.
    std::uint64_t oldest() const noexcept { return oldest_; }
    /// Discards the changes up to a revision.
    void forget_until(std::uint64_t revision);
    /// Calls the subscriber with all changes after that revision, which is not older than `oldest`.
    std::unique_ptr<Subscription> subscribe(std::uint64_t after, Subscriber subscriber);

private:
    void wake(const std::shared_ptr<Subscription::State>& state);
    void deliver(const std::shared_ptr<Subscription::State>& state);
    const Change* next(std::uint64_t after) const;
    void set(const std::string& key, const ApiObject& object);
    void erase(const std::string& key);

    boost::asio::io_context& io_;
    std::size_t history_;
    Objects objects_;
    std::unordered_map<std::string_view, Objects::iterator> by_key_;  ///< of all objects
    std::deque<Change> changes_;
    std::uint64_t oldest_ = 0;
    std::vector<std::weak_ptr<Subscription::State>> subscribers_;
};

/// "namespace/name"; "/name" if there is no namespace.
std::string object_key(std::string_view space, std::string_view name);
std::string object_key(const json::object& object);

}  // namespace capstan::simulator::api_server
