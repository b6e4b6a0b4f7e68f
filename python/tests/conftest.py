"""What all tests share."""

import os
from pathlib import Path

import matplotlib
import pytest

import gudgeon as gd

matplotlib.use("agg")
# Other processes find the package where this one did.
_HERE = str(Path(gd.__file__).parent.parent)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_HERE, os.environ.get("PYTHONPATH")]))


@pytest.fixture(scope="session")
def model() -> gd.Model:
    return gd.load("slider_crank")


@pytest.fixture(scope="session")
def run(model: gd.Model) -> gd.Run:
    return model.run(until="0.5 rev", measure_from="0.1 rev")
