/// Actions of the query and ec2 protocols that answer in pages.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <capstan/pages.hpp>
#include <capstan/task.hpp>

#include "../wire/aws_client.hpp"
#include "../wire/xml_reply.hpp"

namespace capstan::aws {

/// Parses the items of one page.
template <class T>
using ReadItems = std::vector<T> (*)(const XmlElement& result);

/// `token` is empty for the first page.
template <class T>
Task<Page<T>> ask_page(AwsClient* client, QueryRequest request, ReadItems<T> read,
                       std::string token) {
    if (!token.empty()) request.set("NextToken", std::move(token));
    const XmlReply reply = co_await client->call(std::move(request), Repeatable::yes);
    const XmlElement result = reply.result();
    Page<T> page{.items = read(result)};
    page.next = result.text("NextToken");
    if (page.next.empty()) page.next = result.text("nextToken");
    co_return page;
}

template <class T>
class PageOf {
public:
    PageOf(AwsClient& client, QueryRequest request, ReadItems<T> read)
        : client_(&client), request_(std::move(request)), read_(read) {}
    Task<Page<T>> operator()(std::string token) const {
        return ask_page<T>(client_, request_, read_, std::move(token));
    }

private:
    AwsClient* client_;
    QueryRequest request_;
    ReadItems<T> read_;
};

/// The items of all pages, in order. If one page cannot be read, all fail: missing items of a
/// partial list would look deleted. The action has to be read-only, since it is repeated.
template <class T>
Task<std::vector<T>> ask_all(AwsClient& client, QueryRequest request, ReadItems<T> read) {
    return read_pages(PageOf<T>(client, std::move(request), read));
}

}  // namespace capstan::aws
