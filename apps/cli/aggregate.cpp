// summand aggregate train, encode: local descriptors, a file for each image, in; a vocabulary, or one vector for each
// image, out.
#include <fmt/format.h>

#include "descriptor_folder.h"
#include "summand/aggregate.h"
#include "summand/text.h"
#include "text_file.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct TrainOptions {
    std::string folder, output;
    VocabularyOptions vocabulary;
    std::size_t learn_size = 200'000;
    RunOptions run;
};

struct EncodeOptions {
    std::string vocabulary, folder, output;
    RunOptions run;
};

void run_train(const TrainOptions& options) {
    Run run(options.run);
    check_outputs({}, {{options.output}, {options.run.json}});
    const DescriptorFolder folder(options.folder);
    const Matrix<float> descriptors = folder.sample(options.learn_size, options.run.seed, run);
    VocabularyOptions settings = options.vocabulary;
    settings.seed = options.run.seed;
    settings.execution = run.execution();
    const Stopwatch watch;
    const Vocabulary vocabulary = about(options.folder, [&] { return train(descriptors.view(), settings); });
    const double seconds = watch.seconds();
    uninterrupted([&] { save(options.output, vocabulary); });
    run.print(fmt::format("{}: {} words for {}, images of {} dimensions, learnt from {} descriptors of {} images in {}",
                          options.output, vocabulary.centres.rows(), name(vocabulary.kind),
                          grouped(vocabulary.dimensions()), grouped(descriptors.rows()), grouped(folder.images()),
                          duration(seconds)));
    run.write_json({{"kind", name(vocabulary.kind)},
                    {"words", vocabulary.centres.rows()},
                    {"dimensions", vocabulary.dimensions()},
                    {"images", folder.images()},
                    {"learn_vectors", descriptors.rows()},
                    {"objective", vocabulary.objective},
                    {"train_seconds", seconds}});
}

// The guard is held throughout: the file in the making is removed before the process ends.
void write_images(const Vocabulary& vocabulary, const DescriptorFolder& folder, const std::string& output, Run& run) {
    const Stopwatch watch;
    const SaveGuard guard;
    VectorWriter writer(output, vocabulary.dimensions());
    for (std::size_t image = 0; image < folder.images(); ++image) {
        check_interrupt();
        const Matrix<float> descriptors = folder.read(image);
        const std::vector<float> vector = about(
            folder.path(image), [&] { return aggregate(vocabulary, descriptors.view(), run.silent_execution()); });
        writer.write({vector.data(), 1, vector.size()});
        run.display().update(
            {.stage = "aggregate", .step = image + 1, .steps = folder.images(), .seconds = watch.seconds()});
    }
    writer.finish();
}

void run_encode(const EncodeOptions& options) {
    Run run(options.run);
    const std::string names = options.output + ".names";
    check_outputs({options.vocabulary}, {{options.output, Content::vectors}, {names}, {options.run.json}});
    const Vocabulary vocabulary = load_vocabulary(options.vocabulary);
    const DescriptorFolder folder(options.folder);
    folder.require_dimensions(vocabulary.descriptor_dimensions(), options.vocabulary);
    const Stopwatch watch;
    write_images(vocabulary, folder, options.output, run);
    save_text(names, folder.names());
    const double seconds = watch.seconds();
    run.print(fmt::format("{}: {} images of {} dimensions in {}, their names in {}{}", options.output,
                          grouped(folder.images()), grouped(vocabulary.dimensions()), duration(seconds), names,
                          folder.empty_images() == 0 ? ""
                                                     : fmt::format("; warning: {} without descriptors, which are zeros",
                                                                   grouped(folder.empty_images()))));
    run.write_json({{"images", folder.images()},
                    {"empty_images", folder.empty_images()},
                    {"dimensions", vocabulary.dimensions()},
                    {"encode_seconds", seconds}});
}

constexpr const char* kTrainExample =
    "summand aggregate train --kind vlad --vocabulary 64 --pca 64 descriptors/ -o vocabulary.smd";
constexpr const char* kEncodeExample = "summand aggregate encode vocabulary.smd descriptors/ -o images.fvecs";

void add_folder(CLI::App& verb, std::string& folder) {
    verb.add_option("FOLDER", folder, "Folder with a file of descriptors (fvecs, npy …) for each image")
        ->required()
        ->type_name("FOLDER");
}

void add_aggregate_train(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "train", "Learn a vocabulary from the descriptors of many images",
                                    kTrainExample, run_train);
    add_folder(verb, options->folder);
    add_output(verb, options->output, "Vocabulary to write", options->run);
    const auto parse = [&kind = options->vocabulary.kind](const std::string& text) { kind = parse_aggregation(text); };
    verb.add_option_function<std::string>("--kind", parse, "vlad (default) or fisher")
        ->check(CLI::IsMember({"vlad", "fisher"}));
    verb.add_option("--vocabulary", options->vocabulary.words, "Words, or Gaussians of the mixture")
        ->check(whole_number(1, 65536))
        ->capture_default_str();
    verb.add_option("--pca", options->vocabulary.directions,
                    "Principal directions to keep of descriptors; default: all")
        ->check(whole_number(1, 65536));
    verb.add_option("--iterations", options->vocabulary.iterations, "Of k-means, and of the mixture after it")
        ->check(whole_number(0, 10'000))
        ->capture_default_str();
    verb.add_option("--learn-size", options->learn_size, "Descriptors drawn to learn from, at most")
        ->check(whole_number(1, std::uint64_t{1} << 40))
        ->capture_default_str();
    add_seed(verb, options->run);
    add_run(verb, options->run);
}

void add_aggregate_encode(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "encode", "Turn the descriptors of each image into one vector",
                                    kEncodeExample, run_encode);
    verb.add_option("VOCABULARY", options->vocabulary, "Vocabulary made by 'summand aggregate train'")->required();
    add_folder(verb, options->folder);
    add_output(verb, options->output, "Vectors to write, in the order of the files' names", options->run);
    add_run(verb, options->run);
}

}  // namespace

void add_aggregate(CLI::App& app, Chosen& chosen) {
    CLI::App& verb = *app.add_subcommand("aggregate", "Make one vector of the local descriptors of each image");
    verb.require_subcommand(1);
    verb.footer(fmt::format("Example:\n  {}\n  {}", kTrainExample, kEncodeExample));
    add_aggregate_train(verb, chosen);
    add_aggregate_encode(verb, chosen);
    verb.callback([&chosen] { chosen.verb = "aggregate"; });  // runs after the callbacks of its own verbs
}

}  // namespace summand::cli
