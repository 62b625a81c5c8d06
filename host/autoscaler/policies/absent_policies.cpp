#include "autoscaler/policies/absent_policies.hpp"

#include "plugin_runtime/instances/hook_call.hpp"

namespace capstan::autoscaler::policies {
namespace {

class AbsentExpander final : public engine::Expander {
public:
    explicit AbsentExpander(const PluginInstanceId& instance)
        : error_(plugin_runtime::instances::not_started(instance)) {}
    Result<engine::FilterResult> filter(const engine::ScaleUpQuestion&,
                                        std::span<const std::uint32_t>,
                                        const engine::CallContext&) override {
        return fail(error_);
    }

private:
    const Error error_;
};

class AbsentSimilarity final : public engine::SimilarityCheck {
public:
    explicit AbsentSimilarity(const PluginInstanceId& instance)
        : error_(plugin_runtime::instances::not_started(instance)) {}
    Result<Similarity> similar(const NodeTemplate&, const NodeTemplate&,
                               const engine::CallContext&) override {
        return fail(error_);
    }
    bool may_decide() const override { return false; }
    Result<std::uint64_t> bucket(const NodeTemplate&, const engine::CallContext&) override {
        return fail(error_);
    }

private:
    const Error error_;
};

class AbsentSplitter final : public engine::Splitter {
public:
    explicit AbsentSplitter(const PluginInstanceId& instance)
        : error_(plugin_runtime::instances::not_started(instance)) {}
    Result<std::vector<int>> split(int, std::span<const NodeGroup>,
                                   const engine::CallContext&) override {
        return fail(error_);
    }

private:
    const Error error_;
};

class AbsentGroupSource final : public engine::GroupSource {
public:
    explicit AbsentGroupSource(const PluginInstanceId& instance)
        : error_(plugin_runtime::instances::not_started(instance)) {}
    Result<engine::GroupsAnswer> suggest(const engine::GroupsQuestion&,
                                         const engine::CallContext&) override {
        return fail(error_);
    }
    Result<bool> owns(const NodeGroup&, const engine::CallContext&) override {
        return fail(error_);
    }

private:
    const Error error_;
};

}  // namespace

std::unique_ptr<engine::Expander> make_absent_expander(const PluginInstanceId& instance) {
    return std::make_unique<AbsentExpander>(instance);
}

std::unique_ptr<engine::SimilarityCheck> make_absent_similarity(const PluginInstanceId& instance) {
    return std::make_unique<AbsentSimilarity>(instance);
}

std::unique_ptr<engine::Splitter> make_absent_splitter(const PluginInstanceId& instance) {
    return std::make_unique<AbsentSplitter>(instance);
}

std::unique_ptr<engine::GroupSource> make_absent_group_source(const PluginInstanceId& instance) {
    return std::make_unique<AbsentGroupSource>(instance);
}

}  // namespace capstan::autoscaler::policies
