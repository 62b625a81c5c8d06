/// The answers to the last removals by idempotency key, so that a repeated removal has one effect.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

#include <capstan/cloud_view.hpp>

namespace capstan::simulated {

class RemovalAnswers {
public:
    /// The answer to an earlier removal with that key, or NULL. A removal with an empty key is
    /// always new.
    const Removed* find(const std::string& key) const {
        const auto at = by_key_.find(key);
        return at != by_key_.end() ? &at->second : nullptr;
    }
    void keep(const std::string& key, const Removed& answer) {
        if (key.empty() || !by_key_.emplace(key, answer).second) return;
        oldest_first_.push_back(key);
        if (oldest_first_.size() <= kept_max) return;
        by_key_.erase(oldest_first_.front());
        oldest_first_.pop_front();
    }

private:
    static constexpr std::size_t kept_max = 4096;
    std::map<std::string, Removed> by_key_;
    std::deque<std::string> oldest_first_;
};

}  // namespace capstan::simulated
