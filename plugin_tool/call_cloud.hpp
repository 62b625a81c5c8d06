/// `capstan plugin call --kind cloud`: what a cloud shows, with a recording of its API or with the
/// API itself, and the outcome of one change that the command line asks for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/testing/recording.hpp>

#include "commands/single_plugin.hpp"

namespace capstan::plugin_tool {

struct CloudChange {
    enum class What { increase, decrease, remove };
    What what = What::increase;
    std::string subject;  ///< a group, or the machine to remove
    int by = 0;           ///< machines; not of `remove`
};
/// Parses the value of --increase and --decrease, "web=2", or of --remove, a machine's id. The
/// error says what is expected.
Result<CloudChange> parse_change(CloudChange::What what, const std::string& text);

struct CloudCall {
    std::vector<testing::Exchange> recording{};  ///< the replies to requests
    bool is_live = false;                 ///< requests use the network, and waits take real time
    std::filesystem::path secrets{};      ///< a folder as `[secrets] dir`; empty: made-up values
    std::optional<CloudChange> change{};  ///< absent: the cloud is only read
};

/// Makes and starts an instance, and refreshes it. If a change is asked for, makes it and refreshes
/// again. Then describes the groups. The result shows the last refresh:
///     {"complete":true,"groups":[{"id","min","max","target","healthy","spot","price_per_hour",
///      "template":{...}}],
///      "machines":[{"id","group","state","machine_type","zone","spot","leaves_because","error"}],
///      "unreadable":[ERROR],
///      "change":{"target":3,"shortfall":null},"requests":["GET https://api.example/groups"]}
/// `change` is there if a change was asked for; of a removal it is {"failed":[ERROR]}. ERROR is
/// {"code","message","subject"}; a template that cannot be described is
/// {"error":ERROR}, and what is unknown is null. Requests are shown without their query. The error
/// of this function says which call failed.
Result<boost::json::object> call_cloud(const autoscaler::LoadedPlugin& plugin,
                                       const commands::SettingsFile& settings,
                                       const CloudCall& call);

}  // namespace capstan::plugin_tool
