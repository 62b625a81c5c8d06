#include <string>

#include <capstan/utf8.hpp>

#include "fuzzing.hpp"
#include "wire/gce_error.hpp"
#include "wire/resource_link.hpp"

namespace {

using namespace capstan;

void read_as_link(std::string_view text) {
    const Result<gce::ResourceLink> link = gce::parse_link(text);
    if (!link) {
        fuzz::require(
            link.error().code == ErrorCode::invalid_argument && !link.error().message.empty(),
            "a text that is no link is refused with a reason");
        return;
    }
    fuzz::require(!link->project.empty() && !link->collection.empty() && !link->name.empty(),
                  "a link has all its parts");
    const Result<gce::ResourceLink> again = gce::parse_link(link->path());
    fuzz::require(again && again->path() == link->path(), "a path is read as the same link");
    const std::string region = gce::region_of_zone(link->place.name);
    fuzz::require(link->place.name.starts_with(region), "a zone begins with its region");
}

void read_as_refusal(int status, std::string_view text) {
    const HttpReply reply{status, {{"date", "Thu, 01 Jan 2026 00:00:00 GMT"}}, std::string(text)};
    const FailedAttempt failed = gce::judge_refusal("compute.instances.list", reply, Time());
    const Error& error = failed.error;
    fuzz::require(error.message.starts_with("compute.instances.list: "),
                  "an error names its action");
    fuzz::require(is_utf8(error.message) && is_utf8(error.provider_code) &&
                      error.message.find('\n') == std::string::npos,
                  "an error is one line of UTF-8");
    fuzz::require(error.message.size() < 5000, "an error stays in its bounds");
    fuzz::require(
        error.code != ErrorCode::throttled || status == 429 || !error.provider_code.empty(),
        "throttling has a reason");
    fuzz::require(status < 500 || failed.again != RepeatWhen::never || !error.provider_code.empty(),
                  "a server error is repeated, unless it names a reason against it");
}

void read_as_failure(std::string_view code, std::string_view message) {
    const Error failure = gce::classify_failure(code, message);
    fuzz::require(is_utf8(failure.message) && !failure.message.empty(), "a failure has a message");
    fuzz::require(!gce::is_stock_out(failure) || failure.code == ErrorCode::out_of_capacity,
                  "a stock-out is a lack of capacity");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    read_as_link(text);
    for (const int status : {400, 401, 403, 404, 429, 500, 503}) read_as_refusal(status, text);
    const std::size_t end = text.find('\n');
    read_as_failure(text.substr(0, end),
                    end == std::string_view::npos ? std::string_view() : text.substr(end + 1));
    return 0;
}
