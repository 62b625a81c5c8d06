#include "tiers.hpp"

#include <re2/re2.h>
#include <capstan/sentence.hpp>
#include <capstan/whole_number.hpp>

namespace capstan::expanders {

bool Pattern::matches(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

const std::string& Pattern::written() const { return compiled_->pattern(); }

Result<Pattern> parse_pattern(const std::string& written) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    auto compiled = std::make_shared<const re2::RE2>(written, options);
    if (!compiled->ok()) {
        return fail(ErrorCode::invalid_config,
                    "regular expression " + in_quotes(written) + ": " + compiled->error());
    }
    return Pattern(std::move(compiled));
}

Result<std::int64_t> parse_priority(std::string_view written) {
    const auto priority = find_whole_number(written);
    if (!priority) {
        return fail(ErrorCode::invalid_config,
                    "priority " + in_quotes(written) + ": not a 64-bit integer");
    }
    return *priority;
}

}  // namespace capstan::expanders
