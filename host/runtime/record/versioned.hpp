/// Texts that tell which version of a format they are of, as a member `version` from 1 on.
#pragma once

#include <string_view>

#include <capstan/result.hpp>

#include "kubernetes/json_place.hpp"
#include "runtime/json_reader.hpp"
#include "runtime/record/json_form.hpp"

namespace capstan::runtime {

/// Whether `root` is of a version up to `latest`; see parse_versioned.
Result<void> check_version(kubernetes::JsonProblems& problems, std::string_view name, int latest);
/// What has been complained about, as one error; nothing where nothing was.
Result<void> check_problems(const kubernetes::JsonProblems& problems, std::string_view name);

/// `invalid_argument`: no JSON, no version, or one line for each thing that is wrong, with its
/// place in what is called `name`. `unsupported`: a later version than `latest`; who wrote it
/// stands in `host`.
template <NamedMembers T>
Result<T> parse_versioned(std::string_view text, std::string_view name, int latest) {
    CAPSTAN_TRY(const boost::json::value document, parse_json(text, name));
    kubernetes::JsonProblems problems(document);
    CAPSTAN_CHECK(check_version(problems, name, latest));
    T out = read_json<T>(problems.root());
    CAPSTAN_CHECK(check_problems(problems, name));
    return out;
}

}  // namespace capstan::runtime
