"""Checks that a wheel is small, hides the symbols of its BLAS and needs nothing that a Linux does not have.

check_wheel.py WHEEL
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

SYSTEM = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MOST_BYTES = 20_000_000


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def offences(wheel: pathlib.Path):
    if wheel.stat().st_size > MOST_BYTES:
        yield f"{wheel.name} takes {wheel.stat().st_size:,} bytes, at most {MOST_BYTES:,} are allowed"
    if "-cp310-abi3-" not in wheel.name:
        yield f"{wheel.name} is not for every Python from 3.10 on"
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        modules = [path for path in pathlib.Path(folder).rglob("*.so*")]
        if [path.name for path in modules] != ["_core.abi3.so"]:
            yield f"expected one module and no library beside it, got {[path.name for path in modules]}"
        for path in modules:
            needed = re.findall(r"NEEDED\s+Shared library: \[(.+)\]", output("readelf", "-dW", str(path)))
            needed += re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-dW", str(path)))
            yield from (f"{path.name} needs {name}" for name in set(needed) - SYSTEM)
            exported = {line.split()[-1] for line in output("nm", "-D", "--defined-only", str(path)).splitlines()}
            yield from (f"{path.name} exports {name}" for name in sorted(exported - {"PyInit__core"}))
        names = {path.relative_to(folder).as_posix() for path in pathlib.Path(folder).rglob("*")}
        yield from (f"{name} is missing" for name in {"summand/py.typed", "summand/_core.pyi"} - names)


def main() -> int:
    found = list(offences(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "check_wheel: one module, for every Python from 3.10 on, that needs the system alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
