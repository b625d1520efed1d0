"""From local descriptors to ranked images: a vocabulary, one vector for each image, codes, and how well objects are found."""
import json
import os
import random
import struct
import unittest

from support import ToolTest, read_bytes, read_fvecs, write_fvecs

OBJECTS, VIEWS, DIMENSIONS = 60, 4, 12


def write_views(folder, seed=5):
    """Image i shows object i // 4: of the kinds of patches there are an object has its own few, seen with noise, among
    others that it shares with all."""
    draw = random.Random(seed)
    patches = [[draw.uniform(0, 100) for _ in range(DIMENSIONS)] for _ in range(200)]
    objects = [[draw.choice(patches) for _ in range(12)] for _ in range(OBJECTS)]
    for i in range(OBJECTS * VIEWS):
        seen = draw.sample(objects[i // VIEWS], 10) + [draw.choice(patches) for _ in range(3)]
        write_fvecs(os.path.join(folder, f"image{i:03}.fvecs"),
                    [[value + draw.gauss(0, 3) for value in patch] for patch in seen])


class Aggregate(ToolTest):
    def setUp(self):
        super().setUp()
        self.folder_of_images = self.path("descriptors")
        os.mkdir(self.folder_of_images)
        self.vocabulary, self.images = self.path("vocabulary.smd"), self.path("images.fvecs")

    def views(self):
        write_views(self.folder_of_images)

    def image(self, name, rows):
        write_fvecs(os.path.join(self.folder_of_images, name), rows)

    def train(self, *options):
        return self.succeed("aggregate", "train", "--vocabulary", 16, *options, self.folder_of_images, "-o", self.vocabulary)

    def encode(self, *options):
        return self.succeed("aggregate", "encode", self.vocabulary, self.folder_of_images, "-o", self.images, *options)

    def test_views_of_an_object_find_each_other_through_codes(self):
        self.views()
        lists = self.path("objects.txt")
        with open(lists, "w", encoding="utf-8") as file:
            for i in range(OBJECTS * VIEWS):
                file.write(f"{i} {' '.join(str(i // VIEWS * VIEWS + j) for j in range(VIEWS))}\n")
        for kind in ("vlad", "fisher"):
            self.train("--kind", kind, "--pca", 8)
            self.encode()
            index = self.path("index.smd")
            self.succeed("build", "--spec", "OPQ16x4", self.images, "-o", index)
            for protocol, measure, least in (("holidays", "map", 0.95), ("ukbench", "score", 3.8)):
                measured = json.loads(self.succeed("evaluate", index, self.images, "--relevance", lists, "--protocol",
                                                   protocol, "--json", "-").stdout)
                self.assertGreater(measured[measure], least, (kind, protocol))

    def test_vectors_are_in_the_order_of_names_and_of_length_one(self):
        self.image("b.fvecs", [[5, 5], [1, 2]])
        self.image("a.fvecs", [[0, 1]])
        self.image("c10.fvecs", [[9, 9], [8, 1], [3, 4]])
        self.image(".hidden", [[1, 2, 3]])
        self.succeed("aggregate", "train", "--vocabulary", 2, self.folder_of_images, "-o", self.vocabulary)
        self.encode()
        rows = read_fvecs(self.images)
        self.assertEqual([len(row) for row in rows], [4, 4, 4])
        for row in rows:
            self.assertAlmostEqual(sum(value * value for value in row), 1, places=5)
        self.assertEqual(read_bytes(self.images + ".names"), b"a.fvecs\nb.fvecs\nc10.fvecs\n")

    def test_the_same_command_gives_the_same_bytes_for_any_number_of_threads(self):
        self.views()
        for kind in ("vlad", "fisher"):
            results = []
            for threads in (1, 3):
                self.train("--kind", kind, "-t", threads)
                self.encode("-t", threads)
                results.append((read_bytes(self.vocabulary), read_bytes(self.images)))
            self.assertEqual(results[0], results[1])

    def test_images_without_descriptors_are_zeros_and_counted(self):
        self.image("a.fvecs", [[0, 1], [2, 2]])
        self.image("b.fvecs", [])
        with open(os.path.join(self.folder_of_images, "c.fbin"), "wb") as file:
            file.write(struct.pack("<II", 0, 2))
        self.succeed("aggregate", "train", "--vocabulary", 2, self.folder_of_images, "-o", self.vocabulary)
        self.assertIn("warning: 2 without descriptors", self.encode().stdout)
        self.assertEqual(read_fvecs(self.images)[1:], [(0, 0, 0, 0)] * 2)
        self.assertEqual(json.loads(self.encode("--json", "-").stdout)["empty_images"], 2)

    def test_info_describes_a_vocabulary(self):
        self.views()
        self.train("--kind", "fisher", "--pca", 5)
        info = json.loads(self.succeed("info", self.vocabulary, "--json").stdout)
        self.assertEqual((info["kind"], info["aggregation"], info["words"]), ("vocabulary", "fisher", 16))
        self.assertEqual((info["descriptor_dimensions"], info["dimensions"]), (12, 80))

    def test_wrong_use_is_told(self):
        train = ["aggregate", "train", self.folder_of_images, "-o", self.vocabulary]
        self.fail_with(1, *train, says=["descriptors", "got none"])
        self.fail_with(1, "aggregate", "train", self.path("none"), "-o", self.vocabulary, says=["none", "a folder"])
        self.image("a.fvecs", [])
        self.fail_with(1, *train, says=["descriptors", "1 files without any"])
        self.image("b.fvecs", [[1, 2], [3, 4]])
        self.fail_with(1, *train, says=["64 words", "got 2"])
        self.fail_with(1, *train, "--vocabulary", 2, "--pca", 3, says=["2 dimensions", "got 3"])
        self.image("c.fvecs", [[1, 2, 3]])
        self.fail_with(1, *train, "--vocabulary", 2, says=["c.fvecs", "2 dimensions", "b.fvecs", "got 3"])
        os.remove(os.path.join(self.folder_of_images, "c.fvecs"))
        self.succeed(*train, "--vocabulary", 2)
        os.remove(os.path.join(self.folder_of_images, "b.fvecs"))
        self.image("d.fvecs", [[1, 2, 3]])
        encode = ["aggregate", "encode", self.vocabulary, self.folder_of_images, "-o", self.images]
        self.fail_with(1, *encode, says=["d.fvecs", "2 dimensions", "vocabulary.smd", "got 3"])
        self.fail_with(1, "aggregate", "encode", os.path.join(self.folder_of_images, "d.fvecs"), self.folder_of_images,
                       "-o", self.images, says=["d.fvecs", "is not a summand file"])
        with open(os.path.join(self.folder_of_images, "notes.txt"), "w", encoding="utf-8") as file:
            file.write("not vectors")
        self.fail_with(1, *train, "--vocabulary", 2, says=["notes.txt"])
        self.fail_with(2, *train, "--kind", "bag", says=["bag"])
        self.fail_with(2, "aggregate", "train", self.folder_of_images, says=["--output"])
        self.assertFalse(os.path.exists(self.images))


if __name__ == "__main__":
    unittest.main()
