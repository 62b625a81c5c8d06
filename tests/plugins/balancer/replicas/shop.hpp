/// A cluster in memory with a Balancer and its controller.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>
#include <capstan/time_text.hpp>

#include "conditions.hpp"
#include "pods.hpp"
#include "replicas.hpp"

namespace capstan::replicas {

inline const KubeResource deployments("apps", "v1", "deployments", "Deployment");
inline const KubeResource pod_kind("", "v1", "pods", "Pod");

/// Deployments "a" and "b" of namespace "shop"; pods have the labels app=web and of=<target>.
class Shop : public ::testing::Test {
protected:
    testing::FakeHost host;
    Config config{};
    std::optional<Replicas> replicas{};
    int pods_made = 0;
    bool leads = false;

    Shop() { host.kube().serve(balancer_resource()); }
    ~Shop() override {
        // Waiting coroutines end before the objects that they refer to.
        std::ignore = host.stop();
    }

    static std::string targets(const std::string& a = "", const std::string& b = "") {
        return R"("targets":[{"name":"a","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"})" +
               a +
               R"(},{"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"b"})" +
               b + "}]";
    }
    static std::string halves(const std::string& more = "") {
        return R"("policy":{"policyName":"proportional","proportions":{"targetProportions":{"a":50,"b":50}})" +
               more + "}";
    }
    static std::string in_order(const std::string& more = "") {
        return R"("policy":{"policyName":"priority","priorities":{"targetOrder":["a","b"]})" +
               more + "}";
    }
    static constexpr const char* after_a_minute = R"(,"fallback":{"startupTimeoutSeconds":60})";

    void put_balancer(const std::string& spec, int generation = 1) {
        Json object =
            *parse_json(R"({"metadata":{"namespace":"shop","name":"web","generation":)" +
                        std::to_string(generation) +
                        R"(},"spec":{"selector":{"matchLabels":{"app":"web"}},)" + spec + "}}");
        if (const auto old = host.kube().find(balancer_resource(), "shop", "web"))
            if (const Json* status = old->find("status")) object.set("status", *status);
        host.kube().put(balancer_resource(), std::move(object));
    }
    void put_deployment(const std::string& name, int size) {
        host.kube().put_text(deployments, R"({"metadata":{"namespace":"shop","name":")" + name +
                                              R"("},"spec":{"replicas":)" + std::to_string(size) +
                                              R"(,"selector":{"matchLabels":{"of":")" + name +
                                              R"("}}}})");
    }
    std::string put_pod(const std::string& of, const std::string& phase,
                        const std::string& app = "web") {
        const std::string name = of + "-" + std::to_string(++pods_made);
        write_pod(name, of, phase, app);
        return name;
    }
    void write_pod(const std::string& name, const std::string& of, const std::string& phase,
                   const std::string& app = "web", bool is_ready = true) {
        host.kube().put_text(pod_kind, R"({"metadata":{"namespace":"shop","name":")" + name +
                                           R"(","labels":{"app":")" + app + R"(","of":")" + of +
                                           R"("},"creationTimestamp":")" +
                                           format_rfc3339(host.now(), 0) +
                                           R"("},"status":{"phase":")" + phase +
                                           R"(","conditions":[{"type":"Ready","status":")" +
                                           (is_ready ? "True" : "False") + R"("}]}})");
    }
    void put_pods(const std::string& of, int running, int pending = 0) {
        for (int i = 0; i < running; ++i) put_pod(of, "Running");
        for (int i = 0; i < pending; ++i) put_pod(of, "Pending");
    }

    /// Reconciles like the active host until the controller requests no more reconciles.
    Reconciled settle() {
        if (!replicas) {
            replicas.emplace(host.host(), config);
            replicas->start();
        }
        Reconciled last;
        for (int round = 0; round < 20; ++round) {
            host.run();
            const bool is_wanted = host.take_wish().has_value();
            if (leads && !is_wanted && round > 0) return last;
            const Result<Reconciled> done =
                testing::run(host, replicas->reconcile({.is_first = !leads}));
            EXPECT_TRUE(done) << done.error();
            if (!done) return last;
            leads = true;
            last = *done;
        }
        ADD_FAILURE() << "the controller requests reconciles without end";
        return last;
    }
    void advance(Duration time) {
        host.advance(time);
        settle();
    }
    int size_of(const std::string& deployment) {
        const auto found = host.kube().find(deployments, "shop", deployment);
        return found ? static_cast<int>(found->find({"spec", "replicas"})->integer().value_or(-1))
                     : -1;
    }
    std::vector<int> sizes() { return {size_of("a"), size_of("b")}; }
    Json status() {
        const auto found = host.kube().find(balancer_resource(), "shop", "web");
        return found && found->find("status") ? *found->find("status") : Json();
    }
    std::int64_t number(std::string_view key) {
        const Json now = status();
        const Json* value = now.find(key);
        return value != nullptr ? value->integer().value_or(-1) : -1;
    }
    Condition condition(std::string_view type = balancing) {
        return find_condition(status(), type).value_or(Condition{.message = "there is none"});
    }
    std::vector<std::string> events() const {
        std::vector<std::string> out;
        for (const auto& note : const_cast<testing::FakeHost&>(host).kube().notes())
            out.push_back(note.reason);
        return out;
    }
    /// Scales that were written, in order: "b=5".
    std::vector<std::string> writes() {
        std::vector<std::string> out;
        for (const KubeRequest& request : host.kube().requests()) {
            if (request.verb != KubeVerb::update || request.subresource != "scale") continue;
            const Json scale = *parse_json(request.body);
            out.push_back(request.name + "=" + to_string(*scale.find({"spec", "replicas"})));
        }
        return out;
    }
};

}  // namespace capstan::replicas
