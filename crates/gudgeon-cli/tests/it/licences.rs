//! Every package that the program or its tests are built from has a permissive licence.

use std::process::Command;

use serde_json::Value;

/// Licences that ask for no more than a notice.
const PERMISSIVE: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether an SPDX expression can be met with permissive licences alone; `/` is an old `OR`.
fn is_permissive(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Spdx { words: &words, at: 0 };
    let permissive = reader.any();
    permissive && reader.at == words.len()
}

struct Spdx<'w> {
    words: &'w [&'w str],
    at: usize,
}

impl Spdx<'_> {
    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at) == Some(&word);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> bool {
        let mut permissive = self.all();
        while self.take("OR") {
            permissive |= self.all();
        }
        permissive
    }

    fn all(&mut self) -> bool {
        let mut permissive = self.one();
        while self.take("AND") {
            permissive &= self.one();
        }
        permissive
    }

    fn one(&mut self) -> bool {
        if self.take("(") {
            let permissive = self.any();
            return self.take(")") && permissive;
        }
        let Some(name) = self.words.get(self.at) else { return false };
        self.at += 1;
        if !self.take("WITH") {
            return PERMISSIVE.contains(name);
        }
        let Some(exception) = self.words.get(self.at) else { return false };
        self.at += 1;
        PERMISSIVE.contains(&format!("{name} WITH {exception}").as_str())
    }
}

/// The packages of all platforms; where those of other platforms cannot be had, of this one.
fn packages() -> Vec<Value> {
    let platform = host();
    let attempts: [&[&str]; 3] =
        [&["--offline"], &[], &["--offline", "--filter-platform", &platform]];
    let mut message = String::new();
    for flags in attempts {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--locked", "--format-version", "1"])
            .args(flags)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo can be started");
        if output.status.success() {
            let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            return used(&metadata);
        }
        message = String::from_utf8_lossy(&output.stderr).into_owned();
    }
    panic!("cargo metadata failed: {message}");
}

/// The packages that the resolved graph holds.
fn used(metadata: &Value) -> Vec<Value> {
    let nodes = metadata["resolve"]["nodes"].as_array().expect("a resolved graph");
    let is_used = |package: &&Value| nodes.iter().any(|node| node["id"] == package["id"]);
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages.iter().filter(is_used).cloned().collect()
}

fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().expect("rustc can be started");
    let text = String::from_utf8(output.stdout).expect("text");
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}

#[test]
fn every_dependency_has_a_permissive_licence() {
    let packages = packages();
    assert!(packages.len() > 50, "only {} packages found", packages.len());
    let mut refused = Vec::new();
    for package in &packages {
        let licence = package["license"].as_str().unwrap_or("none given");
        if !is_permissive(licence) {
            refused.push(format!("{} {}: {licence}", package["name"], package["version"]));
        }
        if package["source"].is_null() {
            assert_eq!(licence, "MIT OR Apache-2.0", "{}", package["name"]);
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    for good in [
        "MIT",
        "MIT/Apache-2.0",
        "MIT OR GPL-3.0-only",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_permissive(good), "{good}");
    }
    for bad in [
        "",
        "none given",
        "AGPL-3.0",
        "MIT AND GPL-3.0-only",
        "MPL-2.0",
        "MIT WITH something",
        "MIT MIT",
        "(MIT",
    ] {
        assert!(!is_permissive(bad), "{bad}");
    }
}
