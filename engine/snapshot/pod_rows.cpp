#include "engine/snapshot/pod_rows.hpp"

#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine::snapshot {
namespace {

std::uint64_t hash_pair(Symbol ns, Symbol name) noexcept {
    FastHash hash;
    hash.add(static_cast<std::uint64_t>(ns) << 32 | static_cast<std::uint64_t>(name));
    return hash.value();
}

void copy_row(const PodBlock& from, std::size_t at, PodBlock& to, std::size_t row) {
    to.name[row] = from.name[at];
    to.uid[row] = from.uid[at];
    to.nominated_node[row] = from.nominated_node[at];
    to.unscheduled_reason[row] = from.unscheduled_reason[at];
    to.equivalence_group[row] = from.equivalence_group[at];
    to.node[row] = from.node[at];
    to.phase[row] = from.phase[at];
    to.gated[row] = from.gated[at];
    to.deleted[row] = from.deleted[at];
    to.deleted_at[row] = from.deleted_at[at];
    to.created[row] = from.created[at];
}

}  // namespace

std::optional<PodIndex> PodRows::find(Symbol ns, Symbol name) const {
    return index_.find(hash_pair(ns, name), [&](PodIndex pod) {
        const PodBlock& in = block(pod);
        const std::size_t row = pod % PodBlock::size;
        return in.name[row] == name && pools_.equivalence_group(in.equivalence_group[row]).ns == ns;
    });
}

PodIndex PodRows::add(Symbol name, PodGroupId equivalence_group) {
    const auto pod = static_cast<PodIndex>(size_++);
    if (pod / PodBlock::size == blocks_.size()) {
        blocks_.push_back(std::make_shared<PodBlock>());
        is_shared_.push_back(false);
    }
    PodBlock& in = open(pod);
    in.name[pod % PodBlock::size] = name;
    in.equivalence_group[pod % PodBlock::size] = equivalence_group;
    index_.insert(hash_of(pod), pod);
    return pod;
}

void PodRows::remove(PodIndex pod) {
    const auto last = static_cast<PodIndex>(size_ - 1);
    index_.erase(hash_of(pod), pod);
    if (pod != last) {
        index_.rename(hash_of(last), last, pod);
        // `open` comes before `block(last)`, as it may replace the block that both rows are in.
        PodBlock& to = open(pod);
        copy_row(block(last), last % PodBlock::size, to, pod % PodBlock::size);
    }
    --size_;
    if (size_ % PodBlock::size == 0) {
        blocks_.pop_back();
        is_shared_.pop_back();
    }
}

PodBlock& PodRows::open(PodIndex pod) {
    const std::size_t at = pod / PodBlock::size;
    if (is_shared_[at]) {
        blocks_[at] = std::make_shared<PodBlock>(*blocks_[at]);
        is_shared_[at] = false;
    }
    return *blocks_[at];
}

std::vector<std::shared_ptr<const PodBlock>> PodRows::share() {
    is_shared_.assign(blocks_.size(), true);
    return {blocks_.begin(), blocks_.end()};
}

std::uint64_t PodRows::hash_of(PodIndex pod) const noexcept {
    const PodBlock& in = block(pod);
    const std::size_t row = pod % PodBlock::size;
    return hash_pair(pools_.equivalence_group(in.equivalence_group[row]).ns, in.name[row]);
}

}  // namespace capstan::engine::snapshot
