"""Pictures that Debian's packages install, views of them, and their SIFT descriptors."""
import pathlib
import subprocess

import cv2
import numpy as np

PACKAGES = ("gnome-backgrounds", "mate-backgrounds", "lomiri-wallpapers-16.04", "lomiri-wallpapers-20.04", "ukui-wallpapers",
            "plasma-workspace-wallpapers")
SIDE = 480          # of a view, its longer one
DESCRIPTORS = 400   # of a view, at most
FEWEST = 40         # of a part of a picture; skies and drawings have fewer


def pictures(folder):
    """Files of the packages, one of each picture: the largest where a package has several sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        unpacked = folder / package
        if not unpacked.exists():
            subprocess.run(("apt-get", "download", package), cwd=folder, check=True, stdout=subprocess.DEVNULL)
            archive = next(folder.glob(f"{package}_*.deb"))
            subprocess.run(("dpkg-deb", "-x", archive, folder / "partial"), check=True)
            archive.unlink()
            (folder / "partial").rename(unpacked)
    largest = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".jpg", ".jpeg", ".png", ".webp") and path.is_file() and not path.is_symlink():
            name = path.parent if path.parent.name == "images" else path
            if name not in largest or path.stat().st_size > largest[name].stat().st_size:
                largest[name] = path
    return sorted(largest.values())


def parts(path):
    """The four quarters of a picture, each an object of its own: they share nothing."""
    image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if image is None or min(image.shape) < 2 * SIDE:
        return []
    height, width = image.shape
    return [image[y:y + height // 2, x:x + width // 2] for y in (0, height // 2) for x in (0, width // 2)]


def sized(image, side=SIDE):
    scale = side / max(image.shape)
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def cropped(image, left, top, share):
    height, width = image.shape
    y, x = int(top * height), int(left * width)
    return image[y:y + int(share * height), x:x + int(share * width)]


def turned(image, degrees):
    height, width = image.shape
    return cv2.warpAffine(image, cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1), (width, height))


def compressed(image, quality):
    return cv2.imdecode(cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, quality))[1], cv2.IMREAD_GRAYSCALE)


def views(part):
    """The part itself, and eleven views of it."""
    whole = sized(part)
    return [whole,
            sized(cropped(part, 0, 0, 0.7)), sized(cropped(part, 0.3, 0.3, 0.7)), sized(cropped(part, 0.25, 0.25, 0.5)),
            sized(part, SIDE // 2), sized(part, SIDE // 3),
            turned(whole, 15), turned(whole, 45),
            cv2.GaussianBlur(whole, (0, 0), 2), cv2.GaussianBlur(whole, (0, 0), 4),
            compressed(whole, 15), compressed(sized(part, SIDE // 2), 5)]


VIEWS = 12


def describe(paths, folder, progress):
    """A file of descriptors for each view, numbered in their order; returns the number of objects."""
    folder.mkdir(parents=True)
    sift = cv2.SIFT_create(DESCRIPTORS)
    count = 0
    for done, path in enumerate(paths, 1):
        for part in parts(path):
            found = [sift.detectAndCompute(view, None)[1] for view in views(part)]
            if found[0] is None or len(found[0]) < FEWEST:
                continue
            for number, rows in enumerate(found):
                rows = np.zeros((0, 128), np.float32) if rows is None else rows.astype(np.float32)
                np.save(folder / f"{count:05}-{number:02}.npy", rows)
            count += 1
        progress(done, len(paths))
    return count
