"""What `pip install .` builds with: maturin, after the program's data have been laid out for the wheel.

A wheel takes its files from a folder below the root of the project. Only the data that the program needs go there, not the
whole of `data/`, and a copy of 50 MB is not committed.
"""

import shutil
from pathlib import Path

import maturin
from maturin import get_requires_for_build_sdist, get_requires_for_build_wheel  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent
# As in pyproject.toml, tool.maturin.data.
LAID_OUT = ROOT / "target" / "package" / "wheel"
PARTS = ["dice", "chaosnli", "models", "paper", "registration", "README.md"]


def lay_out():
    """Copies the program's data to where the wheel takes them from, in place of what lies there."""
    shutil.rmtree(LAID_OUT, ignore_errors=True)
    target = LAID_OUT / "data" / "share" / "judge-uncertainty" / "data"
    target.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / "data" / part
        if source.is_dir():
            # Sentences that `data fetch` unpacked are nobody's to pass on.
            shutil.copytree(source, target / part, ignore=shutil.ignore_patterns("chaosNLI_v1.0*", "__pycache__"))
        else:
            shutil.copy2(source, target / part)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    lay_out()
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    lay_out()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    lay_out()
    return maturin.build_sdist(sdist_directory, config_settings)
