/// The last responses by idempotency key, so that a repeated request has one effect.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

template <class Answer>
class Recent {
public:
    /// The response to an earlier request with this key, or NULL. A request without a key is always
    /// new.
    const Answer* find(std::string_view key) const {
        for (const auto& [known, answer] : answers_) {
            if (!key.empty() && known == key) return &answer;
        }
        return nullptr;
    }
    Answer keep(std::string key, Answer answer) {
        if (answers_.size() == kept_max) answers_.pop_front();
        if (!key.empty()) answers_.emplace_back(std::move(key), answer);
        return answer;
    }

private:
    static constexpr std::size_t kept_max = 256;
    std::deque<std::pair<std::string, Answer>> answers_;
};
