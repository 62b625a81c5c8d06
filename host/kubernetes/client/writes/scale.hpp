/// How many replicas an object of any kind has, and shall have.
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
    std::int64_t wanted = 0;  ///< spec.replicas
    std::int64_t current = 0;
    std::string selector{};  ///< of its pods, as text; empty: the kind does not tell
    std::string resource_version{};
    bool operator==(const Scale&) const = default;
};

/// Through the Scale subresource, whose path discovery knows. Used on the loop's thread alone; no
/// `done` is called inside these, nor once this object is gone.
class Scales {
public:
    using Done = std::function<void(Result<Scale>)>;

    /// Borrows all, and `discovery` lives longer.
    Scales(Api& api, io::Loop& loop, Discovery& discovery)
        : discovery_(discovery), calls_(std::make_unique<OpenCalls>(api, loop)) {}

    /// `not_found`: no such object, or no such kind. `unsupported`: the kind cannot be scaled.
    void read(const ScaleTarget& target, Done done);
    /// The same, and `conflict`: it is not of this resource_version any more; empty: whichever.
    void write(const ScaleTarget& target, std::int64_t wanted, const std::string& resource_version,
               Done done);

private:
    void send(const ScaleTarget& target, std::string method, std::string body, Done done);

    Discovery& discovery_;
    std::shared_ptr<OpenCalls> calls_;
};

}  // namespace capstan::kubernetes::client
