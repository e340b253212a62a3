"""A list of the packages that the program is made of (CycloneDX 1.5), from `cargo metadata` on standard input.

Packages that only tests or builds use are left out: what counts is what is linked.
"""

import json
import sys


def main():
    metadata = json.load(sys.stdin)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = next(i for i, package in packages.items() if package["name"] == "judge-uncertainty")
    linked, open_ids = set(), [root]
    while open_ids:
        identity = open_ids.pop()
        if identity in linked:
            continue
        linked.add(identity)
        for dependency in nodes[identity]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                open_ids.append(dependency["pkg"])

    def component(package):
        entry = {
            "type": "library",
            "name": package["name"],
            "version": package["version"],
            "purl": f"pkg:cargo/{package['name']}@{package['version']}",
        }
        if package.get("license"):
            entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        return entry

    components = sorted((component(packages[i]) for i in linked - {root}), key=lambda c: (c["name"], c["version"]))
    program = component(packages[root]) | {"type": "application"}
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": program},
        "components": components,
    }
    json.dump(bom, sys.stdout, indent=1)
    print()


main()
