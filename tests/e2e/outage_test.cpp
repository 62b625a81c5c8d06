#include <stdexcept>

#include "stories.hpp"

namespace capstan::e2e {
namespace {

struct Outage : Stories {
    /// As soon as somebody listens.
    void apply(const std::string& yaml) const {
        ASSERT_TRUE(becomes(120s, [&] {
            try {
                cluster->apply(yaml);
                return true;
            } catch (const std::runtime_error&) {
                return false;
            }
        }));
    }
};

TEST_F(Outage, AnApiServerThatIsKilledIsFoundAgain) {
    const Daemon daemon(*cluster, "outage", cloud_in({"a"}));
    ASSERT_TRUE(becomes(60s, [&] { return daemon.target() == 0; }));
    cluster->restart_api_server();
    apply(deployment(5, "1500m"));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 5; }));
    EXPECT_EQ(daemon.target(), 3);
}

/// How often a kind has been listed anew.
std::int64_t relists(const Daemon& daemon) {
    const std::optional<boost::json::value> status = daemon.ask("/api/v1/status");
    if (!status) return 0;
    std::int64_t out = 0;
    for (const boost::json::value& kind : status->at("kinds").as_array())
        out += kind.at("relists").to_number<std::int64_t>();
    return out;
}

TEST_F(Outage, AForgottenHistoryIsReadAnew) {
    const Daemon daemon(*cluster, "history", cloud_in({"a"}));
    cluster->apply(deployment(5, "1500m"));
    ASSERT_TRUE(becomes(120s, [&] { return ready_pods() == 5; }));
    EXPECT_EQ(relists(daemon), 0);
    // Watches that are open do not notice; one that is opened again asks for what is forgotten.
    cluster->forget_history();
    cluster->restart_api_server();
    apply(deployment(9, "1500m"));
    EXPECT_TRUE(becomes(120s, [&] { return ready_pods() == 9; }));
    EXPECT_TRUE(becomes(60s, [&] { return relists(daemon) > 0; }));
    apply(deployment(2, "1500m"));
    EXPECT_TRUE(becomes(120s, [&] { return has_ready_nodes(1); }));
    EXPECT_EQ(ready_pods(), 2);
}

}  // namespace
}  // namespace capstan::e2e
