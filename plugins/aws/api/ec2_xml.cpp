#include "ec2_xml.hpp"

#include <optional>

#include "fields.hpp"
#include "instance_type_xml.hpp"
#include "launch_template_xml.hpp"

namespace capstan::aws {

std::vector<Image> images_of(const XmlElement& result) {
    std::vector<Image> out;
    for (const XmlElement& item : result.items("imagesSet")) {
        Image image{.id = item.text("imageId"),
                    .name = item.text("name"),
                    .description = item.text("description"),
                    .architecture = item.text("architecture"),
                    .virtualization_type = item.text("virtualizationType"),
                    .platform = item.text("platform"),
                    .root_device_name = item.text("rootDeviceName"),
                    .block_devices = read_block_devices(item, "blockDeviceMapping")};
        out.push_back(std::move(image));
    }
    return out;
}

std::vector<InstanceType> instance_types_of(const XmlElement& result) {
    std::vector<InstanceType> out;
    for (const XmlElement& item : result.items("instanceTypeSet")) {
        if (std::optional<InstanceType> type = find_instance_type(item))
            out.push_back(std::move(*type));
    }
    return out;
}

std::vector<std::string> type_names_of(const XmlElement& result) {
    std::vector<std::string> out;
    for (const XmlElement& item : result.items("instanceTypeSet")) {
        std::string name = item.text("instanceType");
        if (!name.empty()) out.push_back(std::move(name));
    }
    return out;
}

std::vector<Subnet> subnets_of_answer(const XmlElement& result) {
    std::vector<Subnet> out;
    for (const XmlElement& item : result.items("subnetSet")) {
        out.push_back({.id = item.text("subnetId"),
                       .zone = item.text("availabilityZone"),
                       .zone_id = item.text("availabilityZoneId"),
                       .tags = read_tags(item, "tagSet", ec2_tags)});
    }
    return out;
}

std::vector<InstanceAddress> addresses_of_answer(const XmlElement& result) {
    std::vector<InstanceAddress> out;
    for (const XmlElement& reservation : result.items("reservationSet")) {
        for (const XmlElement& item : reservation.items("instancesSet")) {
            InstanceAddress& instance = out.emplace_back();
            instance.id = item.text("instanceId");
            for (const char* const member : {"privateIpAddress", "ipv6Address", "privateDnsName"})
                if (std::string address = item.text(member); !address.empty())
                    instance.addresses.push_back(std::move(address));
        }
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> type_offerings_of(const XmlElement& result) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const XmlElement& item : result.items("instanceTypeOfferingSet"))
        out.emplace_back(item.text("instanceType"), item.text("location"));
    return out;
}

}  // namespace capstan::aws
