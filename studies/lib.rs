//! The design studies that come with Gudgeon: the folders of this package as texts.
//! `gudgeon_study::shipped` reads them.
#![forbid(unsafe_code)]

/// A folder of this package.
#[derive(Clone, Copy, Debug)]
pub struct StudyFolder {
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Names and texts of its files, `study.toml` first.
    pub files: &'static [(&'static str, &'static str)],
}

macro_rules! studies {
    ($($name:literal: $about:literal, [$($file:literal),*];)*) => {
        &[$(StudyFolder {
            name: $name,
            about: $about,
            files: &[$((
                $file,
                include_str!(concat!($name, "/", $file)),
            )),*],
        }),*]
    };
}

/// All shipped studies, the one to start from first.
pub const STUDIES: &[StudyFolder] = studies! {
    "zhang_example_2": "speed, stiffness and clearance of a loose piston pin (zhang, example 2)",
        ["study.toml", "zhang_example_2_printed.study.toml", "points.csv", "README.md"];
    "zhang_example_1": "stiffness and clearance of a loose piston pin (zhang, example 1)",
        ["study.toml", "zhang_example_1_printed.study.toml", "points.csv", "zhang_table_4.study.toml", "table_4.csv", "README.md"];
    "four_bar_tolerances": "tolerances of a four-bar with two loose pins",
        ["study.toml", "README.md"];
    "zhang_sweeps": "clearance and speed through their ranges: histories, states once per revolution",
        ["study.toml", "zhang_speeds.study.toml", "README.md"];
    "branin": "a test function, without a model",
        ["study.toml", "branin_ego.study.toml", "README.md"];
};

/// One study file.
#[derive(Clone, Copy, Debug)]
pub struct ShippedStudy {
    pub folder: &'static StudyFolder,
    /// What the user types: the folder's name for `study.toml`, else that of the file.
    pub name: &'static str,
    pub file: &'static str,
    pub text: &'static str,
}

/// All study files, folder by folder.
pub fn studies() -> impl Iterator<Item = ShippedStudy> {
    STUDIES.iter().flat_map(|folder| {
        folder.files.iter().filter_map(move |&(file, text)| {
            let name = match file {
                "study.toml" => folder.name,
                other => other.strip_suffix(".study.toml")?,
            };
            Some(ShippedStudy { folder, name, file, text })
        })
    })
}

pub fn find_study(name: &str) -> Option<ShippedStudy> {
    studies().find(|study| study.name == name)
}

impl ShippedStudy {
    /// One line about it: that of its folder, or the title of a study beside `study.toml`.
    pub fn about(&self) -> &'static str {
        let title = || {
            let mut lines = self.text.lines();
            lines.find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        };
        if self.file == "study.toml" { None } else { title() }.unwrap_or(self.folder.about)
    }
}
