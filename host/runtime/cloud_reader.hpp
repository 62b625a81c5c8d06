/// What is known of one cloud, from refresh to refresh.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>

#include "engine/snapshot.hpp"
#include "runtime/instances/cloud_client.hpp"

namespace capstan::runtime {

/// One cloud's part of a CloudsView.
struct CloudReading {
    std::vector<engine::Group> groups{};  ///< in the order of the cloud
    /// What it would make groups of, by name; empty: it makes none, or it is not known of what.
    std::vector<MachineType> machines{};
    std::vector<Error> problems{};  ///< each names its cloud
};

/// Keeps what it read last, for groups that cannot be read this time and for templates that have
/// not changed. One reading at a time; all but `read` runs on the cloud's strand.
class CloudReader : public std::enable_shared_from_this<CloudReader> {
public:
    using Done = std::function<void(CloudReading)>;

    /// `asks_machine_types`: somebody will look at them.
    CloudReader(std::shared_ptr<CloudClient> client, bool asks_machine_types)
        : client_(std::move(client)),
          asks_machine_types_(asks_machine_types && client_->makes_groups()) {}

    const std::shared_ptr<CloudClient>& client() const noexcept { return client_; }
    /// Refreshes the cloud and describes its groups as needed; `done` on the strand. [any thread]
    void read(Done done);

private:
    /// What a group's nodes would be, or why that is not known.
    struct Description {
        std::string fingerprint{};
        std::shared_ptr<const NodeTemplate> node{};
        std::string missing_because{};
    };
    struct Reading;

    void take(Result<CloudView> view, Done done);
    /// The groups of a view with their machines; those that could not be read as they were.
    CloudReading merge(CloudView view) const;
    const Description* find_description(const engine::Group& group) const;
    void describe(const std::shared_ptr<Reading>& reading);
    void described(Reading& reading, std::size_t at, Result<NodeTemplate> node);
    void ask_machine_types(const std::shared_ptr<Reading>& reading);
    void finish(Reading& reading);
    std::string named(std::string_view what) const;

    const std::shared_ptr<CloudClient> client_;
    const bool asks_machine_types_;
    std::vector<engine::Group> known_;
    std::map<NodeGroupId, Description> descriptions_;
};

}  // namespace capstan::runtime
