"""Gudgeon: dynamics of mechanisms whose joints have clearance, friction or a lubricant film.

>>> import gudgeon as gd
>>> model = gd.load("slider_crank")
>>> run = model.set(clearance="0.2 mm").run(until="0.5 rev")
>>> run.status, run.extremes["pin.contact_force"].unit
('ok', 'N')

Texts are quantities with units, bare numbers and all results are SI.
"""

from gudgeon._analysis import Analysis, compare
from gudgeon._errors import AssemblyError, Diagnostic, GudgeonError, ModelError, RunError, StudyError
from gudgeon._gudgeon import Cancel, __version__, shipped_models, shipped_studies
from gudgeon._model import Model, Output, Parameter, load
from gudgeon._open import open
from gudgeon._plot import plot
from gudgeon._record import Record
from gudgeon._run import Run
from gudgeon._study import Factorial, LatinHypercube, MonteCarlo, Sobol, Study, StudyResult
from gudgeon._surrogate import Ego, Kriging, Minimum, minimise
from gudgeon._tables import Table

__all__ = [
    "Analysis",
    "AssemblyError",
    "Cancel",
    "Diagnostic",
    "Ego",
    "Factorial",
    "GudgeonError",
    "Kriging",
    "LatinHypercube",
    "Minimum",
    "Model",
    "ModelError",
    "MonteCarlo",
    "Output",
    "Parameter",
    "Record",
    "Run",
    "RunError",
    "Sobol",
    "Study",
    "StudyError",
    "StudyResult",
    "Table",
    "__version__",
    "compare",
    "load",
    "minimise",
    "open",
    "plot",
    "shipped_models",
    "shipped_studies",
]
