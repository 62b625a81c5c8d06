/// ConfigMaps: where the daemon keeps its memory and its status.
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

/// By key; nothing: drop it. Keys that are not named stay as they are.
struct ConfigMapChange {
    using Values = std::map<std::string, std::optional<std::string>>;
    Values data{};
    Values annotations{};
};

/// Needs get, create, update and delete, as upstream's roles grant them: it does not patch. Used on
/// the loop's thread alone; no `done` is called inside these, nor once this object is gone.
class ConfigMaps {
public:
    using Read = std::function<void(Result<ConfigMap>)>;
    using Done = std::function<void(Result<void>)>;

    /// Borrows both. `seed`: of jitter.
    ConfigMaps(Api& api, io::Loop& loop, std::uint64_t seed) : random_(seed), calls_(api, loop) {}

    /// `not_found`: there is none.
    void read(const ConfigMapName& name, Read done);
    /// Makes the ConfigMap where there is none; when others write to it meanwhile, tries five times
    /// in all; one that is that way already is not written to. `done` gets what it holds then.
    /// `quota`: it would hold more
    /// than the 1 MiB of data, or 256 KiB of annotations, that the API takes; nothing is written.
    void write(const ConfigMapName& name, ConfigMapChange change, Read done);
    /// One that is not there is as good.
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
