/// AWS behind the HTTP of the fake host. Returns the added responses in order, and then repeats the
/// last one. Records the requests.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/fake_host.hpp>
#include <capstan/time_text.hpp>

#include "wire/aws_client.hpp"

namespace capstan::aws {

inline HttpReply xml_response(const std::string& action, const std::string& inner = {}) {
    return testing::reply(200, "<" + action + "Response><" + action + "Result>" + inner + "</" +
                                   action + "Result></" + action + "Response>");
}

inline HttpReply xml_refusal(int status, const std::string& code, const std::string& message = "m",
                             HttpHeaders headers = {}) {
    return testing::reply(status,
                          "<ErrorResponse><Error><Code>" + code + "</Code><Message>" + message +
                              "</Message></Error><RequestId>r-1</RequestId></ErrorResponse>",
                          std::move(headers));
}

class FakeAws {
public:
    explicit FakeAws(testing::FakeHost& host) : host_(host) {
        host.http().handle([this](const HttpRequest&) { return next(); });
    }
    FakeAws& then(testing::HttpOutcome outcome) {
        outcomes_.push_back(std::move(outcome));
        return *this;
    }
    std::size_t count() const { return host_.http().requests().size(); }
    const HttpRequest& request(std::size_t at) const { return host_.http().requests().at(at); }

private:
    testing::HttpOutcome next() {
        const std::size_t at = std::min(used_++, outcomes_.size() - 1);
        return outcomes_.at(at);
    }
    testing::FakeHost& host_;
    std::vector<testing::HttpOutcome> outcomes_{};
    std::size_t used_ = 0;
};

inline std::string header_of(const HttpRequest& request, const std::string& name) {
    for (const auto& [key, value] : request.headers) {
        if (key == name) return value;
    }
    return {};
}

}  // namespace capstan::aws
