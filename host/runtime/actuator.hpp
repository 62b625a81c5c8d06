/// Carries decisions out.
#pragma once

#include <functional>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>

#include "engine/pass.hpp"
#include "runtime/clouds.hpp"

namespace capstan::runtime {

/// What became of one increase.
struct CarriedOut {
    engine::Increase increase;
    Result<Resized> resized;
};
using CarriedOutDone = std::function<void(std::vector<CarriedOut>)>;

/// Asks the clouds for all machines of the decision at once; `done` gets what became of each, in
/// the order of the decision. One that fails keeps no other. Ends always, each call has its
/// deadline. A dry run asks for nothing and has no results. Carried out again under the same
/// circumstances, a decision has no second effect. `done` is called by the thread that runs the
/// host's loop, or inside this call if there is nothing to do. [any thread]
void carry_out(const engine::Decision& decision, const Clouds& clouds,
               const engine::Circumstances& circumstances, CarriedOutDone done);
/// The same, waited for; on virtual time the clock goes on as far as it takes.
std::vector<CarriedOut> carry_out_now(const engine::Decision& decision, const Clouds& clouds,
                                      const engine::Circumstances& circumstances, PluginHost& host);

/// Has the groups that did not grow left alone for a while. Not those that somebody else changed
/// meanwhile (`conflict`), nor those that were given up because the host stops (`cancelled`).
engine::Memory remember_failures(engine::Memory memory, const std::vector<CarriedOut>& carried_out,
                                 const engine::Settings& settings, Time now);

}  // namespace capstan::runtime
