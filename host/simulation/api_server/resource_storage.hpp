/// Objects in one piece of memory each.
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

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation::api_server {

/// A copy that never changes, of that revision. All of it lies together and goes at once, so that
/// thousands of old states cost little to keep and to forget. Copies of it, and of its parts, are
/// like any others and may outlive it. [any thread]
ApiObject make_kept(const json::object& object, std::uint64_t revision);

// One resource's objects, what lately happened to them, and their watchers.

enum class ChangeType { added, modified, deleted };

struct Change {
    std::uint64_t revision = 0;
    ChangeType type = ChangeType::added;
    ApiObject object{};  ///< deleted: its last state, with the revision of its end
    ApiObject before{};  ///< NULL: added
};

struct Subscriber {
    std::function<void(const Change&)> changed{};
    /// What comes next is not remembered any more; nothing follows.
    std::function<void()> expired{};
};

class ResourceStorage;

/// Ends what it stands for when it goes. Must go before the store.
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

/// Subscribers are called by the loop, never inside a write, each in the order of the revisions.
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
    /// NULL: none.
    ApiObject find(std::string_view key) const;
    /// As it was at a revision that is not older than `oldest`.
    Objects objects_at(std::uint64_t revision) const;
    bool has_changed_since(std::uint64_t revision) const;
    void record(const std::string& key, Change change);

    /// The oldest revision from which all that happened since is remembered.
    std::uint64_t oldest() const noexcept { return oldest_; }
    void forget_until(std::uint64_t revision);
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

/// "namespace/name"; "/name" of what has no namespace.
std::string object_key(std::string_view space, std::string_view name);
std::string object_key(const json::object& object);

}  // namespace capstan::simulation::api_server
