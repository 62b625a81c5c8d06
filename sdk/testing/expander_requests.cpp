// What an expander can be asked.
#include <deque>
#include <memory>
#include <random>
#include <utility>

#include <capstan/testing/builders.hpp>

#include "hook_requests.hpp"
#include "malformations.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

/// A request whose structs may be changed: each option has a group and a template of its own.
struct LooseQuestion {
    Question sound;  ///< owns what the structs borrow
    std::deque<capstan_group> groups{};
    std::deque<capstan_template> nodes{};
    std::vector<capstan_option> options{};
    Stretcher stretcher{};
    capstan_expander_request in{};
    const capstan_expander_request* asked = &in;

    explicit LooseQuestion(Question request) : sound(std::move(request)), in(sound.raw()) {
        for (capstan_option o : View<capstan_option>(in.options)) {
            o.group = &groups.emplace_back(*o.group);
            if (o.node != nullptr) o.node = &nodes.emplace_back(*o.node);
            options.push_back(o);
        }
        in.options = array_of(options);
    }
    void spoil(const Malformation& how) {
        for (capstan_group& g : groups) how.group(g);
        for (capstan_template& n : nodes) how.node(n);
        for (capstan_option& o : options) how.option(o);
    }
    void stretch() {
        for (capstan_option& o : options) {
            o.group = stretcher.one(*o.group);
            if (o.node != nullptr) o.node = stretcher.one(*o.node);
        }
        in.options = stretcher.list<capstan_option>(in.options);
        in.pods = stretcher.list<capstan_pod_equivalence_group>(in.pods);
        asked = stretcher.one(in);
    }
};

Reply reply_of(const ExpanderResponse& got) {
    Reply reply{got.status, got.faults, "kept"};
    for (const std::uint32_t i : got.kept) reply.answer += " " + std::to_string(i);
    return reply;
}

HookRequest expander_request(std::string name, Form form,
                             const std::shared_ptr<const LooseQuestion>& request) {
    return {std::move(name), form,
            [request](const void* table, const FakeCall& call) {
                return reply_of(
                    ask(*static_cast<const capstan_expander*>(table), *request->asked, call));
            },
            [request](FakeHost& host, const capstan_async_expander& table, const FakeCall& call) {
                return reply_of(ask(host, table, *request->asked, call));
            }};
}

/// A number with as many digits as the others, so that the order of ids is the order of numbers.
std::string numbered(std::string_view prefix, std::uint32_t n) {
    return std::string(prefix) + std::to_string(100'000 + n).substr(1);
}

Question random_question(std::uint32_t options, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint32_t n) {
        return static_cast<std::uint32_t>(random() % n);
    };
    std::vector<OptionBuilder> builders;
    for (std::uint32_t i = 0; i < options; ++i) {
        OptionBuilder o(numbered("group-", i));
        o.nodes(1 + static_cast<int>(below(8))).pods(1 + below(50), below(2));
        o.cpu(std::to_string(1 << below(5))).memory(std::to_string(4 << below(4)) + "Gi");
        o.zone(std::string(1, static_cast<char>('a' + below(3))))
            .label("tier", std::to_string(below(4)));
        if (below(3) != 0) o.price(0.125 * (1 + below(9)));
        if (below(8) == 0) o.new_group();
        if (below(10) == 0) o.without_template();
        builders.push_back(o);
    }
    return Question(builders, {pods("web"), pods("batch")}, 40);
}

/// One option again and again: options that share a template and pods, as 10,000 groups of one
/// cloud do.
std::shared_ptr<LooseQuestion> huge_question(std::uint32_t count) {
    auto request =
        std::make_shared<LooseQuestion>(Question{{option("group").nodes(2).pods(30).price(0.5)}});
    auto ids = std::make_shared<std::deque<std::string>>();
    const capstan_option first = request->options.front();
    request->options.assign(count, first);
    for (std::uint32_t i = 0; i < count; ++i) {
        capstan_group& group = request->groups.emplace_back(*first.group);
        group.id = str(ids->emplace_back(numbered("group-", i)));
        request->options[i].group = &group;
        request->options[i].nodes = 1 + static_cast<std::int32_t>(i % 7);
    }
    request->in.options = array_of(request->options);
    // The ids live as long as the request.
    return {request.get(), [request, ids](LooseQuestion*) {}};
}

}  // namespace

std::vector<HookRequest> expander_requests(std::uint64_t seed, std::uint32_t huge) {
    const auto loose = [](Question request) {
        return std::make_shared<LooseQuestion>(std::move(request));
    };
    std::vector<HookRequest> out;
    out.push_back(expander_request("one option", Form::sound, loose({{option("web")}})));
    out.push_back(expander_request("equal options", Form::sound,
                                   loose({{option("a"), option("b"), option("c")}})));
    for (std::uint64_t i = 0; i < 5; ++i) {
        out.push_back(expander_request("random options " + std::to_string(i + 1), Form::sound,
                                       loose(random_question(20, seed + i))));
    }
    const auto newer = loose(random_question(20, seed));
    newer->stretch();
    out.push_back(expander_request("longer structs of a newer host", Form::sound, newer));
    out.push_back(
        expander_request(std::to_string(huge) + " options", Form::huge, huge_question(huge)));
    const auto empty = loose({{option("web")}});
    empty->in.options = empty->in.pods = {nullptr, 0, 0};
    out.push_back(expander_request("no options and no pods", Form::malformed, empty));
    for (const Malformation& how : malformations()) {
        const auto request = loose(random_question(20, seed));
        request->spoil(how);
        out.push_back(expander_request(std::string(how.name), Form::malformed, request));
    }
    return out;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
