/// Where classes may go instead of what their spread constraint says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace capstan::engine {

/// [one thread]
class Allowances {
public:
    bool has(std::uint32_t subject) const noexcept {
        return subject < of_.size() && of_[subject].is_set;
    }
    /// By domain, how many more; only for who has some.
    std::span<const int> left(std::uint32_t subject) const noexcept { return of_[subject].left; }

    /// With the first one the other domains get nothing.
    void set(std::uint32_t subject, std::uint32_t domain, int pods, std::size_t domains);
    void end(std::uint32_t subject);
    /// What was allowed is used up; below zero it comes back.
    void use(std::uint32_t subject, std::uint32_t domain, int pods) noexcept {
        of_[subject].left[domain] -= pods;
    }
    /// Takes back the last `set` or `end`.
    void undo();

private:
    struct Allowance {
        bool is_set = false;
        std::vector<int> left;  // by domain
    };
    struct Change {
        std::uint32_t subject = 0;
        Allowance before;
    };
    void remember(std::uint32_t subject);

    std::vector<Allowance> of_;
    std::vector<Change> changes_;
};

}  // namespace capstan::engine
