/// Reads and writes ConfigMaps, in which the daemon keeps its memory and its status.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "io/clock.hpp"
#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

struct ConfigMapName {
    std::string ns{}, name{};
};

struct ConfigMap {
    std::map<std::string, std::string> data{};
    std::map<std::string, std::string> annotations{};
    std::string uid{};
    std::string resource_version{};
};

/// New values by key; an absent value removes the key. Keys that are not listed stay as they are.
struct ConfigMapChange {
    using Values = std::map<std::string, std::optional<std::string>>;
    Values data{};
    Values annotations{};
};

/// Needs the verbs get, create, update and delete, which upstream's roles grant; it does not patch.
/// Used on the loop's thread alone. No `done` is called inside a call, nor after this object's
/// destruction.
class ConfigMaps {
public:
    using Read = std::function<void(Result<ConfigMap>)>;
    using Done = std::function<void(Result<void>)>;

    /// Borrows `api` and `loop`. `seed`: of jitter.
    ConfigMaps(Api& api, io::Loop& loop, std::uint64_t seed) : random_(seed), calls_(api, loop) {}

    /// `not_found`: the ConfigMap does not exist.
    void read(const ConfigMapName& name, Read done);
    /// Creates the ConfigMap if it does not exist. A ConfigMap that has the values already is not
    /// written. After a conflict it is read and written again, five tries in all. `done` gets its
    /// content afterwards. `quota`: it would exceed the API's limits of 1 MiB of data or 256 KiB of
    /// annotations; nothing is written.
    void write(const ConfigMapName& name, ConfigMapChange change, Read done);
    /// Succeeds also if the ConfigMap does not exist.
    void remove(const ConfigMapName& name, Done done);

private:
    struct Attempt;
    void attempt(std::shared_ptr<Attempt> attempt);
    void put(std::shared_ptr<Attempt> attempt, std::optional<boost::json::object> before);
    void finish(std::shared_ptr<Attempt> attempt, Result<boost::json::object> object);
    void send(const ConfigMapName& name, std::string method, const boost::json::object* body,
              Api::Done done);

    io::RandomSource random_;
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
