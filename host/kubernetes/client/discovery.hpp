/// Which path leads to objects of a kind, as the API server says.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "kubernetes/client/discovery_document.hpp"
#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes {

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

}  // namespace capstan::kubernetes
