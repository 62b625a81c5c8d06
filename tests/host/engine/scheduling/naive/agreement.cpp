#include "naive/agreement.hpp"

#include <algorithm>
#include <numeric>

namespace capstan::engine::naive {
namespace {

constexpr int wanted = 4;

std::string told(const Refusal& refusal) {
    return std::string(name_of(refusal.predicate)) + " (" + refusal.sentence + ")";
}

}  // namespace

SideBySide::SideBySide(RandomCluster start)
    : cluster_(start.cluster),
      shapes_(start.shapes),
      rules_(std::make_unique<Rules>(start.cluster, start.subjects, start.shapes)),
      fast_(*rules_),
      slow_(make_world(start.cluster)),
      closed_(start.cluster.node_count(), false) {
    for (const ClassId subject : start.subjects) {
        pods_.push_back(make_pod(cluster_, subject));
        pods_.back().name = "subject " + std::to_string(pods_.size() - 1);
    }
    for (std::size_t i = 0; i < cluster_.node_count(); ++i) nodes_of_.push_back({i});
}

std::string SideBySide::about(Subject subject, const std::string& where) const {
    return pods_[subject].name + " on " + where + ": ";
}

int SideBySide::count_room(Subject subject, Slot slot, int most) const {
    World world = slow_;
    const std::vector<std::size_t>& nodes = nodes_of_[slot];
    std::vector<int> placed(nodes.size(), 0);
    for (int count = 0; count < most; ++count) {
        std::size_t best = nodes.size();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if ((best == nodes.size() || placed[i] < placed[best]) &&
                fits(world, pods_[subject], nodes[i])) {
                best = i;
            }
        }
        if (best == nodes.size()) return count;
        world.nodes[nodes[best]].pods.push_back(pods_[subject]);
        ++placed[best];
    }
    return most;
}

std::string SideBySide::compare(Subject subject, Slot slot) {
    const std::string where = about(subject, "slot " + std::to_string(slot));
    const Room room = fast_.room(subject, slot, wanted);
    if (closed_[slot]) return room == Room{} ? "" : where + "has room on a closed slot";
    const Refusal fast = fast_.why_not(subject, slot);
    const Refusal slow = why_not(slow_, pods_[subject], nodes_of_[slot].front());
    if (fast.predicate != slow.predicate) return where + told(fast) + " is " + told(slow);
    const int count = count_room(subject, slot, wanted);
    if (room.in_all != count) {
        return where + "room for " + std::to_string(room.in_all) + " is " + std::to_string(count);
    }
    const auto cpu = std::accumulate(
        slow_.nodes[nodes_of_[slot].front()].pods.begin(),
        slow_.nodes[nodes_of_[slot].front()].pods.end(), std::int64_t{0},
        [](auto sum, const Pod& pod) { return sum + pod.spec.requests.amount("cpu"); });
    const auto free = slow_.nodes[nodes_of_[slot].front()].allocatable.amount("cpu") - cpu;
    return fast_.free(slot, cpu_index) == free ? "" : where + "other cpu is free";
}

std::string SideBySide::compare_new(Subject subject, ShapeId shape) const {
    World world = slow_;
    const std::size_t added = add_node(world, cluster_, shapes_[shape]);
    const Refusal slow = why_not(world, pods_[subject], added);
    const Refusal fast = fast_.why_not_new(subject, shape);
    if (fast.predicate == slow.predicate) return "";
    return about(subject, "shape " + std::to_string(shape)) + told(fast) + " is " + told(slow);
}

std::string SideBySide::compare_find(Subject subject) const {
    std::optional<Slot> slow;
    const auto end = static_cast<Slot>(nodes_of_.size());
    for (Slot slot = 0; slot < end && !slow; ++slot) {
        if (!closed_[slot] && fits(slow_, pods_[subject], nodes_of_[slot].front())) slow = slot;
    }
    return fast_.find(subject, 0, end) == slow ? "" : about(subject, "any slot") + "finds another";
}

std::string SideBySide::find_disagreement() {
    for (Subject subject = 0; subject < pods_.size(); ++subject) {
        for (Slot slot = 0; slot < nodes_of_.size(); ++slot) {
            if (std::string found = compare(subject, slot); !found.empty()) return found;
        }
        for (ShapeId shape = 0; shape < shapes_.size(); ++shape) {
            if (std::string found = compare_new(subject, shape); !found.empty()) return found;
        }
        if (std::string found = compare_find(subject); !found.empty()) return found;
    }
    return "";
}

Slot SideBySide::any_slot(Dice& dice) const {
    return static_cast<Slot>(dice.below(static_cast<int>(nodes_of_.size())));
}

void SideBySide::step(Dice& dice) {
    switch (dice.below(10)) {
        case 0: return add(dice);
        case 1: return split(dice);
        case 2: return close(dice);
        case 3: return remember();
        case 4: return take_back();
        default: return place(dice);
    }
}

void SideBySide::place(Dice& dice) {
    const auto subject = static_cast<Subject>(dice.below(static_cast<int>(pods_.size())));
    const Slot slot = any_slot(dice);
    const std::vector<std::size_t>& nodes = nodes_of_[slot];
    const auto n = static_cast<int>(nodes.size());
    if (closed_[slot]) return;
    const int per_node = count_room(subject, slot, n * dice.between(1, 2)) / n;
    if (per_node == 0) return;
    fast_.place(subject, slot, per_node);
    for (const std::size_t node : nodes) {
        for (int i = 0; i < per_node; ++i) slow_.nodes[node].pods.push_back(pods_[subject]);
    }
}

void SideBySide::add(Dice& dice) {
    const auto shape = static_cast<ShapeId>(dice.below(static_cast<int>(shapes_.size())));
    const int nodes = dice.between(1, 3);
    fast_.add(shape, nodes);
    nodes_of_.emplace_back();
    closed_.push_back(false);
    for (int i = 0; i < nodes; ++i) {
        nodes_of_.back().push_back(add_node(slow_, cluster_, shapes_[shape]));
    }
}

void SideBySide::split(Dice& dice) {
    const Slot slot = any_slot(dice);
    const auto n = static_cast<int>(nodes_of_[slot].size());
    if (n < 2 || closed_[slot]) return;
    const int moved = dice.between(1, n - 1);
    fast_.split(slot, moved);
    nodes_of_.emplace_back(nodes_of_[slot].end() - moved, nodes_of_[slot].end());
    nodes_of_[slot].resize(static_cast<std::size_t>(n - moved));
    closed_.push_back(false);
}

void SideBySide::close(Dice& dice) {
    const Slot slot = any_slot(dice);
    if (closed_[slot]) return;
    fast_.close(slot);
    closed_[slot] = true;
    for (const std::size_t node : nodes_of_[slot]) slow_.nodes[node].gone = true;
}

void SideBySide::remember() { past_.push_back({fast_.mark(), slow_, nodes_of_, closed_}); }

void SideBySide::take_back() {
    if (past_.empty()) return;
    Past past = std::move(past_.back());
    past_.pop_back();
    fast_.undo(past.mark);
    slow_ = std::move(past.world);
    nodes_of_ = std::move(past.nodes_of);
    closed_ = std::move(past.closed);
}

}  // namespace capstan::engine::naive
