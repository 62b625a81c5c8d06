#include "runtime/record/versioned.hpp"

#include <limits>
#include <string>

namespace capstan::runtime {

Result<void> check_version(kubernetes::JsonProblems& problems, std::string_view name, int latest) {
    const JsonPlace root = problems.root();
    const auto version = root.required("version").integer(1, std::numeric_limits<int>::max());
    CAPSTAN_CHECK(check_problems(problems, name));
    if (*version <= latest) return {};
    const std::string host(root["host"].text().value_or("a later one"));
    return fail(ErrorCode::unsupported, std::string(name) + ": is of version " +
                                            std::to_string(*version) + ", written by capstan " +
                                            host + "; this host reads up to version " +
                                            std::to_string(latest));
}

Result<void> check_problems(const kubernetes::JsonProblems& problems, std::string_view name) {
    if (problems.empty()) return {};
    std::string text = problems_text(problems, name);
    text.pop_back();  // the last line's end
    return fail(ErrorCode::invalid_argument, std::move(text));
}

}  // namespace capstan::runtime
