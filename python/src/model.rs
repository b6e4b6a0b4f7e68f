//! Models: parsed texts with the changes that a command line would make.
//!
//! A model is its texts and its changes, so that it can be pickled, and built where its files are not. Other
//! values are changes ([`Overrides`]), as `--set` makes them; bodies, joints, drivers and forces that are
//! added make a text of their own, in which every value stands behind its whole path.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use gudgeon_engine::check::Checked;
use gudgeon_engine::{Refusal, Source};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::files::Disk;
use gudgeon_model::shipped::Embedded;
use gudgeon_model::write::key;
use gudgeon_model::{Loaded, Overrides, Resolver};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{errors, json};

/// Names and texts.
pub type Texts = Vec<(String, String)>;
/// Changes as plain values: `set`, `ideal`.
pub type Changes = (Vec<(String, String)>, Vec<String>);
/// A model as plain values: its path, the files it was read from, its data files, its changes.
pub type Frozen = (PathBuf, Texts, Texts, Changes);

#[pyclass(frozen, module = "gudgeon._gudgeon")]
pub struct ModelCore {
    pub source: Source,
    pub overrides: Overrides,
    /// What was built of it last, until someone takes it.
    built: Mutex<Option<Loaded>>,
}

impl ModelCore {
    fn new(source: Source, overrides: Overrides) -> ModelCore {
        ModelCore { source, overrides, built: Mutex::new(None) }
    }

    /// Built, to see whether it is right.
    fn checked(self, py: Python<'_>) -> PyResult<ModelCore> {
        let loaded = self.load().map_err(|refusal| errors::refused(py, &refusal))?;
        Ok(ModelCore { built: Mutex::new(Some(loaded)), ..self })
    }

    fn load(&self) -> Result<Loaded, Refusal> {
        let kept = self.built.lock().ok().and_then(|mut built| built.take());
        kept.map_or_else(|| self.source.load(&self.overrides), Ok)
    }

    /// Looks at it as it was built.
    fn with_loaded<T>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&Loaded) -> PyResult<T>,
    ) -> PyResult<T> {
        let loaded = self.load().map_err(|refusal| errors::refused(py, &refusal))?;
        let seen = look(&loaded);
        if let Ok(mut built) = self.built.lock() {
            *built = Some(loaded);
        }
        seen
    }

    /// What was built of it, where nothing else is asked of it than what it says.
    pub fn take_built(&self, overrides: &Overrides) -> Result<Loaded, Refusal> {
        if *overrides == self.overrides { self.load() } else { self.source.load(overrides) }
    }

    fn texts(&self) -> (Texts, Texts) {
        let parsed = self.source.parsed();
        let data = parsed.data().map(|(name, text)| (name.to_owned(), text.to_owned()));
        (parsed.files(), data.collect())
    }

    /// The same with another text in the place of its files.
    fn rewritten(&self, text: &str) -> Result<Source, Refusal> {
        let (files, data) = self.texts();
        Source::text(&self.source.path, text, &Kept { files: &files, data: &data })
    }

    fn toml(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.source.parsed().to_toml(&self.overrides);
        text.map_err(|failure| errors::refused(py, &Refusal::from(*failure)))
    }
}

#[pymethods]
impl ModelCore {
    /// The model meant by a path or the name of a shipped one, built to see whether it is right.
    #[staticmethod]
    fn find(py: Python<'_>, path: PathBuf) -> PyResult<ModelCore> {
        let source = Source::find(&path).map_err(|refusal| errors::refused(py, &refusal))?;
        ModelCore::new(source, Overrides::default()).checked(py)
    }

    /// A model from a text; what it names is looked for beside `path`.
    #[staticmethod]
    fn text(py: Python<'_>, path: PathBuf, text: &str, check: bool) -> PyResult<ModelCore> {
        let source = Source::text(&path, text, &Disk::at(&path));
        let source = source.map_err(|refusal| errors::refused(py, &refusal))?;
        let model = ModelCore::new(source, Overrides::default());
        if check { model.checked(py) } else { Ok(model) }
    }

    /// With other values: names or paths and what `--set` takes.
    fn set(&self, py: Python<'_>, changes: Vec<(String, String)>) -> PyResult<ModelCore> {
        let mut overrides = self.overrides.clone();
        for (name, value) in changes {
            overrides.set.retain(|(known, _)| *known != name);
            overrides.set.push((name, value));
        }
        ModelCore::new(self.source.clone(), overrides).checked(py)
    }

    /// With these joints ideal, or all that have clearance.
    fn ideal(&self, py: Python<'_>, joints: Vec<String>) -> PyResult<ModelCore> {
        let mut overrides = self.overrides.clone();
        let all = || {
            self.with_loaded(py, |loaded| {
                let loose = loaded.model.joints.iter().filter(|joint| joint.clearance.is_some());
                Ok(loose.map(|joint| joint.name.clone()).collect())
            })
        };
        for joint in if joints.is_empty() { all()? } else { joints } {
            if !overrides.ideal.contains(&joint) {
                overrides.ideal.push(joint);
            }
        }
        ModelCore::new(self.source.clone(), overrides).checked(py)
    }

    /// With a body, joint, driver or force, or with other keys of one that is there: paths inside and values
    /// as TOML writes them. It is built when it is used, since more may follow.
    fn add(&self, py: Python<'_>, section: &str, name: &str, lines: Texts) -> PyResult<ModelCore> {
        let refuse = |refusal: Refusal| errors::refused(py, &refusal);
        let path = format!("{section}.{}", key(name));
        let known = self.source.parsed().root().get(section).and_then(|node| node.as_table());
        let is_known = known.is_some_and(|table| table.has(name));
        let mut overrides = self.overrides.clone();
        if is_known {
            let changes =
                lines.iter().map(|(inner, value)| (format!("{path}.{inner}"), value.clone()));
            overrides.set.extend(changes);
        }
        let text = self.source.parsed().to_paths(&overrides);
        let mut text = text.map_err(|failure| refuse(Refusal::from(*failure)))?;
        if !is_known && lines.is_empty() {
            text.push_str(&format!("{path} = {{}}\n"));
        }
        for (inner, value) in lines.iter().filter(|_| !is_known) {
            text.push_str(&format!("{path}.{inner} = {value}\n"));
        }
        let source = self.rewritten(&text).map_err(refuse)?;
        Ok(ModelCore::new(source, Overrides::default()))
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.source.path.clone()
    }

    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        self.with_loaded(py, |loaded| Ok(loaded.model.name.clone()))
    }

    /// Names, values, units and meanings.
    fn parameters(&self, py: Python<'_>) -> PyResult<Vec<(String, f64, String, Option<String>)>> {
        self.with_loaded(py, |loaded| {
            let told = loaded.parameters.iter().cloned();
            Ok(told.map(|one| (one.name, one.value, one.unit, one.about)).collect())
        })
    }

    /// Names of bodies, joints, drivers and forces.
    fn owners<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.with_loaded(py, |loaded| {
            let model = &loaded.model;
            let found = PyDict::new(py);
            let names = |all: Vec<&String>| all.into_iter().cloned().collect::<Vec<_>>();
            let bodies = model.bodies.iter().skip(1).map(|body| &body.name);
            found.set_item("bodies", names(bodies.collect()))?;
            let joints = model.joints.iter().map(|joint| &joint.name);
            found.set_item("joints", names(joints.collect()))?;
            let drivers = model.drivers.iter().map(|driver| &driver.name);
            found.set_item("drivers", names(drivers.collect()))?;
            let forces = model.forces.iter().map(|force| &force.name);
            found.set_item("forces", names(forces.collect()))?;
            Ok(found)
        })
    }

    /// The word of its analysis.
    fn analysis(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with_loaded(py, |loaded| Ok(loaded.analysis.name()))
    }

    /// Assembled only; with everything it can report where `outputs` asks for it.
    fn check<'py>(&self, py: Python<'py>, outputs: bool) -> PyResult<Bound<'py, PyAny>> {
        let (source, overrides) = (&self.source, &self.overrides);
        let checked = py.detach(|| Checked::new(source, overrides).map(|c| c.record(outputs)));
        json::record(py, &checked.map_err(|refusal| errors::refused(py, &refusal))?)
    }

    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        self.toml(py)
    }

    /// Everything that another process needs to have the same model.
    fn freeze(&self) -> Frozen {
        let (files, data) = self.texts();
        let changes = (self.overrides.set.clone(), self.overrides.ideal.clone());
        (self.source.path.clone(), files, data, changes)
    }

    /// The model of what [`ModelCore::freeze`] gave.
    #[staticmethod]
    pub fn thaw(py: Python<'_>, frozen: Frozen) -> PyResult<ModelCore> {
        let (path, files, data, (set, ideal)) = frozen;
        let Some((name, text)) = files.first() else {
            return Err(PyValueError::new_err("a model without text"));
        };
        let kept = Kept { files: &files, data: &data };
        let source = Source::text(Path::new(name), text, &kept);
        let mut source = source.map_err(|refusal| errors::refused(py, &refusal))?;
        source.path = path;
        let overrides = Overrides { set, ideal, ..Overrides::default() };
        Ok(ModelCore::new(source, overrides))
    }

    /// Whether both are the same mechanism with the same run, whatever files they come from.
    fn equals(&self, py: Python<'_>, other: &ModelCore) -> PyResult<bool> {
        let data =
            |model: &ModelCore| model.texts().1.into_iter().map(|one| one.1).collect::<Vec<_>>();
        Ok(self.toml(py)? == other.toml(py)? && data(self) == data(other))
    }
}

/// Files that are kept as texts.
pub struct Kept<'a> {
    pub files: &'a [(String, String)],
    pub data: &'a [(String, String)],
}

impl Kept<'_> {
    /// The text of what `name` means in the file `from`; where files were merged, of the one that ends so.
    fn find(&self, texts: &[(String, String)], from: &str, name: &str) -> Option<(String, String)> {
        let beside = Path::new(from).parent().unwrap_or(Path::new("")).join(name);
        let wanted = plain(&beside);
        let ending = plain(Path::new(name));
        let exact = texts.iter().find(|(known, _)| plain(Path::new(known)) == wanted);
        exact
            .or_else(|| texts.iter().find(|(known, _)| plain(Path::new(known)).ends_with(&ending)))
            .cloned()
    }
}

impl Resolver for Kept<'_> {
    fn read(&self, from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        match self.find(self.files, from, name) {
            Some(found) => Ok(found),
            None => {
                Embedded.read(from, name).or_else(|_| Disk::at(Path::new(from)).read(from, name))
            }
        }
    }

    fn read_data(&self, from: &str, name: &str) -> Result<(String, Vec<u8>), Box<Diagnostic>> {
        match self.find(self.data, from, name) {
            Some((name, text)) => Ok((name, text.into_bytes())),
            None => Disk::at(Path::new(from)).read_data(from, name),
        }
    }
}

/// A path without `.` and without `..` behind a name.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
