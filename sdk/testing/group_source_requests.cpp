// What a group source can be asked.
#include <memory>
#include <utility>

#include <capstan/testing/builders.hpp>
#include <capstan/to_abi_provisioning.hpp>
#include <capstan/well_known.hpp>

#include "hook_requests.hpp"
#include "malformations.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

MachineType machine(const std::string& name, int cores, std::vector<std::string> zones) {
    const MilliCpu cpu(std::int64_t{cores} * 1000);
    MachineType out{.name = name,
                    .labels = {{std::string(well_known::arch_label), "amd64"},
                               {std::string(well_known::os_label), "linux"}},
                    .capacity = {{"cpu", cpu}, {"memory", 16_GiB}, {"pods", 110}}};
    out.allocatable = out.capacity;
    for (std::string& zone : zones) out.offerings.push_back({.zone = std::move(zone)});
    return out;
}

struct Given {
    std::vector<PodEquivalenceGroup> pods{};
    std::vector<MachineType> types{};
    std::vector<NodeGroup> groups{};
    Resources room{};
};

/// A request whose structs may be changed.
struct LooseMachines : Given {
    explicit LooseMachines(Given given) : Given(std::move(given)) { finish(); }

    ProvisioningAbiArena arena{};
    std::vector<capstan_group> crossing{};
    std::vector<capstan_existing_group> existing{};
    Stretcher stretcher{};
    capstan_group_source_request in{};
    const capstan_group_source_request* asked = &in;

private:
    void finish() {
        for (const NodeGroup& g : groups) crossing.push_back(arena.to_abi(g));
        for (const capstan_group& g : crossing)
            existing.push_back({sizeof(capstan_existing_group), 0, &g, nullptr});
        in = {
            sizeof in,        0,           arena.list(pods), arena.list(types), array_of(existing),
            arena.list(room), str("cloud")};
    }
};

HookRequest group_source_request(std::string name, Form form,
                                 std::shared_ptr<const LooseMachines> request) {
    return {std::move(name), form,
            [request = std::move(request)](const void* table, const FakeCall& call) {
                const auto& source = *static_cast<const capstan_group_source*>(table);
                const GroupSourceResponse got = ask(source, *request->asked, call);
                Reply reply{got.status, got.faults, "suggested"};
                for (const std::string& group : got.groups) reply.answer += " " + group;
                return reply;
            }};
}

PodEquivalenceGroup wanting(std::string name, Labels selector, std::uint32_t count = 1) {
    PodEquivalenceGroup out = pods(std::move(name), count);
    out.node_selector = std::move(selector);
    return out;
}

}  // namespace

std::vector<HookRequest> group_source_requests(std::uint64_t /*seed*/, std::uint32_t huge) {
    std::vector<HookRequest> out;
    const auto add = [&out](std::string name, Form form, Given given) {
        auto request = std::make_shared<LooseMachines>(std::move(given));
        out.push_back(group_source_request(std::move(name), form, request));
        return request;
    };
    const std::vector<MachineType> two{machine("large", 16, {"a", "b"}),
                                       machine("small", 2, {"a"})};
    const auto ask_for = [&](std::vector<PodEquivalenceGroup> given) {
        Given request;
        request.pods = std::move(given);
        request.types = two;
        return request;
    };
    add("a pod and two machine types", Form::sound, ask_for({pods("web", 3)}));
    add("conflicting selectors", Form::sound,
        ask_for({wanting("a", {{"team", "a"}}, 2), wanting("b", {{"team", "b"}})}));
    add("compatible selectors", Form::sound,
        ask_for({wanting("a", {{"x", "1"}}), wanting("b", {{"y", "2"}})}));
    add("no pod", Form::sound, ask_for({}));
    Given full = ask_for({pods("web", 3)});
    full.room = {{"cpu", MilliCpu(0)}, {"nodes", 0}};
    full.groups = {group("there")};
    add("no room for a node", Form::sound, std::move(full));
    Given none;
    none.pods = {pods("web")};
    add("no machine", Form::sound, std::move(none));
    const auto newer = add("structs of a newer host", Form::sound, ask_for({pods("web", 3)}));
    newer->in.machines = newer->stretcher.list<capstan_machine_type>(newer->in.machines);
    newer->in.pods = newer->stretcher.list<capstan_pod_equivalence_group>(newer->in.pods);
    newer->asked = newer->stretcher.one(newer->in);
    Given many;
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(huge, 500); ++i)
        many.types.push_back(machine("type-" + std::to_string(10'000 + i), 8, {"a", "b", "c"}));
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(huge, 100); ++i)
        many.pods.push_back(
            wanting("pod-" + std::to_string(i), {{"team", std::to_string(i % 20)}}));
    add("500 machine types and 100 pod groups", Form::huge, std::move(many));
    for (const Malformation& how : malformations()) {
        Given request = ask_for({pods("web")});
        request.groups = {group("there")};
        const auto malformed = add(std::string(how.name), Form::malformed, std::move(request));
        for (capstan_group& g : malformed->crossing) how.group(g);
    }
    return out;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
