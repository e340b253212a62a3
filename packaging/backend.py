"""What `pip install .` builds with: maturin, after the program and its data have been laid out for the wheel.

One wheel holds the module and the program, which pip puts among the environment's scripts: `Study` and `audit` run it. A wheel
takes its files from a folder below the root of the project. Only the data that the program needs go there, not the whole of
`data/`, and a copy of 50 MB is not committed.

`python packaging/backend.py PROFILE` lays out the program of another profile; `python packaging/backend.py --program FILE` one
that is built already.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# As in pyproject.toml, tool.maturin.data.
LAID_OUT = ROOT / "target" / "package" / "wheel"
PARTS = ["dice", "chaosnli", "models", "paper", "registration", "README.md"]
PROGRAM = "judge-uncertainty"


def built(profile):
    """The program, built under a profile of cargo."""
    manifest = ["--manifest-path", str(ROOT / "Cargo.toml"), "--locked"]
    subprocess.run(["cargo", "build", *manifest, "--profile", profile, "--bin", PROGRAM], check=True)
    metadata = ["cargo", "metadata", *manifest, "--format-version", "1", "--no-deps"]
    told = subprocess.run(metadata, check=True, capture_output=True)
    return Path(json.loads(told.stdout)["target_directory"]) / ("debug" if profile == "dev" else profile) / PROGRAM


def lay_out(program=None):
    """Copies program and data to where the wheel takes them from, in place of what lies there."""
    shutil.rmtree(LAID_OUT, ignore_errors=True)
    target = LAID_OUT / "data" / "share" / PROGRAM / "data"
    target.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / "data" / part
        if source.is_dir():
            # Sentences that `data fetch` unpacked are nobody's to pass on.
            shutil.copytree(source, target / part, ignore=shutil.ignore_patterns("chaosNLI_v1.0*", "__pycache__"))
        else:
            shutil.copy2(source, target / part)
    if program:
        scripts = LAID_OUT / "scripts"
        scripts.mkdir()
        shutil.copy2(program, scripts / PROGRAM)


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    import maturin

    lay_out()
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    import maturin

    lay_out(built("release"))
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


if __name__ == "__main__":
    lay_out(sys.argv[2] if sys.argv[1] == "--program" else built(sys.argv[1]))
