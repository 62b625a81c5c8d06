/// `capstan plugin call --kind cloud`: what a cloud shows, on a recording of its API or on the API
/// itself, and what becomes of one change that a person asks for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/testing/recording.hpp>

#include "commands/single_plugin.hpp"

namespace capstan::plugin_commands {

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
    std::vector<testing::Exchange> recording{};  ///< what requests are answered with
    bool is_live = false;                        ///< requests go out, and waiting takes its time
    std::filesystem::path secrets{};      ///< a folder as `[secrets] dir`; empty: made-up values
    std::optional<CloudChange> change{};  ///< none: the cloud is only read
};

/// Makes and starts an instance, refreshes it, describes its groups; makes the change, if one is
/// asked for, and refreshes again. The answer describes the last refresh:
///     {"complete":true,"groups":[{"id","min","max","target","healthy","spot","price_per_hour",
///      "template":{...}}],
///      "machines":[{"id","group","state","machine_type","zone","spot","leaves_because","error"}],"unreadable":[ERROR],
///      "change":{"target":3,"shortfall":null},"requests":["GET https://api.example/groups"]}
/// `change` is there where one was asked for; of a removal it is {"failed":[ERROR]}. ERROR is
/// {"code","message","subject"}; a template that cannot be described is
/// {"error":ERROR}, and what is unknown is null. Requests are shown without their query. An error
/// says which call failed.
Result<boost::json::object> call_cloud(const runtime::LoadedPlugin& plugin,
                                       const commands::SettingsFile& settings,
                                       const CloudCall& call);

}  // namespace capstan::plugin_commands
