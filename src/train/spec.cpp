// Specs:  METHOD M [x BITS] [ ( name=value , … ) ]      e.g.  PQ8   NOCQ16x4   OPQ8(start=pca,iterations=60)
// FAISS's "OPQ8,PQ8" and "OPQ8,PQ8x8" are read as OPQ8.
// Specs of indexes:  [ IVF CELLS | IMI 2 x BITS [ ( name=value , … ) ] , ]  METHOD …
//                    [ , Refine ( flat | fp32 | fp16 | sq8 | u8 | METHOD … ) ]
#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>

#include "summand/error.h"
#include "summand/index_spec.h"
#include "summand/partition.h"
#include "summand/train.h"
#include "train/registry.h"

namespace summand {
namespace {

constexpr std::string_view kIvf = "IVF", kImi = "IMI", kRefine = ",Refine(", kFlat = "flat";

// Consumes the text from the front.
struct Scanner {
    std::string_view all, rest;

    [[noreturn]] void fail(std::string_view expected) const {
        throw Error(concatenate("spec '", all, "': expected ", expected, rest.empty() ? " at the end" : ", got '", rest,
                                rest.empty() ? "" : "'"));
    }
    bool accept(char c) {
        if (rest.empty() || rest.front() != c) return false;
        rest.remove_prefix(1);
        return true;
    }
    template <class Predicate>
    std::string_view take_while(Predicate matches) {
        std::size_t n = 0;
        while (n < rest.size() && matches(rest[n])) ++n;
        const std::string_view taken = rest.substr(0, n);
        rest.remove_prefix(n);
        return taken;
    }
    std::size_t number(std::string_view what, std::size_t lowest, std::size_t highest) {
        const std::string_view digits = take_while([](char c) { return c >= '0' && c <= '9'; });
        std::size_t value = 0;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (digits.empty()) fail(what);
        require(status == std::errc() && value >= lowest && value <= highest, "spec '", all, "': expected ", what,
                " from ", lowest, " to ", highest, ", got ", digits);
        return value;
    }
};

void read_options(Scanner& scan, Spec& spec) {
    if (!scan.accept('(')) return;
    do {
        const std::string_view key =
            scan.take_while([](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
        if (key.empty() || !scan.accept('=')) scan.fail("name=value");
        const std::string_view value = scan.take_while([](char c) { return c != ',' && c != ')'; });
        if (value.empty()) scan.fail("a value after '='");
        require(spec.options.emplace(key, value).second, "spec '", scan.all, "': option ", key, " is given twice");
    } while (scan.accept(','));
    if (!scan.accept(')')) scan.fail("')'");
}

Spec read_one(Scanner& scan) {
    Spec spec;
    spec.method = scan.take_while([](char c) { return std::isalpha(static_cast<unsigned char>(c)); });
    if (spec.method.empty()) scan.fail("a method name");
    const SpecNumber& number = method_row(spec.method).number;
    spec.dictionaries = scan.number(concatenate("a number of ", number.what), 1, number.most);
    if (scan.accept('x')) spec.bits = scan.number("bits per code", 1, 8);
    read_options(scan, spec);
    return spec;
}

Spec read_method(Scanner& scan) {
    Spec spec = read_one(scan);
    if (spec.method == "OPQ" && spec.options.empty() && scan.accept(',')) {
        const Spec second = read_one(scan);
        require(second.method == "PQ" && second.dictionaries == spec.dictionaries && second.options.empty() &&
                    spec.bits == 8,
                "spec '", scan.all, "': expected PQ", spec.dictionaries, " after OPQ", spec.dictionaries, ", got ",
                to_string(second));
        spec.bits = second.bits;
    }
    if (!scan.rest.empty()) scan.fail("the end of the spec");
    return spec;
}

bool has_cells(std::string_view text) { return text.starts_with(kIvf) || text.starts_with(kImi); }

Spec read_cells(Scanner& scan) {
    Spec spec;
    spec.method = scan.rest.substr(0, kIvf.size());
    scan.rest.remove_prefix(kIvf.size());
    if (spec.method == kIvf) {
        spec.dictionaries = scan.number("a number of cells", 1, kMaxCellWords);
    } else {
        spec.dictionaries = scan.number("a number of dictionaries", 2, 2);
        if (!scan.accept('x')) scan.fail("x and the bits of a dictionary");
        spec.bits = scan.number("bits of a dictionary", 1, std::bit_width(kMaxPairedCellWords) - 1);
    }
    read_options(scan, spec);
    if (!scan.accept(',')) scan.fail("a comma and the method of the codes");
    return spec;
}

// Cut off before the rest is read, since the comma of OPQ8,PQ8 has another meaning.
std::optional<RefineSpec> take_refine(std::string_view& text) {
    const std::size_t at = text.find(kRefine);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view inner = text.substr(at + kRefine.size());
    require(inner.ends_with(')'), "spec '", text, "': expected ')' at the end");
    inner.remove_suffix(1);
    text = text.substr(0, at);
    if (inner == kFlat) return RefineSpec{};
    if (const auto format = row_format(inner)) return RefineSpec{.rows = format};
    return RefineSpec{.code = parse_spec(inner)};
}

std::string to_string(const RefineSpec& refine) {
    if (refine.code) return to_string(*refine.code);
    return std::string(refine.rows ? name(*refine.rows) : kFlat);
}

}  // namespace

Spec parse_spec(std::string_view text) {
    Scanner scan{text, text};
    return read_method(scan);
}

IndexSpec parse_index_spec(std::string_view text) {
    IndexSpec spec;
    spec.refine = take_refine(text);
    Scanner scan{text, text};
    if (has_cells(text)) spec.cells = read_cells(scan);
    spec.code = read_method(scan);
    return spec;
}

std::string to_string(const Spec& spec) {
    std::string text = spec.method + std::to_string(spec.dictionaries);
    if (spec.bits != 8 || spec.method == kImi) text += "x" + std::to_string(spec.bits);
    std::string options;
    for (const auto& [key, value] : spec.options) options += concatenate(options.empty() ? "" : ",", key, "=", value);
    return options.empty() ? text : concatenate(text, "(", options, ")");
}

std::string to_string(const IndexSpec& spec) {
    std::string text = spec.cells ? concatenate(to_string(*spec.cells), ",") : "";
    text += to_string(spec.code);
    if (spec.refine) text += concatenate(kRefine, to_string(*spec.refine), ")");
    return text;
}

}  // namespace summand
