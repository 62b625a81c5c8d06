#include "api/notice.hpp"
#include "fuzzing.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    const auto notices = aws::read_notices(fuzz::text_of(data, size));
    if (!notices) {
        fuzz::require(!notices.error().message.empty(), "a refusal has a reason");
        return 0;
    }
    for (const aws::Notice& notice : *notices) {
        fuzz::require(notice.instance_id.starts_with("i-") && notice.instance_id.size() <= 64,
                      "a notice has an instance's id");
        fuzz::require(aws::supersedes(notice, notice), "the later of two equal ones counts");
    }
    return 0;
}
