#include "kubernetes/objects/list_decoder.hpp"

#include <utility>

#include <boost/json/value.hpp>

#include <capstan/sentence.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/json_cursor.hpp"
#include "kubernetes/metadata.hpp"
#include "kubernetes/object_stream.hpp"
#include "kubernetes/objects/object_kinds.hpp"

namespace capstan::kubernetes::objects {
namespace {

namespace json = boost::json;

constexpr std::size_t most_problems = 100;

}  // namespace

std::string to_string(const ObjectProblem& problem) {
    return problem.object + ": " + problem.pointer + (problem.pointer.empty() ? "" : " ") +
           problem.what + (problem.left_out ? "; the object is ignored" : "");
}

struct ListDecoder::State final : ObjectSink {
    State(engine::snapshot::ClusterSink& to, ObjectListener also, const KeptMembers& kept)
        : sink(to), listener(std::move(also)), stream(*this, kept) {}

    void take(std::string_view listed_kind, const json::value& object) override;
    void take_error(std::string_view text) override;
    void load(const ObjectKind& kind, const json::value& object);
    void refuse(std::string what);
    void ignore(std::string_view kind, const json::value& object);
    void report(ObjectProblem problem);

    engine::snapshot::ClusterSink& sink;
    ObjectListener listener;
    DecodeReport out;
    std::size_t seen = 0;
    ObjectStream stream;
};

void ListDecoder::State::take(std::string_view listed_kind, const json::value& object) {
    ++seen;
    std::string_view kind = base::text_at(object, "kind");
    if (kind.empty()) kind = listed_kind;
    if (!object.is_object()) return refuse("expects an object");
    if (kind.empty()) return refuse("has no kind, and its list does not name one before it");
    if (listener) listener(kind, object);
    if (const ObjectKind* known = find_kind(kind, base::text_at(object, "apiVersion")))
        return load(*known, object);
    ignore(kind, object);
}

void ListDecoder::State::load(const ObjectKind& kind, const json::value& object) {
    JsonProblems problems(object);
    const bool loaded = kind.load(problems.root(), sink);
    loaded ? ++out.loaded[std::string(kind.kind)] : ++out.left_out;
    if (problems.empty()) return;
    const std::optional<ObjectName> known = find_object_name(kind, object);
    const std::string name = known ? to_string(*known) : "(object " + std::to_string(seen) + ")";
    for (const JsonProblem& problem : problems.kept())
        report({std::string(kind.kind) + " " + name, problem.pointer, problem.what, !loaded});
    out.more_problems += problems.left_out();
}

void ListDecoder::State::refuse(std::string what) {
    ++out.left_out;
    report({"object " + std::to_string(seen), "", std::move(what), true});
}

void ListDecoder::State::ignore(std::string_view kind, const json::value& object) {
    const std::string_view group = group_of(base::text_at(object, "apiVersion"));
    const bool is_alike = find_kind(kind, "") != nullptr;
    ++out.ignored[std::string(kind) + (is_alike ? " (" + std::string(group) + ")" : "")];
    const std::string_view message = base::text_at(object, "message");
    // The API server answers a Status instead of a list where the request failed.
    if (kind == "Status" && !message.empty())
        report({"Status", "/message", "says " + in_quotes(message)});
}

void ListDecoder::State::take_error(std::string_view text) {
    report({"debugging snapshot", "/Error", "says " + in_quotes(text)});
}

void ListDecoder::State::report(ObjectProblem problem) {
    if (out.problems.size() < most_problems) {
        out.problems.push_back(std::move(problem));
    } else {
        ++out.more_problems;
    }
}

ListDecoder::ListDecoder(engine::snapshot::ClusterSink& sink, ObjectListener listener,
                         const KeptMembers& kept)
    : state_(std::make_unique<State>(sink, std::move(listener), kept)) {}
ListDecoder::~ListDecoder() = default;

Result<void> ListDecoder::feed(std::string_view piece) { return state_->stream.write(piece); }

DecodeReport ListDecoder::finish() {
    if (auto end = state_->stream.finish(); !end) state_->out.cut_short = end.error();
    return std::move(state_->out);
}

}  // namespace capstan::kubernetes::objects
