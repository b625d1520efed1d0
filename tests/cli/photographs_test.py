"""From photographs to ranked images: SIFT descriptors, VLAD and Fisher vectors, codes, MAP. Views are cut, turned and scaled
out of photographs that Debian installs, so that it is known which belong together. Skipped where there is nothing to
extract descriptors with, or there are no photographs."""
import glob
import json
import os
import subprocess
import sys
import unittest

from support import ToolTest

PYTHON = "/usr/bin/python3"   # the one that python3-opencv is installed for
PHOTOGRAPHS = ("/usr/lib/python3/dist-packages/skimage/data/*.png", "/usr/lib/python3/dist-packages/skimage/data/*.jpg",
               "/usr/lib/python3/dist-packages/sklearn/datasets/images/*.jpg", "/usr/share/backgrounds/**/*.jpg",
               "/usr/share/wallpapers/**/*.jpg")
FEWEST = 8
VIEWS = 3

EXTRACT = """
import sys, cv2, numpy
folder, views, photographs = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
sift = cv2.SIFT_create(400)
for number, path in enumerate(photographs):
    image = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    image = cv2.resize(image, None, fx=480 / max(image.shape), fy=480 / max(image.shape), interpolation=cv2.INTER_AREA)
    height, width = image.shape
    for view in range(views):
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), 12 * view, 1 - 0.1 * view)
        turned = cv2.warpAffine(image, turn, (width, height))[view * height // 12:, view * width // 12:]
        found = sift.detectAndCompute(turned, None)[1]
        found = numpy.zeros((0, 128), numpy.float32) if found is None else found
        numpy.save(f"{folder}/photo{number:03}view{view}.npy", found.astype(numpy.float32))
"""


def why_not():
    """The reason to skip, or nothing."""
    if not os.path.exists(PYTHON) or subprocess.run([PYTHON, "-c", "import cv2; cv2.SIFT_create()"],
                                                    capture_output=True, check=False).returncode != 0:
        return "no extractor of descriptors: python3-opencv is not installed"
    if len(photographs()) < FEWEST:
        return f"fewer than {FEWEST} photographs, as of python3-skimage: {len(photographs())}"
    return None


def photographs():
    found = sorted(path for pattern in PHOTOGRAPHS for path in glob.glob(pattern, recursive=True))
    return [path for path in found if os.path.getsize(path) > 50_000][:40]


class Photographs(ToolTest):
    def test_views_of_a_photograph_find_each_other(self):
        folder, vocabulary, images = self.path("descriptors"), self.path("vocabulary.smd"), self.path("images.fvecs")
        os.mkdir(folder)
        subprocess.run([PYTHON, "-c", EXTRACT, folder, str(VIEWS), *photographs()], check=True, stderr=subprocess.DEVNULL)
        lists, count = self.path("objects.txt"), len(photographs()) * VIEWS
        with open(lists, "w", encoding="utf-8") as file:
            for i in range(count):
                file.write(f"{i} {' '.join(str(i // VIEWS * VIEWS + j) for j in range(VIEWS))}\n")
        for kind in ("vlad", "fisher"):
            self.succeed("aggregate", "train", "--kind", kind, "--vocabulary", 16, "--pca", 32, folder, "-o", vocabulary)
            self.succeed("aggregate", "encode", vocabulary, folder, "-o", images)
            index = self.path("index.smd")
            self.succeed("build", "--spec", "OPQ16x4", images, "-o", index)
            measured = json.loads(self.succeed("evaluate", index, images, "--relevance", lists, "--protocol", "holidays",
                                               "--json", "-").stdout)
            print(f"{kind}: MAP {measured['map']:.3f} of {count} views of {count // VIEWS} photographs")
            self.assertGreater(measured["map"], 0.7, kind)


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print("skipped:", reason)
        sys.exit(77)   # as ctest is told
    unittest.main()
