/// Reads and writes the Scale subresource of objects of any kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "kubernetes/client/discovery.hpp"
#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

struct ScaleTarget {
    KindName kind{};
    std::string ns{}, name{};
};

struct Scale {
    std::int64_t wanted = 0;   ///< spec.replicas
    std::int64_t current = 0;  ///< status.replicas
    std::string selector{};    ///< status.selector; empty: the kind does not have it
    std::string resource_version{};
    bool operator==(const Scale&) const = default;
};

/// Discovery gives the path of the kind. Used on the loop's thread alone. No `done` is called
/// inside a call, nor after this object's destruction.
class Scales {
public:
    using Done = std::function<void(Result<Scale>)>;

    /// Borrows its arguments. `discovery` must outlive this object.
    Scales(Api& api, io::Loop& loop, Discovery& discovery)
        : discovery_(discovery), calls_(std::make_unique<OpenCalls>(api, loop)) {}

    /// `not_found`: no such object, or no such kind. `unsupported`: the kind cannot be scaled.
    void read(const ScaleTarget& target, Done done);
    /// Fails as read() does, and with `conflict` if the object no longer has this
    /// `resource_version`; an empty one matches any version.
    void write(const ScaleTarget& target, std::int64_t wanted, const std::string& resource_version,
               Done done);

private:
    void send(const ScaleTarget& target, std::string method, std::string body, Done done);

    Discovery& discovery_;
    std::shared_ptr<OpenCalls> calls_;
};

}  // namespace capstan::kubernetes::client
