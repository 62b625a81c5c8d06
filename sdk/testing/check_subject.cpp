#include "check_subject.hpp"

#include <stdexcept>

#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

Outcome judged(const std::vector<std::string>& complaints) {
    if (complaints.empty()) return passed();
    if (complaints.size() == 1) return failed(complaints.front());
    return failed(complaints.front() + " (and " + std::to_string(complaints.size() - 1) + " more)");
}

std::string describe(const Error& error) {
    return std::string(name_of(error.code)) + ": " + error.message;
}

Result<FakeSettings> Subject::settings() const {
    FakeSettings out(of->fields);
    const auto given = options.settings.find(id());
    for (const capstan_field& field : View<capstan_field>(of->fields)) {
        constexpr std::uint32_t several = CAPSTAN_FIELD_LIST | CAPSTAN_FIELD_MAP;
        const bool is_one = (field.flags & several) == 0 && field.type == CAPSTAN_TYPE_SECRET;
        if (is_one && (field.flags & CAPSTAN_FIELD_REQUIRED) != 0)
            out.set(std::string(text(field.key)),
                    table({{"secret", "made-up-" + std::string(text(field.key))}}));
    }
    if (given != options.settings.end()) out.set_all(given->second);
    try {
        out.raw();
    } catch (const std::invalid_argument& e) {
        return fail(ErrorCode::invalid_config, e.what());
    }
    return out;
}

Result<std::unique_ptr<Session>> Session::open(const Subject& subject, FakeHostOptions host_options,
                                               const std::function<void(FakeHost&)>& ready) {
    Result<FakeSettings> settings = subject.settings();
    if (!settings) return fail(std::move(settings).error());
    std::unique_ptr<Session> session(new Session(std::move(host_options)));
    for (const std::string& name : settings->secrets())
        session->host_.secrets()[name] = made_up_secret;
    if (subject.options.prepare) subject.options.prepare(session->host_, subject.id());
    if (ready) ready(session->host_);
    FakeSettings& kept = session->settings_.emplace(std::move(*settings));
    session->kind_ = subject.kind();
    Result<PluginInstance> instance = PluginInstance::create(session->host_, *subject.of, kept);
    if (!instance) return fail(std::move(instance).error());
    session->instance_.emplace(std::move(*instance));
    return session;
}

std::vector<std::string> Session::misuse() const {
    const Misuse m = host_.misuse();
    std::vector<std::string> out;
    const auto note = [&out](int times, std::string_view what) {
        if (times > 0) out.push_back(std::string(what) + ", " + counted(times, "time"));
    };
    note(m.unknown_operations, "completed an unknown operation");
    note(m.double_completions, "completed an operation twice");
    note(m.late_errors, "returned an error for a completed operation");
    note(m.wrong_results, "completed an operation with the wrong type of result");
    return out;
}

Outcome with_instance(const Subject& subject, const std::function<Outcome(Session&)>& check) {
    const Result<std::unique_ptr<Session>> session = Session::open(subject);
    if (!session) return skipped("no instance: " + describe(session.error()));
    if ((*session)->table() == nullptr)
        return not_applicable("the instance has no table for its kind");
    return check(**session);
}

Outcome with_started(const Subject& subject, const std::function<Outcome(Session&)>& check) {
    return with_instance(subject, [&](Session& session) {
        const Result<void> started = session.instance().start();
        if (!started) return skipped("the instance does not start: " + describe(started.error()));
        return check(session);
    });
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
