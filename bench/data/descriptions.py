"""What Debian's packages say of themselves, from apt's lists."""
import subprocess

LEAST = 10_000
MISSING = "expected descriptions of packages from 'apt-cache dumpavail', got {}; 'apt-get update' brings them"


def packages():
    """(name, section, description) of each package, in apt's order. Raises LookupError where apt knows next to none."""
    try:
        listed = subprocess.run(("apt-cache", "dumpavail"), stdout=subprocess.PIPE, text=True, check=False).stdout
    except FileNotFoundError:
        raise LookupError("'apt-cache' was not found: descriptions of packages come with Debian and Ubuntu") from None
    found = []
    for entry in listed.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in entry.splitlines() if ": " in line and not line.startswith(" "))
        if "Description" in fields:
            found.append((fields["Package"], fields.get("Section", "misc"), fields["Description"]))
    if len(found) < LEAST:
        raise LookupError(MISSING.format(len(found)))
    return found


def distinct(found):
    """The first package of each description: those that belong together share theirs."""
    first = {}
    for package in found:
        first.setdefault(package[2], package)
    return list(first.values())
