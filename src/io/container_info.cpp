#include "io/container_reader.h"
#include "summand/io.h"

namespace summand {

ContainerInfo container_info(const std::string& path) {
    const InputFile file(path);
    const ContainerReader reader(file, path);
    ContainerInfo info{std::string(name(reader.kind())), reader.version(), {}};
    for (const Section& section : reader.sections())
        info.sections.push_back({section.name, std::string(name(section.type)), section.shape, section.length});
    return info;
}

}  // namespace summand
