// Objects that the schema of the CRD admits, and others: the controller neither fails nor writes a
// wrong status.
#include <limits>
#include <random>

#include <capstan/time_text.hpp>

#include "shop.hpp"

namespace capstan::replicas {
namespace {

class RandomObjects {
public:
    explicit RandomObjects(unsigned seed) : random_(seed) {}
    bool often() { return random_() % 4 != 0; }
    std::int64_t up_to(std::int64_t most) {
        return static_cast<std::int64_t>(random_()) % (most + 1);
    }
    /// Small numbers, and the two highest of an int32.
    std::int64_t count() {
        return up_to(5) == 0 ? std::numeric_limits<std::int32_t>::max() - up_to(1) : up_to(12);
    }
    std::int64_t weight() {
        return up_to(5) == 0 ? std::numeric_limits<std::int32_t>::min() + up_to(1) : count();
    }
    std::string pick(std::initializer_list<const char*> words) {
        return *(words.begin() + up_to(static_cast<std::int64_t>(words.size()) - 1));
    }

private:
    std::mt19937 random_;
};

std::string name_of_target(RandomObjects& dice) {
    return dice.pick({"a", "b", "c", "d", "\u00e4 \"\\", "ghost"});
}

Json random_target(RandomObjects& dice) {
    Json out = Json::object({{"name", name_of_target(dice)}});
    Json& ref = out.at("scaleTargetRef");
    if (dice.often())
        ref.set("apiVersion", dice.pick({"apps/v1", "v1", "", "a/b/c", "example.com/v1"}));
    ref.set("kind", dice.pick({"Deployment", "Deployment", "Nothing", ""}));
    ref.set("name", dice.pick({"a", "b", "c", "missing", "../x"}));
    if (dice.often()) out.set("minReplicas", dice.weight());
    if (dice.often()) out.set("maxReplicas", dice.count());
    return out;
}

Json random_selector(RandomObjects& dice) {
    Json out = Json::object();
    if (dice.often()) out.at("matchLabels").set("app", dice.pick({"web", "", "other"}));
    if (!dice.often()) {
        Json expression =
            Json::object({{"key", dice.pick({"app", "of", ""})},
                          {"operator", dice.pick({"In", "NotIn", "Exists", "Near", ""})}});
        for (std::int64_t n = dice.up_to(2); n > 0; --n)
            expression.at("values").append(dice.pick({"web", "a", "a,b", "(", ""}));
        out.at("matchExpressions").append(std::move(expression));
    }
    return out;
}

Json random_policy(RandomObjects& dice) {
    Json out = Json::object(
        {{"policyName", dice.pick({"priority", "proportional", "proportional", "other"})}});
    if (dice.often()) {
        for (std::int64_t n = 2 + dice.up_to(3); n > 0; --n)
            out.at("priorities").at("targetOrder").append(name_of_target(dice));
    }
    if (dice.often()) {
        for (std::int64_t n = 2 + dice.up_to(3); n > 0; --n)
            out.at("proportions").at("targetProportions").set(name_of_target(dice), dice.weight());
    }
    if (dice.often()) {
        Json& fallback = out.at("fallback") = Json::object();
        if (dice.often()) fallback.set("startupTimeoutSeconds", dice.count());
        if (dice.often())
            fallback.set("startupTimeout", dice.pick({"1m", "0s", "-5s", "x", "200000h"}));
    }
    return out;
}

Json random_spec(RandomObjects& dice) {
    Json out = Json::object({{"selector", random_selector(dice)}, {"policy", random_policy(dice)}});
    if (dice.often()) out.set("replicas", dice.often() ? dice.count() : dice.weight());
    for (std::int64_t n = 2 + dice.up_to(3); n > 0; --n)
        out.at("targets").append(random_target(dice));
    return out;
}

class ReplicasFuzz : public Shop {};

/// Checks what every status must satisfy.
void expect_valid(const Json& status) {
    ASSERT_TRUE(status.is_object());
    for (const char* key : {"replicas", "missing", "overflow", "fallback"}) {
        ASSERT_NE(status.find(key), nullptr) << key;
        EXPECT_GE(status.find(key)->integer().value_or(-1), 0) << key;
    }
    ASSERT_NE(status.find("selector"), nullptr);
    for (const Json& condition : status.find("conditions")->items()) {
        EXPECT_FALSE(condition.text_at({"reason"}).empty());
        EXPECT_FALSE(condition.text_at({"message"}).empty());
        EXPECT_TRUE(find_rfc3339(condition.text_at({"lastTransitionTime"})));
    }
}

TEST_F(ReplicasFuzz, NoSpecStopsTheControllerOrKeepsItBusy) {
    for (const char* name : {"a", "b", "c"}) put_deployment(name, 2);
    put_pods("a", 1, 2);
    put_pods("b", 3);
    for (unsigned seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        RandomObjects dice(seed);
        Json object = Json::object({{"spec", random_spec(dice)}});
        object.at("metadata")
            .set("namespace", "shop")
            .set("name", "web")
            .set("generation", static_cast<int>(seed) + 1);
        host.kube().put(balancer_resource(), std::move(object));
        settle();
        if (HasFatalFailure() || HasNonfatalFailure()) return;
        expect_valid(status());
        host.advance(std::chrono::minutes(dice.up_to(3)));
    }
}

TEST(BalancerFuzz, ReadsMalformedObjects) {
    for (
        const char* text :
        {"{}", "[]", "null", "7", R"({"spec":[]})", R"({"spec":{"targets":{}}})",
         R"({"spec":{"targets":[null,7,"x",{}],"selector":7,"policy":[]}})",
         R"({"spec":{"policy":{"policyName":"priority","priorities":{"targetOrder":{}}}}})",
         R"({"spec":{"policy":{"policyName":"proportional","proportions":{"targetProportions":[1]}}}})",
         R"({"metadata":7,"spec":{"replicas":"many"},"status":{"conditions":[7,{}]}})"}) {
        const Balancer balancer = read_balancer(*parse_json(text));
        const std::vector<Reading> readings(balancer.targets.size());
        const Decision decision = decide(balancer, readings, Pods(), Config(), Time());
        EXPECT_EQ(decision.is_placed, balancer.policy.has_value()) << text;
    }
}

}  // namespace
}  // namespace capstan::replicas
