/// A map with an upper limit that drops the least recently used key (LRU).
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace capstan::kubernetes::client {

/// Keeps the values of the `limit` most recently used keys; at least one. find() and operator[]
/// count as a use of their key. References stay valid until their key is dropped.
template <class Value>
class RecentlyUsed {
public:
    explicit RecentlyUsed(std::size_t limit) : limit_(limit) {}

    /// NULL: the key was never set, or was dropped.
    Value* find(const std::string& key) {
        const auto at = at_.find(key);
        if (at == at_.end()) return nullptr;
        order_.splice(order_.begin(), order_, at->second);
        return &at->second->second;
    }
    /// The value of `key`; a missing one is added.
    Value& operator[](const std::string& key) {
        if (Value* known = find(key)) return *known;
        order_.emplace_front(key, Value{});
        at_[key] = order_.begin();
        if (order_.size() > limit_ && order_.size() > 1) {
            at_.erase(order_.back().first);
            order_.pop_back();
        }
        return order_.front().second;
    }
    void erase(const std::string& key) {
        const auto at = at_.find(key);
        if (at == at_.end()) return;
        order_.erase(at->second);
        at_.erase(at);
    }
    std::size_t size() const noexcept { return order_.size(); }

private:
    using Order = std::list<std::pair<std::string, Value>>;
    std::size_t limit_;
    Order order_;  ///< the most recently used one first
    std::unordered_map<std::string, typename Order::iterator> at_;
};

}  // namespace capstan::kubernetes::client
