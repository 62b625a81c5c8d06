#include "answers.hpp"

#include <algorithm>

namespace capstan::external_grpc {

bool Answers::suits(const Resize& request, int listed) const {
    if (request.expected_target == listed) return true;
    const auto at = by_group_.find(request.group);
    return at != by_group_.end() && at->second.counts &&
           request.expected_target == std::max(at->second.target, listed);
}

bool Answers::is_repeat(const Resize& request, int goal, int listed) const {
    const auto at = by_group_.find(request.group);
    if (request.idempotency_key.empty() || at == by_group_.end() ||
        at->second.key != request.idempotency_key)
        return false;
    return at->second.is_answered || goal == listed;
}

void Answers::begin(const Resize& request) {
    Answer& answer = by_group_[request.group];
    answer.key = request.idempotency_key;
    answer.is_answered = false;
}

void Answers::agree(const Resize& request, int target) {
    by_group_[request.group] = {.key = request.idempotency_key,
                                .is_answered = true,
                                .counts = true,
                                .target = target,
                                .at = moment()};
}

void Answers::lower(const NodeGroupId& group, int by) {
    const auto at = by_group_.find(group);
    if (at != by_group_.end()) at->second.target = std::max(0, at->second.target - by);
}

void Answers::see(const NodeGroupId& group, int listed, std::uint64_t asked_at) {
    const auto at = by_group_.find(group);
    if (at != by_group_.end() && at->second.at < asked_at && listed >= at->second.target)
        at->second.counts = false;
}

}  // namespace capstan::external_grpc
