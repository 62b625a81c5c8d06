/// Questions for unit tests that name only what the test is about.
///
///     const Question question{{option("a").nodes(3), option("b").nodes(2)}};
///     EXPECT_THAT(kept(LeastNodes(), question), ElementsAre("b"));
///     const NodeTemplate x = node_template("a").zone("x"), y = node_template("b").zone("y");
///     EXPECT_EQ(similar(Labels(settings), x, y).verdict, ...);
///     const std::vector groups{group("a", {.target = 1}), group("b", {.target = 3})};
///     EXPECT_THAT(split(Even(), 4, groups), ElementsAre(3, 1));
///
/// If the hook fails, these functions throw a Failure with its error. If the contract forbids the
/// answer, they throw a Failure with ErrorCode::internal.
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

/// By default 4 cores, 16Gi and 110 pods, all of it free. Amounts are Kubernetes quantities; an
/// invalid one throws std::invalid_argument.
class NodeTemplateBuilder {
public:
    explicit NodeTemplateBuilder(std::string name);
    NodeTemplateBuilder& cpu(std::string_view amount) { return resource("cpu", amount); }
    NodeTemplateBuilder& memory(std::string_view amount) { return resource("memory", amount); }
    /// Sets capacity, allocatable and free to `amount`. Empty: the machine has no such resource.
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

/// `count` equal pods that request one core and 1Gi.
PodEquivalenceGroup pods(std::string name, std::uint32_t count = 1);

/// By default one node of node_template() for one pod.
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

    /// The option in a request about `equivalence_groups`, from which it has the sum of the pods'
    /// requests.
    ScaleUpOption value(const std::vector<PodEquivalenceGroup>& equivalence_groups) const;

private:
    ScaleUpOption option_;
    std::vector<PodShare> shares_;
    std::optional<NodeTemplate> given_node_;
    NodeTemplateBuilder node_;
    bool has_node_ = true;
};
inline OptionBuilder option(const std::string& group_id) { return OptionBuilder(group_id); }

/// A request to an expander. Without `equivalence_groups` there is one, whose pods request one core
/// and 1Gi. Options are ordered by group id, as in a request of the host.
class Question {
public:
    Question(const std::vector<OptionBuilder>& options,
             std::vector<PodEquivalenceGroup> equivalence_groups = {},
             std::uint32_t cluster_nodes = 10);

    const capstan_expander_request& raw() const noexcept { return state_->raw; }
    ExpanderRequest view() const noexcept { return ExpanderRequest(state_->raw); }
    const std::vector<ScaleUpOption>& options() const noexcept { return state_->options; }

private:
    struct State {
        std::vector<PodEquivalenceGroup> equivalence_groups;
        std::vector<ScaleUpOption> options;
        AbiArena arena;
        capstan_expander_request raw{};
    };
    std::shared_ptr<State> state_;
};

/// The ids of the groups whose options are kept, in the order of the request.
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

/// The growth of each group, in the order of `groups`.
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
