#include "answers.hpp"

#include <algorithm>

namespace capstan::external_grpc {

int Answers::counted(const NodeGroupId& group, int listed) const {
    const auto at = by_group_.find(group);
    if (at == by_group_.end()) return listed;
    const int left = listed - at->second.removed;
    return at->second.counts ? std::max(at->second.target, left) : left;
}

bool Answers::suits(const Resize& request, int listed) const {
    if (request.expected_target == listed) return true;
    if (request.expected_target == counted(request.group, listed)) return true;
    const auto at = by_group_.find(request.group);
    return at != by_group_.end() && request.expected_target == listed - at->second.removed;
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
    Answer& answer = by_group_[request.group];
    answer.key = request.idempotency_key;
    answer.is_answered = true;
    answer.counts = true;
    answer.target = target;
    answer.at = moment();
    answer.listed_before += target - request.expected_target;
}

void Answers::lower(const NodeGroupId& group, int by, int listed) {
    Answer& answer = by_group_[group];
    if (answer.removed == 0) answer.listed_before = listed;
    answer.removed += by;
    answer.removed_at = moment();
    answer.target = std::max(0, answer.target - by);
}

void Answers::see(const NodeGroupId& group, int listed, std::uint64_t asked_at) {
    const auto at = by_group_.find(group);
    if (at == by_group_.end()) return;
    Answer& answer = at->second;
    if (answer.at < asked_at && listed >= answer.target) answer.counts = false;
    if (answer.removed_at < asked_at && listed <= answer.listed_before - answer.removed)
        answer.removed = 0;
}

}  // namespace capstan::external_grpc
