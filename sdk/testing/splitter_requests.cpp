// What a splitter can be asked.
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include <capstan/testing/builders.hpp>

#include "hook_requests.hpp"
#include "malformations.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

/// Groups whose structs may be changed.
struct LooseGroups {
    std::vector<NodeGroup> values;  ///< own what the structs borrow
    AbiArena arena{};
    std::vector<capstan_group> groups{};
    Stretcher stretcher{};
    capstan_splitter_request in{};
    const capstan_splitter_request* asked = &in;

    LooseGroups(int nodes, std::vector<NodeGroup> given) : values(std::move(given)) {
        for (const NodeGroup& g : values) groups.push_back(arena.to_abi(g));
        in = {sizeof in, nodes, array_of(groups)};
    }
};

HookRequest splitter_request(std::string name, Form form,
                             std::shared_ptr<const LooseGroups> groups) {
    return {std::move(name), form,
            [groups = std::move(groups)](const void* table, const FakeCall& call) {
                const auto& splitter = *static_cast<const capstan_splitter*>(table);
                const SplitterResponse got = ask(splitter, *groups->asked, call);
                Reply reply{got.status, got.faults, "grew by"};
                for (const std::int64_t by : got.growths) reply.answer += " " + std::to_string(by);
                return reply;
            }};
}

std::vector<NodeGroup> random_groups(std::mt19937_64& random, std::uint32_t count) {
    std::vector<NodeGroup> out;
    for (std::uint32_t i = 0; i < count; ++i) {
        const int max = static_cast<int>(random() % 30);
        const int target = static_cast<int>(random() % 20);  // sometimes over-full
        out.push_back(
            group("group-" + std::to_string(100'000 + i), {.target = target, .max = max}));
    }
    return out;
}

}  // namespace

std::vector<HookRequest> splitter_requests(std::uint64_t seed, std::uint32_t huge) {
    constexpr int most = std::numeric_limits<int>::max();
    const std::vector<NodeGroup> three{group("a", {.target = 1}), group("b", {.target = 3}),
                                       group("c", {.target = 6})};
    NodeGroup unknown = group("u");
    unknown.min = unknown.max = unknown.target = std::nullopt;
    std::vector<HookRequest> out;
    const auto add = [&out](std::string name, Form form, int nodes, std::vector<NodeGroup> groups) {
        out.push_back(splitter_request(std::move(name), form,
                                       std::make_shared<LooseGroups>(nodes, std::move(groups))));
    };
    add("1 node for sizes 1, 3 and 6", Form::sound, 1, three);
    add("4 nodes for sizes 1, 3 and 6", Form::sound, 4, three);
    add("no nodes", Form::sound, 0, three);
    add("one group", Form::sound, 5, {group("a")});
    add("groups that are full", Form::sound, 5,
        {group("a", {.target = 2, .max = 2}), group("b", {.target = 9, .max = 9})});
    add("a group above its maximum", Form::sound, 5,
        {group("a", {.target = 12, .max = 10}), group("b", {.max = 3})});
    add("less room than nodes", Form::sound, most,
        {group("a", {.target = 1, .max = 4}), group("b", {.max = 3})});
    add("groups without sizes", Form::sound, 3, {unknown});
    std::mt19937_64 random(seed);
    for (int i = 1; i <= 10; ++i) {
        const int nodes = static_cast<int>(random() % 60);
        add("random groups " + std::to_string(i), Form::sound, nodes, random_groups(random, 1 + i));
    }
    const auto newer = std::make_shared<LooseGroups>(4, three);
    newer->in.groups = newer->stretcher.list<capstan_group>(newer->in.groups);
    newer->asked = newer->stretcher.one(newer->in);
    out.push_back(splitter_request("longer structs of a newer host", Form::sound, newer));
    add(std::to_string(huge) + " groups", Form::huge, static_cast<int>(huge),
        random_groups(random, huge));
    add("no groups", Form::malformed, 5, {});
    add("a negative number of nodes", Form::malformed, -5, three);
    add("the smallest number of nodes", Form::malformed, std::numeric_limits<int>::min(), three);
    for (const Malformation& how : malformations()) {
        const auto groups = std::make_shared<LooseGroups>(4, three);
        for (capstan_group& g : groups->groups) how.group(g);
        out.push_back(splitter_request(std::string(how.name), Form::malformed, groups));
    }
    return out;
}

std::vector<HookRequest> hook_requests(std::string_view kind, std::uint64_t seed,
                                       std::uint32_t huge) {
    if (kind == CAPSTAN_KIND_EXPANDER) return expander_requests(seed, huge);
    if (kind == CAPSTAN_KIND_SIMILARITY) return similarity_requests(seed, huge);
    if (kind == CAPSTAN_KIND_SPLITTER) return splitter_requests(seed, huge);
    if (kind == CAPSTAN_KIND_GROUP_SOURCE) return group_source_requests(seed, huge);
    return {};
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
