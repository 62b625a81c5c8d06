#include "kubernetes/objects/pod_decode.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace capstan::kubernetes::objects {
namespace {

struct RequestsCase {
    const char* rule;
    const char* spec;
    Resources requests;
};

Resources requests_of(const std::string& spec, std::vector<JsonProblem>* kept_problems = nullptr) {
    const boost::json::value document = boost::json::parse(spec);
    JsonProblems problems(document);
    Resources out = decode_pod_requests(problems.root());
    if (kept_problems != nullptr) {
        *kept_problems = problems.kept();
    } else {
        EXPECT_TRUE(problems.empty()) << problems.kept().front().what;
    }
    return out;
}

TEST(PodRequests, AreComputedAsInTheScheduler) {
    const RequestsCase cases[] = {
        {"a pod without requests", R"({"containers":[{"name":"a"}]})", {}},
        {"containers are summed",
         R"({"containers":[{"resources":{"requests":{"cpu":"500m","memory":"1Gi"}}},
                           {"resources":{"requests":{"cpu":1,"memory":"512Mi"}}}]})",
         {{"cpu", 1500}, {"memory", 1536 << 20}}},
        {"an init container counts if it requests more than the containers together",
         R"({"initContainers":[{"resources":{"requests":{"cpu":"2","memory":"10Mi"}}}],
             "containers":[{"resources":{"requests":{"cpu":"500m","memory":"20Mi"}}}]})",
         {{"cpu", 2000}, {"memory", 20 << 20}}},
        {"init containers run one after the other",
         R"({"initContainers":[{"resources":{"requests":{"cpu":"1"}}},{"resources":{"requests":{"cpu":"2"}}}]})",
         {{"cpu", 2000}}},
        {"a sidecar runs next to the containers",
         R"({"initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}}],
             "containers":[{"resources":{"requests":{"cpu":"1"}}}]})",
         {{"cpu", 1100}}},
        {"a sidecar runs next to the init containers after it, not those before",
         R"({"initContainers":[{"resources":{"requests":{"cpu":"3"}}},
                               {"restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}},
                               {"resources":{"requests":{"cpu":"2950m"}}}],
             "containers":[{"resources":{"requests":{"cpu":"500m"}}}]})",
         {{"cpu", 3050}}},
        {"a limit without a request is the request",
         R"({"containers":[{"resources":{"limits":{"nvidia.com/gpu":"1","cpu":"2"},"requests":{"cpu":"1"}}}]})",
         {{"cpu", 1000}, {"nvidia.com/gpu", 1}}},
        {"requests of the pod replace those of its containers, but only for cpu, memory and huge "
         "pages",
         R"({"resources":{"requests":{"cpu":"3","hugepages-2Mi":"4Mi","example.com/x":"9"}},
             "containers":[{"resources":{"requests":{"cpu":"5","memory":"1Gi","example.com/x":"1"}}}]})",
         {{"cpu", 3000}, {"memory", 1 << 30}, {"hugepages-2Mi", 4 << 20}, {"example.com/x", 1}}},
        {"overhead is added to everything",
         R"({"resources":{"requests":{"cpu":"3"}},"overhead":{"cpu":"250m","memory":"120Mi"},
             "containers":[{"resources":{"requests":{"cpu":"1","memory":"1Mi"}}}]})",
         {{"cpu", 3250}, {"memory", 121 << 20}}},
        {"fractions are summed before they are rounded up",
         R"({"containers":[{"resources":{"requests":{"cpu":"0.5m","memory":"0.5"}}},
                           {"resources":{"requests":{"cpu":"0.5m","memory":"0.5"}}}]})",
         {{"cpu", 1}, {"memory", 1}}},
    };
    for (const RequestsCase& c : cases) EXPECT_EQ(requests_of(c.spec), c.requests) << c.rule;
}

TEST(PodRequests, ReportAndIgnoreInvalidQuantities) {
    std::vector<JsonProblem> kept_problems;
    const Resources requests = requests_of(
        R"({"containers":[{"resources":{"requests":{"cpu":"1","memory":"1 Gi","a/b":"-1","c":true}}}]})",
        &kept_problems);
    EXPECT_EQ(requests, (Resources{{"cpu", 1000}}));
    ASSERT_EQ(kept_problems.size(), 3u);
    EXPECT_EQ(kept_problems[0].pointer, "/containers/0/resources/requests/memory");
    EXPECT_EQ(kept_problems[1],
              (JsonProblem{"/containers/0/resources/requests/a~1b", "is negative (-1)"}));
    EXPECT_EQ(kept_problems[2].what, "expects a quantity such as \"1500m\" or \"2Gi\", found true");
}

}  // namespace
}  // namespace capstan::kubernetes::objects
