/// A configuration of examples/ with the shipped `capstan run`, on a cluster in memory.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include "../clouds/variable.hpp"
#include "../e2e_embedded/embedded_cluster.hpp"

namespace capstan::examples {

/// Text that is in a file exactly once, and the text in its place.
using Replacements = std::vector<std::pair<std::string, std::string>>;

/// The text of a file of examples/.
std::string example(const std::string& file);

/// The daemon ends when this is destroyed. Its log is printed if the test has failed by then.
class RunningExample {
public:
    /// The cluster is that of examples/empty.toml with `pods`, which are lines of a scenario. The
    /// daemon finds it by KUBECONFIG. Throws unless each text to replace is in the file exactly
    /// once.
    explicit RunningExample(const std::string& file, const Replacements& replacements = {},
                            const std::string& pods = {});
    RunningExample(const RunningExample&) = delete;
    RunningExample& operator=(const RunningExample&) = delete;
    ~RunningExample();

    /// Waits for a pass in which every cloud has answered. Throws if there is none within 90 s, or
    /// if the daemon ends. Then expects that the daemon is ready within 30 s.
    void wait_for_first_pass();
    /// Whether the admin port's response at this path has the text within a minute. Throws if there
    /// is no admin port.
    bool answers(const std::string& path, const std::string& text) const;
    /// The ids of the groups of the last pass.
    std::vector<std::string> groups() const;
    /// Sends SIGTERM, and expects that the daemon ends with code 0.
    void stop();

private:
    /// The API of the admin port. Absent: the daemon does not listen yet, or has ended.
    std::optional<e2e::Api> find_admin();
    bool has_passed();

    e2e::EmbeddedCluster cluster_;
    const clouds::Variable kubeconfig_;
    std::optional<e2e::Daemon> daemon_{};
};

}  // namespace capstan::examples
