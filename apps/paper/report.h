// What a run of experiments found, as a page for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "campaign.h"

namespace summand::cli {

struct PaperReport {
    CampaignOptions options;
    CampaignResult result;
    std::string machine;  ///< processor, threads and instruction set
    std::uint64_t seed = 1;
};

/// How many checks of an experiment hold, in words.
struct Verdict {
    std::string word;  ///< "agrees", "mostly agrees", "agrees in half", "mostly differs", "differs", "open"
    std::string text;  ///< names every check that does not hold, with its figures
    std::size_t held = 0, all = 0;
};

Verdict verdict(const Findings& findings);

/// The processor of this machine and what is used of it.
std::string machine_name(unsigned threads);

nlohmann::ordered_json to_json(const PaperReport& report);

/// A paragraph for each experiment in Markdown: the claim, and every check that does not hold.
std::string summary(const PaperReport& report);

std::string html(const PaperReport& report);

}  // namespace summand::cli
