#include "io/container_support.h"

namespace summand::test {

namespace {

Checkpoint sample_checkpoint() {
    const Quantizer quantizer = dense_quantizer({3, 16, 5});
    return {.task = 0x123456789abcdef0u,
            .step = 2,
            .penalty = 0.1,
            .epsilon = -1.0 / 3,
            .translation = {1, 2, 3, 4, 5},
            .dictionaries = quantizer.dictionaries,
            .word_offsets = quantizer.word_offsets,
            .codes = random_codes(quantizer, 7, 3).rows,
            .objective = {3.5, 1.0 / 7}};
}

// As a training on few vectors has it.
Checkpoint anchored_checkpoint() {
    Checkpoint checkpoint = sample_checkpoint();
    checkpoint.anchor = checkpoint.dictionaries.rows;
    checkpoint.anchor_offsets.assign(checkpoint.word_offsets.size(), 1.0 / 3);
    checkpoint.anchor_weight = 8;
    return checkpoint;
}

// As OCQ has it: with a rotation and the words of its blocks.
Checkpoint orthogonal_checkpoint() {
    Checkpoint checkpoint = sample_checkpoint();
    const Quantizer blocks = block_quantizer({3, 16, 5});
    checkpoint.rotation = Matrix<float>(5, 5, std::vector<float>(25, 0.25f));
    checkpoint.blocks = blocks.dictionaries;
    return checkpoint;
}

}  // namespace

TEST(CheckpointFile, LoadGivesBackWhatWasSavedToTheLastBit) {
    const TemporaryDirectory directory;
    for (const Checkpoint& checkpoint : {sample_checkpoint(), anchored_checkpoint(), orthogonal_checkpoint()}) {
        EXPECT_EQ(load_checkpoint(save(checkpoint)), checkpoint);
        save(directory / "c.smd", checkpoint);
        EXPECT_EQ(load_checkpoint(directory / "c.smd"), checkpoint);
    }
}

TEST(CheckpointFile, EveryDamageIsRefused) {
    for (const Checkpoint& checkpoint : {sample_checkpoint(), anchored_checkpoint(), orthogonal_checkpoint()})
        expect_every_damage_refused(save(checkpoint), [](const Bytes& bytes) { load_checkpoint(bytes); });
}

TEST(CheckpointFile, OtherKindsAreRefused) {
    expect_error([&] { load_checkpoint(save(dense_quantizer({3, 16, 5}))); }, {"holds a model, expected a checkpoint"});
    expect_error([&] { load_quantizer(save(sample_checkpoint())); }, {"holds a checkpoint, expected a model"});
}

}  // namespace summand::test
