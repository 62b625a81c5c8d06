/// What the server agreed to, until its lists show it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <capstan/cloud_view.hpp>

namespace capstan::external_grpc {

/// Servers answer a resize without a target, and may list the old one for a while. [strand]
class Answers {
public:
    /// Whether the request was decided on the target that the server lists, or on the one that it
    /// agreed to last, with or without the machines that it agreed to remove since.
    bool suits(const Resize& request, int listed) const;
    /// The target with what the server agreed to and does not list yet.
    int counted(const NodeGroupId& group, int listed) const;
    /// Whether the request was made before: its answer was given, or it ended without one and the
    /// list shows its `goal` now.
    bool is_repeat(const Resize& request, int goal, int listed) const;
    /// A request is on its way, and may be carried out without an answer.
    void begin(const Resize& request);
    void agree(const Resize& request, int target);
    /// Machines that the server agreed to remove; its list showed that target before.
    void lower(const NodeGroupId& group, int by, int listed);

    /// A moment to compare answers with.
    std::uint64_t moment() noexcept { return ++clock_; }
    /// A list that was asked for at that moment shows this target.
    void see(const NodeGroupId& group, int listed, std::uint64_t asked_at);

private:
    struct Answer {
        std::string key{};  ///< of the last request
        bool is_answered = false;
        bool counts = false;  ///< `target` is not seen in a list yet
        int target = 0;
        std::uint64_t at = 0;
        int removed = 0;  ///< machines, which the list's target may still have
        int listed_before = 0;
        std::uint64_t removed_at = 0;
    };
    std::map<NodeGroupId, Answer> by_group_{};
    std::uint64_t clock_ = 0;
};

}  // namespace capstan::external_grpc
