"""What `pip wheel ./python` builds with: maturin, after the program has been built and laid out for the wheel.

One wheel holds the module and the program, which pip puts among the environment's scripts: `Study` and `audit` run it.
`python backend.py PROFILE` lays out the program of another profile, for `.ci/python`.
"""

import json
import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
# As in pyproject.toml, tool.maturin.data.
LAID_OUT = FOLDER / "target" / "wheel"


def lay_out(profile="release"):
    manifest = ["--manifest-path", str(FOLDER.parent / "Cargo.toml"), "--locked"]
    subprocess.run(["cargo", "build", *manifest, "--profile", profile, "--bin", "judge-uncertainty"], check=True)
    told = subprocess.run(["cargo", "metadata", *manifest, "--format-version", "1", "--no-deps"], check=True, capture_output=True)
    built = pathlib.Path(json.loads(told.stdout)["target_directory"]) / ("debug" if profile == "dev" else profile)
    scripts = LAID_OUT / "scripts"
    scripts.mkdir(parents=True, exist_ok=True)
    shutil.copy2(built / "judge-uncertainty", scripts)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    import maturin

    LAID_OUT.mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    import maturin

    lay_out()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


if __name__ == "__main__":
    lay_out(sys.argv[1])
