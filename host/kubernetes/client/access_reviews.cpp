#include "kubernetes/client/access_reviews.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/serialize.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes::client {
namespace {

constexpr ApiResource reviews{"authorization.k8s.io", "v1", "selfsubjectaccessreviews",
                              "SelfSubjectAccessReview", false};

std::string review_body(const AccessRule& rule) {
    boost::json::object attributes{{"verb", rule.verb}, {"resource", rule.resource}};
    const auto add = [&](std::string_view key, const std::string& value) {
        if (!value.empty()) attributes[key] = value;
    };
    add("group", rule.group);
    add("subresource", rule.subresource);
    add("namespace", rule.ns);
    add("name", rule.name);
    const boost::json::object body{{"apiVersion", "authorization.k8s.io/v1"},
                                   {"kind", reviews.kind},
                                   {"spec", {{"resourceAttributes", std::move(attributes)}}}};
    return boost::json::serialize(body);
}

void take(AccessAnswer& answer, Result<ApiReply> reply) {
    const Result<boost::json::object> review = parse_object(std::move(reply));
    if (!review) {
        answer.error = within("check permission to " + to_string(answer.rule), review.error());
        return;
    }
    answer.is_allowed = base::is_true_at(*review, "status.allowed");
    answer.reason = base::text_at(*review, "status.reason");
    // An authorizer failed, so the denial may be wrong.
    const std::string_view failure = base::text_at(*review, "status.evaluationError");
    if (!answer.is_allowed && answer.reason.empty()) answer.reason = failure;
}

}  // namespace

std::string to_string(const AccessRule& rule) {
    std::string out = rule.verb + " " + rule.resource;
    if (!rule.group.empty()) out += "." + rule.group;
    if (!rule.subresource.empty()) out += "/" + rule.subresource;
    if (!rule.name.empty()) out += " " + rule.name;
    if (!rule.ns.empty()) out += " in " + rule.ns;
    return out;
}

struct AccessReviews::Review {
    std::vector<AccessAnswer> answers;
    Done done;
    std::size_t next = 0;
    std::size_t answered = 0;
};

void AccessReviews::review(const std::vector<AccessRule>& rules, Done done) {
    const auto review = std::make_shared<Review>();
    review->done = std::move(done);
    for (const AccessRule& rule : rules) review->answers.push_back({.rule = rule});
    if (rules.empty())
        return calls_.after(Duration::zero(), [review] { review->done(review->answers); });
    for (std::size_t i = 0; i < std::max<std::size_t>(at_once_, 1); ++i) ask_next(review);
}

void AccessReviews::ask_next(std::shared_ptr<Review> review) {
    if (review->next == review->answers.size()) return;
    AccessAnswer& answer = review->answers[review->next++];
    calls_.send({.method = "POST",
                 .path = path_of(reviews),
                 .body = review_body(answer.rule),
                 .purpose = "doctor"},
                [this, review, &answer](Result<ApiReply> reply) {
                    take(answer, std::move(reply));
                    if (++review->answered == review->answers.size())
                        return review->done(std::move(review->answers));
                    ask_next(review);
                });
}

}  // namespace capstan::kubernetes::client
