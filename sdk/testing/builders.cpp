#include <capstan/testing/builders.hpp>
#include <capstan/well_known.hpp>

#include <algorithm>
#include <stdexcept>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

/// `amount` of a resource; an empty one takes the resource away.
void put_amount(Resources& resources, std::string_view name, std::string_view amount) {
    if (amount.empty()) {
        Resources others;
        for (const auto& [resource, n] : resources) {
            if (resource != name) others.set(resource, n);
        }
        resources = std::move(others);
        return;
    }
    const Result<Quantity> quantity = parse_quantity(amount);
    if (!quantity) throw std::invalid_argument(std::string(name) + ": " + quantity.error().message);
    resources.set(name, amount_of(name, *quantity));
}

/// An answer that may not be used ends here.
void demand_good(const Answer& answer, const FakeCall& call) {
    if (!answer.faults.empty()) throw Failure(ErrorCode::internal, answer.faults.front());
    if (answer.status == CAPSTAN_OK) return;
    const std::optional<Error> reported = call.failure();
    throw Failure(reported
                      ? *reported
                      : Error{error_code(answer.status), "the hook returned no error message"});
}

}  // namespace

NodeTemplateBuilder::NodeTemplateBuilder(std::string name) : node_{.name = std::move(name)} {
    cpu("4").memory("16Gi").resource("pods", "110");
}

NodeTemplateBuilder& NodeTemplateBuilder::resource(std::string_view name, std::string_view amount) {
    return capacity(name, amount).allocatable(name, amount).free(name, amount);
}
NodeTemplateBuilder& NodeTemplateBuilder::capacity(std::string_view name, std::string_view amount) {
    return put_amount(node_.capacity, name, amount), *this;
}
NodeTemplateBuilder& NodeTemplateBuilder::allocatable(std::string_view name,
                                                      std::string_view amount) {
    return put_amount(node_.allocatable, name, amount), *this;
}
NodeTemplateBuilder& NodeTemplateBuilder::free(std::string_view name, std::string_view amount) {
    return put_amount(node_.free, name, amount), *this;
}
NodeTemplateBuilder& NodeTemplateBuilder::label(std::string key, std::string value) {
    node_.labels.insert_or_assign(std::move(key), std::move(value));
    return *this;
}
NodeTemplateBuilder& NodeTemplateBuilder::taint(std::string key, std::string value, Effect effect) {
    node_.taints.push_back({std::move(key), std::move(value), effect});
    return *this;
}
NodeTemplateBuilder& NodeTemplateBuilder::zone(std::string zone) {
    node_.zone = zone;
    return label(std::string(well_known::zone_label), std::move(zone));
}
NodeTemplateBuilder& NodeTemplateBuilder::machine_type(std::string type) {
    node_.machine_type = type;
    return label(std::string(well_known::instance_type_label), std::move(type));
}

NodeGroup group(std::string id, GroupSizes sizes) {
    return {.id = NodeGroupId(std::move(id)),
            .min = sizes.min,
            .max = sizes.max,
            .target = sizes.target};
}

PodEquivalenceGroup pods(std::string name, std::uint32_t count) {
    PodEquivalenceGroup out{
        .ns = "default", .example = std::move(name), .owner_kind = "ReplicaSet"};
    out.owner_name = out.example;
    out.requests = {{"cpu", 1_cpu}, {"memory", 1_GiB}};
    out.count = count;
    return out;
}

OptionBuilder::OptionBuilder(const std::string& group_id)
    : option_{.group = testing::group(group_id)}, node_(group_id) {}

OptionBuilder& OptionBuilder::nodes(int count) { return option_.nodes = count, *this; }
OptionBuilder& OptionBuilder::pods(std::uint32_t count, std::uint32_t equivalence_group) {
    return shares_.push_back({equivalence_group, count}), *this;
}
OptionBuilder& OptionBuilder::price(double per_hour) {
    return option_.price_per_hour = per_hour, *this;
}
OptionBuilder& OptionBuilder::similar(std::vector<std::string> group_ids) {
    option_.similar.clear();
    for (std::string& id : group_ids) option_.similar.emplace_back(std::move(id));
    return *this;
}
OptionBuilder& OptionBuilder::sizes(GroupSizes sizes) {
    option_.group.min = sizes.min;
    option_.group.max = sizes.max;
    option_.group.target = sizes.target;
    return *this;
}
OptionBuilder& OptionBuilder::tag(std::string key, std::string value) {
    option_.group.tags.insert_or_assign(std::move(key), std::move(value));
    return *this;
}
OptionBuilder& OptionBuilder::new_group() { return option_.group_exists = false, *this; }
OptionBuilder& OptionBuilder::node(NodeTemplate node) {
    return given_node_ = std::move(node), *this;
}
OptionBuilder& OptionBuilder::without_template() { return has_node_ = false, *this; }
OptionBuilder& OptionBuilder::label(std::string key, std::string value) {
    return node_.label(std::move(key), std::move(value)), *this;
}

ScaleUpOption OptionBuilder::value(
    const std::vector<PodEquivalenceGroup>& equivalence_groups) const {
    ScaleUpOption out = option_;
    const std::vector<PodShare> shares = shares_.empty() ? std::vector<PodShare>{{0, 1}} : shares_;
    for (const PodShare& share : shares) {
        out.pod_count += share.count;
        out.requested += equivalence_groups.at(share.equivalence_group).requests * share.count;
    }
    out.pods = share(shares);
    if (has_node_)
        out.node = std::make_shared<const NodeTemplate>(given_node_ ? *given_node_ : node_.value());
    return out;
}

Question::Question(const std::vector<OptionBuilder>& options,
                   std::vector<PodEquivalenceGroup> equivalence_groups, std::uint32_t cluster_nodes)
    : state_(std::make_shared<State>()) {
    State& s = *state_;
    s.equivalence_groups = std::move(equivalence_groups);
    if (s.equivalence_groups.empty()) s.equivalence_groups.push_back(testing::pods("web", 0));
    for (const OptionBuilder& o : options) s.options.push_back(o.value(s.equivalence_groups));
    std::stable_sort(
        s.options.begin(), s.options.end(),
        [](const ScaleUpOption& a, const ScaleUpOption& b) { return a.group.id < b.group.id; });
    for (const ScaleUpOption& o : s.options) {
        for (const PodShare& share : *o.pods) {
            std::uint32_t& count = s.equivalence_groups[share.equivalence_group].count;
            count = std::max(count, share.count);
        }
    }
    s.raw = {sizeof s.raw, cluster_nodes, s.arena.list(s.options),
             s.arena.list(s.equivalence_groups)};
}

std::vector<std::string> kept(const capstan_expander& expander, const Question& request,
                              const FakeCall& call) {
    const ExpanderResponse answer = ask(expander, request.raw(), call);
    demand_good(answer, call);
    std::vector<std::string> out;
    for (const std::uint32_t i : answer.kept) out.push_back(request.options()[i].group.id.value());
    return out;
}

Similarity similar(const capstan_similarity& check, const NodeTemplate& a, const NodeTemplate& b,
                   const FakeCall& call) {
    AbiArena arena;
    const SimilarityResponse answer = ask(check, arena.to_abi(a), arena.to_abi(b), call);
    demand_good(answer, call);
    return {static_cast<SimilarityVerdict>(answer.verdict), answer.because};
}

std::vector<int> split(const capstan_splitter& splitter, int nodes,
                       const std::vector<NodeGroup>& groups, const FakeCall& call) {
    AbiArena arena;
    const capstan_splitter_request in{sizeof in, nodes, arena.list(groups)};
    const SplitterResponse answer = ask(splitter, in, call);
    demand_good(answer, call);
    return {answer.growths.begin(), answer.growths.end()};
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
