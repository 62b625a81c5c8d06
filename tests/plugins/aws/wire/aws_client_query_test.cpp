#include <gmock/gmock.h>

#include "wire/aws_client.hpp"

namespace capstan::aws {
namespace {

TEST(QueryRequest, HasActionVersionAndParametersInOrder) {
    QueryRequest request(Service::auto_scaling, "SetDesiredCapacity");
    request.set("Name", "web").set("DesiredCapacity", 3).set("HonorCooldown", false);
    EXPECT_EQ(request.body(),
              "Action=SetDesiredCapacity&Version=2011-01-01&Name=web&DesiredCapacity=3&"
              "HonorCooldown=false");
}

TEST(QueryRequest, EscapesValues) {
    QueryRequest request(Service::ec2, "DescribeImages");
    request.set("Filter.1.Value", "a&b=c d+e/\xc3\xa4");
    EXPECT_EQ(request.body(),
              "Action=DescribeImages&Version=2016-11-15&"
              "Filter.1.Value=a%26b%3Dc%20d%2Be%2F%C3%A4");
}

TEST(QueryRequest, NumbersListsFromOneInBothProtocols) {
    QueryRequest query(Service::auto_scaling, "A");
    query.set_list("Names.member", {"x", "y"}).set_list("None.member", {});
    EXPECT_EQ(query.body(), "Action=A&Version=2011-01-01&Names.member.1=x&Names.member.2=y");
    QueryRequest ec2(Service::ec2, "B");
    ec2.set_list("ImageId", {"ami-1"});
    EXPECT_EQ(ec2.body(), "Action=B&Version=2016-11-15&ImageId.1=ami-1");
}

TEST(QueryRequest, HasTheVersionOfEachQueryService) {
    EXPECT_EQ(QueryRequest(Service::sts, "A").body(), "Action=A&Version=2011-06-15");
    EXPECT_EQ(QueryRequest(Service::iam, "A").body(), "Action=A&Version=2010-05-08");
}

}  // namespace
}  // namespace capstan::aws
