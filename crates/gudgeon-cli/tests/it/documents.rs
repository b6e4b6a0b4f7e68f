//! What the documents name exists: files, folders, functions, types, links and headings.
//!
//! | check | where |
//! |---|---|
//! | files and folders in backticks | README, ARCHITECTURE, CONTRIBUTING, NOTATION, docs/decisions |
//! | functions and types in backticks | "How to add" of CONTRIBUTING, "How to follow a step" of ARCHITECTURE |
//! | links, with the headings they lead to | all documents, those of models and studies among them |
//! | pages of decisions, crates | each has its line in ARCHITECTURE |
//!
//! Texts name files as readers do, without the folders that are clear. A name is therefore found if it is the end
//! of a path of the tree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn text(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// Paths of files and folders below a folder, from the root, with `/`; nothing that is built or hidden.
fn walk(folder: &Path, all: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with('.') || ["target", "results"].contains(&name.as_str()) {
            continue;
        }
        let below = path.strip_prefix(root()).unwrap().components();
        let parts: Vec<_> = below.map(|part| part.as_os_str().to_string_lossy()).collect();
        all.insert(parts.join("/"));
        if path.is_dir() {
            walk(&path, all);
        }
    }
}

fn tree() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    walk(root(), &mut all);
    all
}

/// Documents of the tree whose path begins so.
fn pages(tree: &BTreeSet<String>, start: &str) -> Vec<String> {
    tree.iter().filter(|path| path.starts_with(start) && path.ends_with(".md")).cloned().collect()
}

/// A text without its blocks of code.
fn prose(text: &str) -> String {
    let mut inside = false;
    let is_prose = |line: &&str| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    };
    text.lines().filter(is_prose).collect::<Vec<_>>().join("\n")
}

/// What stands in backticks.
fn quoted(text: &str) -> Vec<String> {
    prose(text).split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The part of a page below a heading, up to the next one of its level.
fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let from = text.find(heading).unwrap_or_else(|| panic!("no `{heading}`"));
    let rest = &text[from + heading.len()..];
    rest.find("\n## ").map_or(rest, |end| &rest[..end])
}

/// Whether a name in backticks is meant as a file or folder of the tree.
fn is_path(name: &str) -> bool {
    let elsewhere = ["/", "target/", "results/", "-"].iter().any(|start| name.starts_with(start));
    let ends = [".rs", ".toml", ".md", ".py"].iter().any(|end| name.ends_with(end));
    let signs = |c: char| c.is_ascii_alphanumeric() || "/_-.*".contains(c);
    !elsewhere && name.chars().all(signs) && !name.starts_with('.') && (ends || name.contains('/'))
}

/// Whether a name is the end of a path; `*` stands for the name of a file.
fn is_in(tree: &BTreeSet<String>, name: &str) -> bool {
    let name = name.trim_end_matches('/');
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let Some((start, end)) = file.split_once('*') else {
        let end = format!("/{name}");
        return tree.iter().any(|path| path == name || path.ends_with(&end));
    };
    let fits = |path: &String| {
        let (above, file) = path.rsplit_once('/').unwrap_or(("", path));
        let below = above == folder || above.ends_with(&format!("/{folder}"));
        below && file.starts_with(start) && file.ends_with(end)
    };
    tree.iter().any(fits)
}

#[test]
fn files_that_documents_name_exist() {
    let tree = tree();
    let mut named = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "NOTATION.md"]
        .map(str::to_owned)
        .to_vec();
    named.extend(pages(&tree, "docs/decisions/"));
    let (mut seen, mut missing) = (0, Vec::new());
    for page in named {
        for name in quoted(&text(&page)).into_iter().filter(|name| is_path(name)) {
            // Declined: see docs/decisions/dependencies.md.
            if name == "rust-toolchain.toml" {
                continue;
            }
            seen += 1;
            if !is_in(&tree, &name) {
                missing.push(format!("{page}: `{name}`"));
            }
        }
    }
    assert!(seen > 200, "only {seen} names found");
    assert!(missing.is_empty(), "not in the tree:\n{}", missing.join("\n"));
}

/// What a Rust source has that is no comment.
struct Source {
    words: BTreeSet<String>,
    /// Names behind `fn`.
    functions: BTreeSet<String>,
}

impl Source {
    fn read(path: &str) -> Source {
        let mut source = Source { words: BTreeSet::new(), functions: BTreeSet::new() };
        for line in text(path).lines().filter(|line| !line.trim_start().starts_with("//")) {
            let split = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let own: Vec<&str> = split.filter(|word| !word.is_empty()).collect();
            let pairs = own.windows(2).filter(|pair| pair[0] == "fn");
            source.functions.extend(pairs.map(|pair| pair[1].to_owned()));
            source.words.extend(own.into_iter().map(str::to_owned));
        }
        source
    }

    fn has(&self, parts: &[&str]) -> bool {
        parts.iter().all(|part| self.words.contains(*part))
    }
}

/// Sources of all crates.
fn sources(tree: &BTreeSet<String>) -> Vec<Source> {
    let is_source = |path: &&String| {
        path.starts_with("crates/") && path.contains("/src/") && path.ends_with(".rs")
    };
    tree.iter().filter(is_source).map(|path| Source::read(path)).collect()
}

/// Whether a source has a function beside its type, or each part of another name is a word of some source.
fn is_known(sources: &[Source], parts: &[&str], is_function: bool) -> bool {
    let last = parts.last().copied().unwrap_or_default();
    match is_function {
        true => sources.iter().any(|source| source.functions.contains(last) && source.has(parts)),
        false => parts.iter().all(|part| sources.iter().any(|source| source.has(&[*part]))),
    }
}

/// Parts of a name of Rust such as `Type`, `module::Type`, `Type::function` and `function()`, and whether it is
/// a function; `None` where something else stands in backticks.
fn rust_name(quoted: &str) -> Option<(Vec<&str>, bool)> {
    let (name, is_call) = match quoted.strip_suffix("()") {
        Some(name) => (name, true),
        None => (quoted, false),
    };
    let parts: Vec<&str> = name.split("::").collect();
    let is_word = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let upper = |part: &str| part.starts_with(|c: char| c.is_ascii_uppercase());
    let is_type = parts.iter().any(|part| upper(part));
    let is_rust = is_call || is_type || parts.len() > 1;
    let is_function = is_call || is_type && !parts.last().is_some_and(|last| upper(last));
    (is_rust && parts.iter().all(is_word)).then_some((parts, is_function))
}

#[test]
fn functions_and_types_that_documents_name_exist() {
    let sources = sources(&tree());
    let sections =
        [("CONTRIBUTING.md", "## How to add"), ("ARCHITECTURE.md", "## How to follow a step")];
    for (page, heading) in sections {
        let text = text(page);
        let (mut seen, mut missing) = (0, Vec::new());
        for quoted in quoted(section(&text, heading)) {
            // How functions are written, not one of them.
            let Some((parts, is_function)) = rust_name(&quoted).filter(|_| quoted != "name()")
            else {
                continue;
            };
            seen += 1;
            if !is_known(&sources, &parts, is_function) {
                missing.push(quoted);
            }
        }
        assert!(seen > 20, "{page}: only {seen} names found");
        assert!(missing.is_empty(), "{page} names what no source has: {missing:?}");
    }
}

/// Headings of a page as the anchors that links use.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    headings
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .map(|line| line.chars().filter(kept).collect::<String>().replace(' ', "-"))
        .collect()
}

#[test]
fn links_of_documents_lead_somewhere() {
    let pages = pages(&tree(), "");
    let least = ["README.md", "CHANGELOG.md", "docs/results.md", "docs/decisions/engine.md"];
    assert!(least.iter().all(|page| pages.iter().any(|known| known == page)), "{pages:?}");
    let mut broken = Vec::new();
    for page in &pages {
        let text = prose(&text(page));
        let folder = Path::new(page).parent().unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target: PathBuf = match file {
                "" => page.into(),
                file => folder.join(file),
            };
            let target = root().join(target);
            let leads = target.exists()
                && (anchor.is_empty()
                    || anchors(&fs::read_to_string(&target).unwrap_or_default()).contains(anchor));
            if !leads {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_map_lists_every_decision_and_every_crate() {
    let tree = tree();
    let map = text("ARCHITECTURE.md");
    let decisions = pages(&tree, "docs/decisions/");
    assert!(decisions.len() >= 25, "{decisions:?}");
    for page in decisions {
        assert!(map.contains(&format!("]({page})")), "ARCHITECTURE.md does not link {page}");
        let text = text(&page);
        for part in ["**decided", "**why"] {
            assert!(text.to_lowercase().contains(part), "{page} has no part {part}**");
        }
    }
    let crates = tree.iter().filter_map(|path| path.strip_prefix("crates/"));
    for krate in crates.filter(|path| !path.contains('/')) {
        assert!(map.contains(&format!("**`{krate}`**")), "ARCHITECTURE.md does not list {krate}");
    }
    assert!(map.lines().count() <= 200, "a map has two pages, not {}", map.lines().count());
}

#[test]
fn kinds_of_names_are_distinguished() {
    for path in ["joint/mod.rs", "models/", "study.toml", "tests/diagnostics/*.stderr"] {
        assert!(is_path(path), "{path}");
    }
    for other in ["target/fuzz", "/proc/self/status", "cargo bench", "rows()", "a/b c", "--json"] {
        assert!(!is_path(other), "{other}");
    }
    let tree = BTreeSet::from(["a/src/joint/mod.rs".to_owned(), "a/src/joint".to_owned()]);
    for known in ["joint/mod.rs", "joint/", "src/joint", "joint/*.rs"] {
        assert!(is_in(&tree, known), "{known}");
    }
    for unknown in ["oint/mod.rs", "joint.rs", "joint/*.toml", "joint/m*x.rs"] {
        assert!(!is_in(&tree, unknown), "{unknown}");
    }
    assert_eq!(rust_name("Type::name()"), Some((vec!["Type", "name"], true)));
    assert_eq!(rust_name("Type::name"), rust_name("Type::name()"));
    assert_eq!(rust_name("module::Type"), Some((vec!["module", "Type"], false)));
    assert_eq!(rust_name("model.toml"), None);
    assert_eq!(rust_name("match"), None);
    assert_eq!(quoted("a `b`\n```sh\n`c`\n```\n`d`"), ["b", "d"]);
    assert!(anchors("# A\n## `run.json`, and more").contains("runjson-and-more"));
}
