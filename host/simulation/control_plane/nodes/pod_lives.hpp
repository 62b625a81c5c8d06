/// Kubelets, as far as pods know them: pods start, run, end and go.
#pragma once

#include <map>
#include <string>

#include "simulation/control_plane/control_context.hpp"
#include "simulation/control_plane/reconcile_queue.hpp"

namespace capstan::simulation {

/// Acts for pods of nodes that are ready; on others nothing moves. [the loop's thread]
class PodLives {
public:
    explicit PodLives(ControlContext& context);

private:
    enum class Stage { unseen, starting, running, stopping };
    struct Life {
        std::string uid{};
        Stage stage = Stage::unseen;
        Duration since{};  ///< of the stage, by the loop's monotonic time
    };
    void note_node(const Change& change);
    void reconcile(const std::string& key);
    Life& life_of(const std::string& key, const json::object& pod);
    void enter(Life& life, Stage stage);
    /// Whether the stage has lasted that long; comes back when not.
    bool has_lasted(const std::string& key, const Life& life, Duration real);
    void start(const std::string& key, const json::object& pod, const json::object& node,
               Life& life);
    void run(const std::string& key, const json::object& pod, Life& life);
    void end(const json::object& pod, Life& life);
    void stop(const std::string& key, const json::object& pod, Life& life);
    void tell(const json::object& pod, std::string_view reason, std::string message);

    ControlContext& context_;
    std::map<std::string, Life> lives_;
    std::uint32_t last_address_ = 0;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation
