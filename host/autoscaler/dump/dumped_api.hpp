/// The objects of a dump that plugins read, behind the interface of an API server.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/kube_api.hpp"

namespace capstan::autoscaler::dump {

/// Answers GET and LIST with the objects as they are in the dump. Nothing changes, so a watch is
/// silent once it has begun. Of Kubernetes' own kinds there may be no object; other kinds without
/// an object are not served. Writes end as `cancelled`. Used on the loop's thread alone.
class DumpedApi final : public kubernetes::client::Api {
public:
    /// Borrows the loop. `invalid_argument`: a text is no JSON object of an API.
    static Result<std::unique_ptr<DumpedApi>> make(io::Loop& loop,
                                                   const std::vector<std::string>& objects);

    RequestId send(kubernetes::client::ApiRequest request, Done done) override;
    RequestId stream(kubernetes::client::ApiRequest request, Part on_part, Done done) override;
    void cancel(RequestId id) override;
    kubernetes::client::SuccessNotifier& success_notifier() override { return notifier_; }

private:
    struct DumpedKind {
        std::string group{}, version{}, plural{}, kind{};
        std::vector<boost::json::object> objects{};
    };
    struct Call {
        Part on_part{};  ///< NULL: the answer comes as a whole
        Done done{};
    };

    explicit DumpedApi(io::Loop& loop);
    Result<void> add(const std::string& text);
    const DumpedKind* find_kind(std::string_view group, std::string_view version,
                                std::string_view plural) const;
    Result<std::string> answer(const kubernetes::client::ApiRequest& request) const;
    std::string discovery(bool is_core) const;
    RequestId open(const kubernetes::client::ApiRequest& request, Part on_part, Done done);
    void finish(RequestId id, bool is_watch, const Result<std::string>& answer);

    std::vector<DumpedKind> kinds_;
    std::map<RequestId, Call> open_{};
    RequestId last_ = 0;
    kubernetes::client::SuccessNotifier notifier_{};
    kubernetes::client::Later later_;
};

}  // namespace capstan::autoscaler::dump
