#include "models.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "arrays.h"
#include "calls.h"
#include "indexes.h"
#include "rows.h"
#include "summand/build.h"
#include "summand/describe.h"
#include "summand/encoder.h"
#include "summand/error.h"
#include "summand/index_model.h"
#include "summand/io.h"
#include "summand/quantizer.h"
#include "summand/train.h"
#include "vectors.h"

namespace summand::python {
namespace {

/// A model from its words, for those that another library has trained. Words of blocks are recognised by `block_begin`.
Quantizer make_quantizer(const std::string& method, const Given<float, 3>& dictionaries,
                         const Given<float, 2>& word_offsets, const Given<float, 1>& centre,
                         const std::optional<Given<float, 2>>& rotation, const std::vector<std::size_t>& block_begin,
                         const std::string& bias, const std::string& search) {
    const std::size_t M = dictionaries.shape(0), K = dictionaries.shape(1), D = dictionaries.shape(2);
    Quantizer model{.method = method, .centre = values_of<float, 1>(centre)};
    model.dictionaries = {.count = M,
                          .words = K,
                          .rows = Matrix<float>(M * K, D, values_of<float, 3>(dictionaries)),
                          .block_begin = block_begin};
    model.word_offsets = values_of<float, 2>(word_offsets);
    if (rotation) model.rotation = matrix_of<float>(*rotation);
    require(bias == "none" || bias == "derived", "quantizer: expected bias none or derived, got ", bias);
    model.bias = bias == "none" ? Bias::none : Bias::derived;
    require(search == "modes" || search == "residual" || search == "beam",
            "quantizer: expected search modes, residual or beam, got ", search);
    model.encoder.search = search == "modes"      ? CodeSearch::modes
                           : search == "residual" ? CodeSearch::residual
                                                  : CodeSearch::beam;
    // What is not a valid model the reader of files refuses, with the same words.
    return load_quantizer(save(model), "quantizer");
}

std::optional<nb::ndarray<nb::numpy, const float, nb::ndim<2>, nb::c_contig>> rotation_of(
    nb::handle_t<Quantizer> self) {
    const Matrix<float>& rotation = nb::cast<const Quantizer&>(self).rotation;
    if (rotation.empty()) return std::nullopt;
    return view_of(rotation.data(), {rotation.rows(), rotation.columns()}, self);
}

std::optional<nb::ndarray<nb::numpy, const float, nb::ndim<1>, nb::c_contig>> bias_of(nb::handle_t<Codes> self) {
    const std::vector<float>& bias = nb::cast<const Codes&>(self).bias;
    if (bias.empty()) return std::nullopt;
    return view_of(bias.data(), {bias.size()}, self);
}

nb::bytes bytes_of(const Bytes& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

std::span<const std::byte> span_of(const nb::bytes& bytes) {
    return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

void bind_quantizer(nb::module_& m) {
    nb::class_<Quantizer>(
        m, "Quantizer",
        "All that training produces: centre, rotation, dictionaries of words, word offsets. A vector x is\n"
        "approximated by centre + rotationᵀ·y, y the sum of one word of each dictionary. Arrays are views.\n\n"
        ">>> model = summand.train(x, \"PQ4\")\n"
        ">>> model.dictionaries.shape, model.centre.shape\n"
        "((4, 256, 16), (16,))")
        .def_static("make", &make_quantizer, nb::arg("method"), nb::arg("dictionaries"), nb::arg("word_offsets"),
                    nb::arg("centre"), nb::arg("rotation").none(), nb::arg("block_begin"), nb::arg("bias"),
                    nb::arg("search"))
        .def_static(
            "open", [](const std::string& path) { return load_quantizer(path); }, nb::arg("path"))
        .def_static(
            "from_bytes", [](const nb::bytes& bytes) { return load_quantizer(span_of(bytes)); }, nb::arg("bytes"))
        .def("to_bytes", [](const Quantizer& self) { return bytes_of(save(self)); })
        .def(
            "save", [](const Quantizer& self, const std::string& path) { save(path, self); }, nb::arg("path"),
            "Writes a file; a crash leaves the old one or the new one.")
        .def_ro("method", &Quantizer::method, "Its name in specs: PQ, LOCQ …")
        .def_ro("unit_length", &Quantizer::unit_length, "Whether vectors are scaled to length one first, for cosine.")
        .def_prop_ro("dimensions", &Quantizer::dimensions, "Of a vector.")
        .def_prop_ro("code_bytes", &Quantizer::code_bytes, "Bytes that a vector takes.")
        .def_prop_ro(
            "identity", [](const Quantizer& self) { return identity_text(identity(self)); },
            "Hash of all that gives codes their meaning; codes carry it.")
        .def_prop_ro(
            "block_begin", [](const Quantizer& self) { return self.dictionaries.block_begin; },
            "Where the dimensions of each dictionary begin, and where they end; empty: words are dense.")
        .def_prop_ro(
            "dictionaries",
            [](nb::handle_t<Quantizer> self) {
                const Dictionaries& d = nb::cast<const Quantizer&>(self).dictionaries;
                return view_of(d.rows.data(), {d.count, d.words, d.dimensions()}, self);
            },
            "Words, of shape (M, K, dimensions).")
        .def_prop_ro(
            "word_offsets",
            [](nb::handle_t<Quantizer> self) {
                const Quantizer& q = nb::cast<const Quantizer&>(self);
                return view_of(q.word_offsets.data(), {q.dictionaries.count, q.dictionaries.words}, self);
            },
            "What a table of squared distances holds of each word besides its product, of shape (M, K).")
        .def_prop_ro(
            "centre",
            [](nb::handle_t<Quantizer> self) {
                const std::vector<float>& centre = nb::cast<const Quantizer&>(self).centre;
                return view_of(centre.data(), {centre.size()}, self);
            },
            "What is subtracted first, of shape (dimensions,).")
        .def_prop_ro("rotation", &rotation_of, "Orthogonal, of shape (dimensions, dimensions), or None.")
        .def("describe", [](const Quantizer& self) { return describe(self); })
        .def("__getstate__", [](const Quantizer& self) { return bytes_of(save(self)); })
        .def("__setstate__",
             [](Quantizer& self, const nb::bytes& bytes) { new (&self) Quantizer(load_quantizer(span_of(bytes))); })
        .def(
            "__eq__", [](const Quantizer& self, const Quantizer& other) { return self == other; }, nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Quantizer& self) { return identity(self); });
}

void bind_codes(nb::module_& m) {
    nb::class_<Codes>(m, "Codes",
                      "What is stored of each vector: M bytes, and a float where the method keeps one.\n\n"
                      ">>> codes = summand.encode(summand.train(x, \"PQ4\"), x)\n"
                      ">>> codes.rows.shape, codes.rows.dtype, codes.bias is None\n"
                      "((2000, 4), dtype('uint8'), True)")
        .def_static(
            "make",
            [](const Given<std::uint8_t, 2>& rows, const Quantizer& model, const std::optional<Given<float, 1>>& bias) {
                return Codes{.rows = matrix_of<std::uint8_t>(rows),
                             .bias = bias ? values_of<float, 1>(*bias) : std::vector<float>(),
                             .model = identity(model)};
            },
            nb::arg("rows"), nb::arg("model"), nb::arg("bias").none())
        .def_static(
            "open", [](const std::string& path) { return load_codes(path); }, nb::arg("path"))
        .def(
            "save",
            [](const Codes& self, const std::string& path, const Quantizer& model) {
                write_file(path, save(self, model));
            },
            nb::arg("path"), nb::arg("model"))
        .def("__len__", &Codes::size)
        .def_prop_ro(
            "rows",
            [](nb::handle_t<Codes> self) {
                const Matrix<std::uint8_t>& rows = nb::cast<const Codes&>(self).rows;
                return view_of(rows.data(), {rows.rows(), rows.columns()}, self);
            },
            "Numbers of words, of shape (vectors, M).")
        .def_prop_ro("bias", &bias_of, "A float of each vector, of shape (vectors,), or None.")
        .def_prop_ro(
            "model", [](const Codes& self) { return identity_text(self.model); },
            "Identity of the model that made them.");
}

void bind_lookup_table(nb::module_& m) {
    nb::class_<LookupTable>(m, "LookupTable",
                            "Tables of one query: the score of a code is the sum of M entries, and the offset.\n\n"
                            ">>> table = summand.lookup_table(summand.train(x, \"PQ4\"), queries[0])\n"
                            ">>> table.entries.shape\n"
                            "(4, 256)")
        .def_ro("offset", &LookupTable::offset, "What is added to every sum.")
        .def_prop_ro(
            "entries",
            [](nb::handle_t<LookupTable> self) {
                const LookupTable& t = nb::cast<const LookupTable&>(self);
                return view_of(t.entries.data(), {t.count, t.words}, self);
            },
            "Of shape (M, K).")
        .def(
            "scores",
            [](const LookupTable& self, const Given<std::uint8_t, 2>& codes) {
                require(codes.shape(1) == self.count, "lookup_table: expected codes of ", self.count, " bytes, got ",
                        codes.shape(1));
                const bool fits = std::all_of(codes.data(), codes.data() + codes.size(),
                                              [&](std::uint8_t word) { return word < self.words; });
                require(fits, "lookup_table: expected words below ", self.words);
                std::vector<float> scores(codes.shape(0));
                for (std::size_t i = 0; i < scores.size(); ++i)
                    scores[i] = self.offset + self.sum(codes.data() + i * self.count);
                return array_of(std::move(scores));
            },
            nb::arg("codes"), "Scores of codes of shape (vectors, M), without a bias.");
    m.def(
        "lookup_table",
        [](const Quantizer& model, const Vectors& query, const std::string& metric) {
            require(query.rows() == 1, "lookup_table: expected one query, got ", query.rows());
            return lookup_table(model, query.floats().view()[0], parse_metric(metric));
        },
        nb::arg("model"), nb::arg("query"), nb::arg("metric"));
}

void bind_training(nb::module_& m) {
    m.def(
        "train",
        [](const Vectors& vectors, const std::string& spec, const std::string& metric, std::uint64_t seed,
           std::size_t learn_size, unsigned threads, nb::object progress) {
            BuildSettings settings{.metric = parse_metric(metric), .seed = seed, .learn_size = learn_size};
            IndexModel model = call({threads, std::move(progress)}, [&](const Execution& execution) {
                settings.execution = execution;
                return train_index(vectors.source(), spec, settings);
            });
            require(!model.cells(), "train: expected a spec without cells, which build takes, got ", spec);
            return model.quantizer();
        },
        nb::arg("vectors"), nb::arg("spec"), nb::arg("metric"), nb::arg("seed"), nb::arg("learn_size"),
        nb::arg("threads"), nb::arg("progress").none());
    m.def(
        "encode",
        [](const Quantizer& model, const Vectors& vectors, const std::optional<std::string>& effort, unsigned threads,
           nb::object progress) {
            EncodeOptions options;
            if (effort) options.effort = parse_effort(*effort);
            return call({threads, std::move(progress)}, [&](const Execution& execution) {
                options.execution.threads = execution.threads;
                return encode_all(Encoder(model, options), vectors.source(), execution);
            });
        },
        nb::arg("model"), nb::arg("vectors"), nb::arg("effort").none(), nb::arg("threads"), nb::arg("progress").none());
    m.def(
        "decode",
        [](const Quantizer& model, const Codes& codes, unsigned threads) {
            return array_of(call({.threads = threads},
                                 [&](const Execution& execution) { return decode(model, codes, execution); }));
        },
        nb::arg("model"), nb::arg("codes"), nb::arg("threads"));
    m.def(
        "index_of_codes",
        [](const Quantizer& model, const Codes& codes, const std::string& metric) {
            const Metric parsed = parse_metric(metric);
            return HeldIndex(call({}, [&](const Execution&) { return Index(FlatIndex(model, codes, parsed)); }));
        },
        nb::arg("model"), nb::arg("codes"), nb::arg("metric"));
    m.def(
        "parts_of_index",
        [](const HeldIndex& index) {
            const std::shared_ptr<const Index> held = index.searched();
            require(held->flat(), "codes: only an index without cells gives its codes; this one is ", held->spec());
            return std::tuple(held->quantizer(), call({}, [&](const Execution&) { return held->flat()->codes(); }));
        },
        nb::arg("index"));
}

}  // namespace

std::string identity_text(std::uint64_t identity) {
    return nb::cast<std::string>(nb::str("{:016x}").attr("format")(identity));
}

void bind_models(nb::module_& m) {
    bind_quantizer(m);
    bind_codes(m);
    bind_lookup_table(m);
    bind_training(m);
    bind_lists(m);
    bind_measures(m);
    bind_row_models(m);
}

}  // namespace summand::python
