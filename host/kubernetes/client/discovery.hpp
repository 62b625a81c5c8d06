/// What an API server says about the kinds it serves, in the forms it says it in.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

struct ServedKind {
    std::string group{};  ///< "apps"; empty: the core's
    std::string version{};
    std::string kind{};
    std::string plural{};  ///< as paths have it
    bool has_namespace = false;
    bool has_scale = false;
    bool operator==(const ServedKind&) const = default;
};

/// By group; in each the preferred version first.
using ServedKinds = std::map<std::string, std::vector<ServedKind>>;

/// What to accept, so that a server from 1.27 on tells everything at once, and an older one, or one
/// of another make, what it always told.
inline constexpr std::string_view discovery_accept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json";

/// Everything at once, an APIGroupDiscoveryList. Nothing: it is something else.
std::optional<ServedKinds> find_served_kinds(const boost::json::object& document);

/// The versions of `group` in an APIGroupList, or in the core's APIVersions, the preferred one
/// first. Empty: it is not there.
std::vector<std::string> versions_of(const boost::json::object& document, std::string_view group);

/// The kinds of one version, from its APIResourceList.
std::vector<ServedKind> served_kinds_of(const boost::json::object& document, std::string_view group,
                                        std::string_view version);

// Which path leads to objects of a kind, as the API server says.

/// A kind as references in objects name it.
struct KindName {
    std::string api_version{};  ///< "apps/v1", "v1"; empty: the core's, of any version
    std::string kind{};
};

/// Asks once and remembers. What is not known is looked for again, but not more often than every
/// `between`, so that a misspelt kind is no load; what is known, once it is five minutes old, for a
/// definition may get a Scale, or another plural. Where that fails what was known goes on to count.
/// Used on the loop's thread alone.
class Discovery {
public:
    using Done = std::function<void(Result<ServedKind>)>;

    /// Borrows both.
    Discovery(Api& api, io::Loop& loop, Duration between = std::chrono::seconds(10))
        : between_(between), calls_(api, loop) {}

    /// `not_found`: the server does not serve it. `done` is not called inside this, nor once this
    /// object is gone.
    void resolve(const KindName& name, Done done);

private:
    struct Waiting {
        KindName name;
        Done done;
    };
    struct Legacy;
    const ServedKind* find(const KindName& name) const;
    bool knows_enough(const KindName& name) const;
    Result<ServedKind> result_of(const KindName& name) const;
    void ask(const std::string& group, std::string accept);
    void take(const std::string& group, const boost::json::object& document);
    void ask_version(std::shared_ptr<Legacy> legacy);
    void keep_known(Legacy& legacy, const std::string& version);
    void finish(const std::string& group, const Result<void>& result);

    const Duration between_;
    ServedKinds known_{};
    std::map<std::string, Duration> asked_at_{};  ///< by group
    std::map<std::string, std::vector<Waiting>> waiting_{};
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
