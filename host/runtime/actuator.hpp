/// Carries decisions out.
#pragma once

#include <functional>

#include "engine/pass.hpp"
#include "runtime/clouds.hpp"
#include "runtime/cluster_client.hpp"

namespace capstan::runtime {

using CarriedOutDone = std::function<void(engine::Results)>;

/// Asks clouds and cluster for all of the decision at once, but for two things: a node is told that
/// it is being deleted (a removal in the decision names it) before its machine is asked to go, and
/// where that fails, the machine is not asked for. And a group is made before it is asked to grow;
/// where that fails, its increases are `cancelled`. `done` gets what became of each action, in the
/// order of the decision. One that fails keeps no other. Ends always, each call has its deadline. A
/// dry run asks for nothing and has no results. Carried out again under the same circumstances, a
/// decision has no second effect. `done` is called by the thread that runs the host's loop, or
/// inside this call if there is nothing to do. `cluster` outlives that. [any thread]
void carry_out(const engine::Decision& decision, const Clouds& clouds, ClusterClient& cluster,
               const engine::Circumstances& circumstances, CarriedOutDone done);
/// The same, waited for; on virtual time the clock goes on as far as it takes.
engine::Results carry_out_now(const engine::Decision& decision, const Clouds& clouds,
                              ClusterClient& cluster, const engine::Circumstances& circumstances,
                              PluginHost& host);

}  // namespace capstan::runtime
