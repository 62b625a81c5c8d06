// What a similarity check can be asked.
#include <memory>
#include <random>
#include <utility>

#include <capstan/testing/builders.hpp>
#include <capstan/well_known.hpp>

#include "hook_requests.hpp"
#include "malformations.hpp"
#include "template_pairs.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

/// Two templates whose structs may be changed.
struct LoosePair {
    NodeTemplate first, second;  ///< own what the structs borrow
    AbiArena arena{};
    capstan_template a, b;
    Stretcher stretcher{};
    const capstan_template* asked = &a;

    LoosePair(NodeTemplate x, NodeTemplate y)
        : first(std::move(x)),
          second(std::move(y)),
          a(arena.to_abi(first)),
          b(arena.to_abi(second)) {}
};

HookRequest similarity_request(std::string name, Form form, std::shared_ptr<const LoosePair> pair) {
    return {std::move(name), form,
            [pair = std::move(pair)](const void* table, const FakeCall& call) {
                const auto& check = *static_cast<const capstan_similarity*>(table);
                const SimilarityResponse got = ask(check, *pair->asked, pair->b, call);
                return Reply{got.status, got.faults,
                             "verdict " + std::to_string(got.verdict) + " because " + got.because};
            }};
}

NodeTemplate huge_template(std::string name, std::uint32_t size) {
    NodeTemplate node = node_template(std::move(name));
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::string n = std::to_string(i);
        node.labels.emplace("key-" + n, "value-" + n);
        node.annotations.emplace("key-" + n, "value-" + n);
        if (i % 10 == 0) node.taints.push_back({"taint-" + n});
        if (i % 100 == 0) node.capacity.set("device-" + n, i);
    }
    return node;
}

}  // namespace

std::vector<TemplatePair> template_pairs(std::uint64_t seed, int count) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint32_t n) {
        return static_cast<std::uint32_t>(random() % n);
    };
    const auto any = [&](std::string name) {
        NodeTemplateBuilder node(std::move(name));
        const std::uint32_t slack = below(3);
        node.cpu(std::to_string(4 + below(2))).memory(std::to_string(16'000 + 200 * slack) + "Mi");
        node.free("memory", std::to_string(14'000 + 500 * below(3)) + "Mi");
        node.zone(std::string(1, static_cast<char>('a' + below(2))));
        node.label(std::string(well_known::hostname_label), node.value().name);
        if (below(2) == 0) node.label("team", std::string(1, static_cast<char>('a' + below(2))));
        if (below(6) == 0) node.resource(std::string(well_known::nvidia_gpu), "1");
        return node.value();
    };
    std::vector<TemplatePair> out;
    for (int i = 0; i < count; ++i) out.push_back({any("first"), any("second")});
    return out;
}

std::vector<HookRequest> similarity_requests(std::uint64_t seed, std::uint32_t huge) {
    const NodeTemplate plain = node_template("plain");
    std::vector<HookRequest> out;
    const auto add = [&out](std::string name, Form form, NodeTemplate a, NodeTemplate b) {
        out.push_back(similarity_request(std::move(name), form,
                                         std::make_shared<LoosePair>(std::move(a), std::move(b))));
    };
    add("a template and itself", Form::sound, plain, plain);
    add("two zones", Form::sound, node_template("a").zone("a"), node_template("b").zone("b"));
    add("two sizes", Form::sound, plain, node_template("big").cpu("64").memory("512Gi"));
    int n = 0;
    for (TemplatePair& pair : template_pairs(seed, 10)) {
        add("random templates " + std::to_string(++n), Form::sound, std::move(pair.a),
            std::move(pair.b));
    }
    const auto newer = std::make_shared<LoosePair>(plain, plain);
    newer->asked = newer->stretcher.one(newer->a);
    out.push_back(similarity_request("a longer struct of a newer host", Form::sound, newer));
    const std::uint32_t size = std::min<std::uint32_t>(huge, 100'000);
    add(std::to_string(huge) + " labels", Form::huge, huge_template("a", size),
        huge_template("b", size));
    for (const Malformation& how : malformations()) {
        for (const bool both : {false, true}) {
            const auto pair = std::make_shared<LoosePair>(plain, plain);
            how.node(pair->a);
            if (both) how.node(pair->b);
            out.push_back(similarity_request(
                std::string(how.name) + (both ? " on both sides" : " on one side"), Form::malformed,
                pair));
        }
    }
    return out;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
