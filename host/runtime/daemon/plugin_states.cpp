#include "runtime/daemon/plugin_states.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace capstan::runtime::daemon {
namespace {

/// Those that keep something, by name, whether they run or not.
std::map<std::string, PluginInstanceId> keepers(const PluginHost& host) {
    std::map<std::string, PluginInstanceId> out;
    for (const services::InstanceIdentity& identity : host.identities())
        if (identity.grants.state) out.emplace(identity.id.value(), identity.id);
    return out;
}

}  // namespace

SharedStates share_states(PluginHost& host, const std::string& name, std::size_t room) {
    SharedStates out;
    for (const auto& [instance, id] : keepers(host)) {
        Result<std::string> text = host.state().share(id, name);
        if (text && out.bytes + text->size() > room)
            text = fail(ErrorCode::quota, "there is no room for what it keeps");
        if (!text) out.trouble = within("plugin " + instance, text.error());
        if (!text || text->empty()) continue;
        out.bytes += text->size();
        out.texts.emplace(instance, *std::move(text));
    }
    return out;
}

void take_over_states(PluginHost& host, const std::map<std::string, std::string>& shared) {
    for (const auto& [instance, id] : keepers(host)) {
        const auto text = shared.find(instance);
        if (text == shared.end()) continue;
        const Result<bool> taken = host.state().take_over(id, text->second);
        if (!taken) {
            host.log().write(config::LogLevel::error, instance, taken.error().message);
        } else if (*taken) {
            host.log().write(config::LogLevel::info, instance,
                             "goes on from what the leader before kept of its state");
        }
    }
}

}  // namespace capstan::runtime::daemon
