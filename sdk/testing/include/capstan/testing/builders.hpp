/// Questions for unit tests that name only what the test is about.
///
///     EXPECT_THAT(kept(LeastNodes(), Question{{option("a").nodes(3), option("b").nodes(2)}}),
///     ElementsAre("b")); EXPECT_EQ(similar(Labels(settings), node_template("a").zone("x"),
///     node_template("b").zone("y")).verdict, ...); EXPECT_THAT(split(Even(), 4, {group("a",
///     {.target = 1}), group("b", {.target = 3})}), ElementsAre(3, 1));
///
/// A hook that fails throws its Failure; an answer the contract forbids throws one with
/// ErrorCode::internal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/expander.hpp>
#include <capstan/similarity.hpp>
#include <capstan/splitter.hpp>
#include <capstan/testing/responses.hpp>
#include <capstan/to_abi.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// 4 cores, 16Gi and 110 pods unless told otherwise, all of it free. Amounts are Kubernetes
/// quantities; one that is none is std::invalid_argument.
class NodeTemplateBuilder {
public:
    explicit NodeTemplateBuilder(std::string name);
    NodeTemplateBuilder& cpu(std::string_view amount) { return resource("cpu", amount); }
    NodeTemplateBuilder& memory(std::string_view amount) { return resource("memory", amount); }
    /// Of the machine, and free to the last bit. Empty: the machine has none.
    NodeTemplateBuilder& resource(std::string_view name, std::string_view amount);
    NodeTemplateBuilder& capacity(std::string_view name, std::string_view amount);
    NodeTemplateBuilder& allocatable(std::string_view name, std::string_view amount);
    NodeTemplateBuilder& free(std::string_view name, std::string_view amount);
    NodeTemplateBuilder& label(std::string key, std::string value);
    NodeTemplateBuilder& taint(std::string key, std::string value = {},
                               Effect effect = Effect::no_schedule);
    NodeTemplateBuilder& zone(std::string zone);
    NodeTemplateBuilder& machine_type(std::string type);

    const NodeTemplate& value() const noexcept { return node_; }
    operator const NodeTemplate&() const noexcept { return node_; }

private:
    NodeTemplate node_;
};
inline NodeTemplateBuilder node_template(std::string name = "node") {
    return NodeTemplateBuilder(std::move(name));
}

struct GroupSizes {
    int target = 0;
    std::optional<int> min = 0;
    std::optional<int> max = 1000;
};
NodeGroup group(std::string id, GroupSizes sizes = {});

/// `count` like pods that ask for one core and 1Gi.
PodEquivalenceGroup pods(std::string name, std::uint32_t count = 1);

/// One node of node_template() for one pod, unless told otherwise.
class OptionBuilder {
public:
    explicit OptionBuilder(const std::string& group_id);
    OptionBuilder& nodes(int count);
    /// Helps `count` pods of one equivalence group of the request.
    OptionBuilder& pods(std::uint32_t count, std::uint32_t equivalence_group = 0);
    OptionBuilder& price(double per_hour);
    OptionBuilder& similar(std::vector<std::string> group_ids);
    OptionBuilder& sizes(GroupSizes sizes);
    OptionBuilder& tag(std::string key, std::string value);
    /// Auto-provisioning would create the group first.
    OptionBuilder& new_group();
    OptionBuilder& node(NodeTemplate node);
    OptionBuilder& without_template();
    OptionBuilder& cpu(std::string_view amount) { return node_.cpu(amount), *this; }
    OptionBuilder& memory(std::string_view amount) { return node_.memory(amount), *this; }
    OptionBuilder& resource(std::string_view name, std::string_view amount) {
        return node_.resource(name, amount), *this;
    }
    OptionBuilder& label(std::string key, std::string value);
    OptionBuilder& zone(std::string zone) { return node_.zone(std::move(zone)), *this; }

    /// As part of a request about `classes`, which give the sum of what the pods ask for.
    ScaleUpOption value(const std::vector<PodEquivalenceGroup>& classes) const;

private:
    ScaleUpOption option_;
    std::vector<PodShare> shares_;
    std::optional<NodeTemplate> given_node_;
    NodeTemplateBuilder node_;
    bool has_node_ = true;
};
inline OptionBuilder option(const std::string& group_id) { return OptionBuilder(group_id); }

/// What an expander is asked. Without equivalence groups there is one, whose pods ask for one core
/// and 1Gi. Options stand in the order of their groups' ids, as the host puts them.
class Question {
public:
    Question(const std::vector<OptionBuilder>& options,
             std::vector<PodEquivalenceGroup> classes = {}, std::uint32_t cluster_nodes = 10);

    const capstan_expander_request& raw() const noexcept { return state_->raw; }
    ExpanderRequest view() const noexcept { return ExpanderRequest(state_->raw); }
    const std::vector<ScaleUpOption>& options() const noexcept { return state_->options; }

private:
    struct State {
        std::vector<PodEquivalenceGroup> classes;
        std::vector<ScaleUpOption> options;
        AbiArena arena;
        capstan_expander_request raw{};
    };
    std::shared_ptr<State> state_;
};

/// The ids of the groups whose options survive, in the order of the request.
std::vector<std::string> kept(const capstan_expander& expander, const Question& request,
                              const FakeCall& call = FakeCall());
template <Expander T>
std::vector<std::string> kept(const T& expander, const Question& request,
                              const FakeCall& call = FakeCall()) {
    return kept(capstan::detail::ExpanderTable<T>(const_cast<T&>(expander)).table, request, call);
}

Similarity similar(const capstan_similarity& check, const NodeTemplate& a, const NodeTemplate& b,
                   const FakeCall& call = FakeCall());
template <SimilarityCheck T>
Similarity similar(const T& check, const NodeTemplate& a, const NodeTemplate& b,
                   const FakeCall& call = FakeCall()) {
    return similar(capstan::detail::SimilarityTable<T>(const_cast<T&>(check)).table, a, b, call);
}

/// The growth of each group, in their order.
std::vector<int> split(const capstan_splitter& splitter, int nodes,
                       const std::vector<NodeGroup>& groups, const FakeCall& call = FakeCall());
template <Splitter T>
std::vector<int> split(const T& splitter, int nodes, const std::vector<NodeGroup>& groups,
                       const FakeCall& call = FakeCall()) {
    return split(capstan::detail::SplitterTable<T>(const_cast<T&>(splitter)).table, nodes, groups,
                 call);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
