#include "wire/xml_reply.hpp"

#include <gmock/gmock.h>

namespace capstan::aws {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

XmlReply parsed(std::string body, std::string_view action = "DescribeThings") {
    Result<XmlReply> out = XmlReply::parse(std::move(body), action);
    EXPECT_TRUE(out) << out.error().message;
    return std::move(*out);
}

std::string query_response(const std::string& inner) {
    return "<DescribeThingsResponse xmlns=\"http://autoscaling.amazonaws.com/doc/2011-01-01/\">"
           "<DescribeThingsResult>" +
           inner + "</DescribeThingsResult></DescribeThingsResponse>";
}

Error refused(const std::function<void()>& read) {
    try {
        read();
    } catch (const Failure& failure) {
        return failure.error();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

TEST(XmlReply, ReadsAResponseOfTheQueryProtocol) {
    const XmlReply reply = parsed(query_response(
        "<Groups><member><Name>a</Name><Min>0</Min></member><member><Name>b &amp; c</Name>"
        "</member></Groups><NextToken>t</NextToken>"));
    const auto groups = reply.result().items("Groups");
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].text("Name"), "a");
    EXPECT_EQ(groups[0].integer("Min"), 0);
    EXPECT_EQ(groups[1].text("Name"), "b & c");
    EXPECT_EQ(groups[1].integer("Min"), std::nullopt);
    EXPECT_EQ(reply.result().text("NextToken"), "t");
}

TEST(XmlReply, ReadsAResponseOfTheEc2Protocol) {
    const XmlReply reply = parsed(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<DescribeThingsResponse><requestId>r</requestId><thingSet><item><id>1</id></item>"
        "</thingSet></DescribeThingsResponse>");
    EXPECT_EQ(reply.result().items("thingSet").size(), 1U);
    EXPECT_EQ(reply.result().text("requestId"), "r");
}

TEST(XmlReply, AcceptsAnActionWithoutAResult) {
    const XmlReply reply = parsed(
        "<SetDesiredCapacityResponse><ResponseMetadata><RequestId>r</RequestId>"
        "</ResponseMetadata></SetDesiredCapacityResponse>",
        "SetDesiredCapacity");
    EXPECT_EQ(reply.result().child("ResponseMetadata").text("RequestId"), "r");
}

TEST(XmlReply, RejectsAnythingButAResponseToTheAction) {
    const std::string whole = query_response("<Groups><member><Name>a</Name></member></Groups>");
    const std::pair<std::string, const char*> cases[] = {
        {"", "the body is empty"},
        {"   ", "not XML"},
        {"{\"a\":1}", "not XML"},
        {"<html><body>502 Bad Gateway</body></html>", "not a response to DescribeThings"},
        {"<DescribeOthersResponse/>", "not a response to DescribeThings"},
        {whole + whole, "not a response to DescribeThings"},
        {"<DescribeThingsResponse><a></b></DescribeThingsResponse>", "not XML"},
    };
    for (const auto& [body, why] : cases) {
        const auto reply = XmlReply::parse(body, "DescribeThings");
        ASSERT_FALSE(reply) << body;
        EXPECT_EQ(reply.error().code, ErrorCode::unavailable) << body;
        EXPECT_THAT(reply.error().message, HasSubstr(why)) << body;
    }
}

TEST(XmlReply, RejectsAResponseTruncatedAtAnyByte) {
    const std::string whole = query_response("<Groups><member><Name>a</Name></member></Groups>");
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(XmlReply::parse(whole.substr(0, size), "DescribeThings")) << size;
}

TEST(XmlReply, ReturnsNoValueForAMissingElement) {
    const XmlReply reply = parsed(query_response("<Empty/>"));
    const XmlElement absent = reply.result().child("A").child("B");
    EXPECT_FALSE(absent);
    EXPECT_EQ(absent.text("C"), "");
    EXPECT_EQ(absent.integer("C"), std::nullopt);
    EXPECT_EQ(absent.time("C"), std::nullopt);
    EXPECT_TRUE(absent.items("C").empty());
    EXPECT_EQ(reply.result().integer("Empty"), std::nullopt);
    EXPECT_TRUE(reply.result().items("Empty").empty());
}

TEST(XmlReply, ReadsEachTypeAsAwsWritesIt) {
    const XmlReply reply = parsed(query_response(
        "<I>-3</I><N>0.25</N><T>true</T><F>false</F><When>2026-01-02T03:04:05.678Z</When>"));
    const XmlElement result = reply.result();
    EXPECT_EQ(result.integer("I"), -3);
    EXPECT_EQ(result.number("N"), 0.25);
    EXPECT_EQ(result.number("I"), -3.0);
    EXPECT_EQ(result.boolean("T"), true);
    EXPECT_EQ(result.boolean("F"), false);
    EXPECT_EQ(result.time("When"), Time(std::chrono::sys_days(std::chrono::year(2026) / 1 / 2)) +
                                       std::chrono::hours(3) + std::chrono::minutes(4) +
                                       std::chrono::milliseconds(5678));
    EXPECT_EQ(result.required_integer("I"), -3);
    EXPECT_EQ(result.required_text("T"), "true");
}

TEST(XmlReply, ReportsPathAndTextOfAValueOfAnotherType) {
    const XmlReply reply = parsed(query_response(
        "<Groups><member><Min>1</Min></member><member><Min>many</Min></member></Groups>"));
    const XmlElement second = reply.result().items("Groups")[1];
    const Error error = refused([&] { second.integer("Min"); });
    EXPECT_EQ(error.code, ErrorCode::unavailable);
    EXPECT_EQ(error.message,
              "DescribeThingsResult/Groups/member[2]/Min: \"many\" is not an integer");
    EXPECT_THAT(refused([&] { second.number("Min"); }).message, HasSubstr("is not a number"));
    EXPECT_THAT(refused([&] { second.boolean("Min"); }).message, HasSubstr("true or false"));
    EXPECT_THAT(refused([&] { second.time("Min"); }).message, HasSubstr("is not a time"));
}

TEST(XmlReply, ReportsThePathOfAMissingElement) {
    const XmlReply reply =
        parsed("<DescribeThingsResponse><set><item><id/></item></set></DescribeThingsResponse>");
    const XmlElement item = reply.result().items("set")[0];
    EXPECT_EQ(refused([&] { item.required_text("id"); }).message,
              "DescribeThingsResponse/set/item[1]/id is missing in the response");
    EXPECT_EQ(refused([&] { item.required_integer("size"); }).message,
              "DescribeThingsResponse/set/item[1]/size is missing in the response");
}

TEST(XmlReply, KeepsAValueOfBlanks) {
    const XmlReply reply = parsed(query_response("<Value>  </Value><Next> a </Next>"));
    EXPECT_EQ(reply.result().text("Value"), "  ");
    EXPECT_EQ(reply.result().text("Next"), " a ");
}

TEST(XmlReply, ReplacesInvalidUtf8WithQuestionMarks) {
    const XmlReply reply = parsed(query_response("<Name>a\xff z</Name><Good>\xc3\xa4</Good>"));
    EXPECT_EQ(reply.result().text("Name"), "a? z");
    EXPECT_EQ(reply.result().text("Good"), "\xc3\xa4");
}

TEST(XmlReply, CanBeMoved) {
    XmlReply first = parsed(query_response("<Name>a</Name>"));
    const XmlReply second = std::move(first);
    EXPECT_EQ(second.result().text("Name"), "a");
}

}  // namespace
}  // namespace capstan::aws
