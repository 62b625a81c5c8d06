#include "api/open_operations.hpp"

#include <gmock/gmock.h>

#include "scripted_google.hpp"

namespace capstan::gce {
namespace {

const ResourceLink watched_link{"shop", {Scope::zone, "us-central1-a"}, "operations", "op-1"};
const std::string poll_call = "GET projects/shop/zones/us-central1-a/operations/op-1";

struct PolledOperations : ScriptedGoogle {
    // Waiting coroutines end before the operations do.
    ~PolledOperations() { std::ignore = host().stop(); }

    void add() {
        operations.add(watched_link, [this](const Operation& now) {
            ++ended;
            errors = now.errors.size();
        });
    }
    OpenOperations operations{host().host(), client()};
    int ended = 0;
    std::size_t errors = 0;
};

TEST(GceOpenOperations, ArePolledUntilTheyEnd) {
    PolledOperations google;
    for (int polls = 0; polls < 3; ++polls) google.on(poll_call, operation_response());
    google.on(poll_call,
              operation_response(R"(,"error":{"errors":[{"code":"QUOTA_EXCEEDED"}]})", "DONE"));
    google.add();
    google.host().advance(std::chrono::seconds(11));
    EXPECT_EQ(google.ended, 0);
    google.host().advance(std::chrono::minutes(1));
    EXPECT_EQ(google.ended, 1);
    EXPECT_EQ(google.errors, 1u);
    EXPECT_EQ(google.requests().size(), 4u) << "an ended operation is not polled";
}

TEST(GceOpenOperations, AreForgottenAfterFifteenMinutesOrIfDeleted) {
    PolledOperations slow, gone;
    slow.on(poll_call, operation_response());
    for (PolledOperations* google : {&slow, &gone}) {
        google->add();
        google->host().advance(std::chrono::minutes(16));
        const std::size_t requests = google->requests().size();
        google->host().advance(std::chrono::minutes(5));
        EXPECT_EQ(google->requests().size(), requests);
        EXPECT_EQ(google->ended, 0);
    }
    EXPECT_EQ(gone.requests().size(), 1u);
}

}  // namespace
}  // namespace capstan::gce
