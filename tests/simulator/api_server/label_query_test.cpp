#include "simulator/api_server/label_query.hpp"

#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

TEST(LabelQuery, MatchesLikeTheKubernetesApi) {
    const json::object object =
        parsed(R"({"metadata":{"labels":{"app":"web","rank":"5","empty":"","x.io/y":"z"}}})");
    struct Case {
        const char* query;
        bool matches;
    };
    const Case cases[] = {
        {"", true},
        {"app", true},
        {"!app", false},
        {"!canary", true},
        {"app=web", true},
        {"app==web", true},
        {"app = web", true},
        {"app!=web", false},
        {"canary!=yes", true},
        {"app in (db, web)", true},
        {"app in (db)", false},
        {"canary in (yes)", false},
        {"app notin (db)", true},
        {"canary notin (yes)", true},
        {"rank>4", true},
        {"rank>5", false},
        {"rank<6", true},
        {"app>1", false},
        {"empty=", true},
        {"x.io/y=z,app=web", true},
        {"x.io/y=z,app=db", false},
        {"app in (a,web),rank", true},
    };
    for (const Case& c : cases) {
        const auto query = parse_label_query(c.query);
        ASSERT_TRUE(query) << c.query;
        EXPECT_EQ(has_labels(object, *query), c.matches) << c.query;
    }
    for (const char* bad : {",", "a=b,,c", "a b", "=x", "a in b", "!", "a=b/c", "-a=b", "a>b"})
        EXPECT_FALSE(parse_label_query(bad)) << bad;
}

TEST(LabelQuery, ConvertsSelectors) {
    const json::object selector = parsed(R"({"matchLabels":{"tier":"a"},"matchExpressions":[
        {"key":"app","operator":"In","values":["web","db"]},{"key":"old","operator":"DoesNotExist"}]})");
    EXPECT_EQ(label_query_text(selector), "app in (db,web),!old,tier=a");
    EXPECT_TRUE(has_labels(parsed(R"({"metadata":{"labels":{"tier":"a","app":"db"}}})"),
                           label_query_of(selector)));
    EXPECT_TRUE(has_labels(parsed("{}"), label_query_of({})))
        << "an empty selector matches everything";
}

TEST(LabelQuery, MatchesNothingIfAnExpressionIsInvalid) {
    for (const char* bad : {R"({"key":"app","operator":"NotIn"})",
                            R"({"key":"app","operator":"Exists","values":["web"]})",
                            R"({"key":"app","operator":"Gt","values":["1"]})",
                            R"({"key":"app","operator":"Is","values":["web"]})"}) {
        const json::object selector{{"matchExpressions", json::array{parsed(bad)}}};
        EXPECT_FALSE(has_labels(parsed(R"({"metadata":{"labels":{"app":"web"}}})"),
                                label_query_of(selector)))
            << bad;
    }
}

TEST(FieldQuery, MatchesSelectableFields) {
    const ResourceKinds kinds;
    const json::object pod = parsed(
        R"({"metadata":{"name":"p","namespace":"s"},"spec":{"nodeName":"n"},"status":{"phase":"Running"}})");
    struct Case {
        const char* query;
        bool matches;
    };
    const Case cases[] = {
        {"", true},
        {"metadata.name=p", true},
        {"metadata.name==q", false},
        {"spec.nodeName=n,status.phase!=Succeeded,status.phase!=Failed", true},
        {"spec.nodeName=", false},
        {"status.nominatedNodeName=", true},
        {"spec.hostNetwork=false", true},
        {"status.phase!=Running", false},
    };
    for (const Case& c : cases) {
        const auto query = parse_field_query(*kinds.find("pods"), c.query);
        ASSERT_TRUE(query) << c.query;
        EXPECT_EQ(has_fields(pod, *query), c.matches) << c.query;
    }
    EXPECT_FALSE(parse_field_query(*kinds.find("pods"), "spec.color=red"));
    EXPECT_FALSE(parse_field_query(*kinds.find("nodes"), "metadata.namespace=x"));
    EXPECT_FALSE(parse_field_query(*kinds.find("pods"), "status.phase"));
    const auto escaped = parse_field_query(*kinds.find("events"), R"(reason=a\,b\=c)");
    ASSERT_TRUE(escaped);
    EXPECT_EQ(escaped->front().value, "a,b=c");
}

}  // namespace
}  // namespace capstan::simulator::api_server
