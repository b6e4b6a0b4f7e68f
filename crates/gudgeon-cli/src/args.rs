//! Every command and flag.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, StringValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use gudgeon_model::Overrides;

use crate::known::{drafts, known, laws, methods, models, studies};
use gudgeon_engine::generate;

const EXAMPLES: &str = "\
Examples:
  gudgeon new my_crank                      start from a shipped model
  gudgeon check my_crank/model.toml         read, assemble, show pose and mobility
  gudgeon run my_crank/model.toml           run; results and plots in results/my_crank/
  gudgeon run my_crank/model.toml --set \"clearance=0.2 mm\" --json";

const RUN_EXAMPLES: &str = "\
Examples:
  gudgeon run slider_crank                  a shipped model; results in results/slider_crank/
  gudgeon run model.toml --set \"clearance=0.2 mm\" --set speed=\"5000 rpm\"
  gudgeon run model.toml --set joints.pin.clearance.contact.restitution=0.8
  gudgeon run model.toml --until \"20 rev\" --measure-from \"19 rev\" --out results/long
  gudgeon run model.toml --plot-range \"0 .. 30 ms\"
  gudgeon run model.toml --ideal pin        the same mechanism without that play
  gudgeon run model.toml --friction off     what friction costs, by comparison
  gudgeon run model.toml --law pin=flores --ensemble 20
  gudgeon run model.toml --certify          how many digits hold, and until when
  gudgeon run model.toml --json | jq .extremes

Exit codes: 0 done, 1 the run failed, 2 model or usage wrong (nothing written),
130 interrupted (partial results kept).";

const COMPARE_EXAMPLES: &str = "\
Examples:
  gudgeon compare flexible_rod --methods rigid,ancf,rfem,erls,floating,ked
  gudgeon compare flexible_rod --methods ancf,rfem,ked --converge 1%
  gudgeon compare slider_crank --laws hertz,flores,lankarani-nikravesh
  gudgeon compare lubricated_slider_crank --films short,long
  gudgeon compare spatial_four_bar --coordinates absolute,natural
  gudgeon compare model.toml --methods ancf,ked --json | jq .variants

Exit codes: 0 two variants or more were compared, 1 fewer could run, 2 model or usage wrong
(nothing written), 130 interrupted (what has run is kept).";

const CHECK_EXAMPLES: &str = "\
Examples:
  gudgeon check model.toml
  gudgeon check model.toml --outputs        everything a run can report
  gudgeon check model.toml --set clearance=0";

const NEW_EXAMPLES: &str = "\
Examples:
  gudgeon new my_crank                      a slider-crank with a loose pin
  gudgeon new my_bar --from bai_four_bar
  gudgeon new my_study --from zhang_example_2    study.toml with its points
  gudgeon new chain --links 12 --spatial    a hanging chain, written by rule
  gudgeon new --list                        all models and studies to start from";

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  gudgeon reproduce zhang                   all tables and statements of a paper
  gudgeon reproduce zhang/table4            one of its groups
  gudgeon reproduce zhang/table4/3          one case
  gudgeon reproduce bai --figures           its figures, drawn again into figures/bai
  gudgeon reproduce bai --figures 8         one of them
  gudgeon reproduce all --figures           the figures of all papers
  gudgeon reproduce bai --json | jq '.rows[] | select(.verdict == \"not reproduced\")'

Exit codes: 0 every verdict is the recorded one, all figures are drawn, 1 some are not, 2 no such
paper, case or figure.";

const PLOT_EXAMPLES: &str = "\
Examples:
  gudgeon plot results/slider_crank --output pin.contact_force --svg force.svg
  gudgeon plot results/slider_crank --output \"pin.*\" --range \"30 ms .. 60 ms\" --svg pin.svg
  gudgeon plot results/slider_crank --output motor.torque --over crank --fold --svg torque.svg
  gudgeon plot results/a results/b --output motor.power --svg both.svg
  gudgeon plot results/a --output motor.power --overlay measured.csv --svg compared.svg

Exit codes: 0 done, 1 the picture could not be written, 2 no such result, output or range.";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  gudgeon schema > gudgeon.schema.json
  gudgeon schema --study > gudgeon-study.schema.json";

const STUDY_EXAMPLES: &str = "\
Examples:
  gudgeon study zhang_example_2             a shipped study, results in results/zhang_example_2/
  gudgeon study branin_ego                  another; `gudgeon new --list` shows all
  gudgeon study my.study.toml --jobs 4 --out results/mine
  gudgeon study my.study.toml --resume      go on after an interruption
  gudgeon study my.study.toml --json | jq .optimum

Exit codes: 0 done (single samples may have failed), 1 not done: all samples failed, no optimum
or sweep to be had, or results not saved; 2 study or usage wrong (nothing run),
130 interrupted (finished samples kept; --resume goes on).";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  gudgeon completions bash > ~/.local/share/bash-completion/completions/gudgeon
  gudgeon completions zsh > \"${fpath[1]}/_gudgeon\"
  gudgeon completions fish > ~/.config/fish/completions/gudgeon.fish";

/// Dynamics of mechanisms with play in their joints
const REPORT_EXAMPLES: &str = "\
Examples:
  gudgeon report results/slider_crank       writes results/slider_crank/report.html
  gudgeon report results/slider_crank --out slider_crank.html

Every run writes its page by itself, unless --no-report is given.
Exit codes: 0 written, 1 the disk refused, 2 no result, a damaged one, or one of a newer version.";

#[derive(Debug, Parser)]
#[command(name = "gudgeon", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a model: extremes, impacts, energy balance, plots
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RunArgs>),
    /// Run a model in variants that differ by one word: methods, coordinates, laws or films
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Read and assemble a model without running it
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Start a model or study of your own: a copy of a shipped one, or one written by rule
    #[command(after_help = NEW_EXAMPLES)]
    New(NewArgs),
    /// Recompute the tables of a paper and say what agrees
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceArgs),
    /// Run a model many times: samples, surrogates, optimum, sensitivity
    #[command(after_help = STUDY_EXAMPLES)]
    Study(StudyArgs),
    /// Draw outputs of results that are there already, from all their rows
    #[command(after_help = PLOT_EXAMPLES)]
    Plot(PlotArgs),
    /// Write the page of a result: animation, plots, orbits, tables, in one file for any browser
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Print the JSON schema of model or study files, for editors
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(CompletionArgs),
}

impl Command {
    /// Whether standard output belongs to one JSON object.
    pub fn wants_json(&self) -> bool {
        match self {
            Command::Run(args) => args.json,
            Command::Check(args) => args.json,
            Command::Compare(args) => args.json,
            Command::Reproduce(args) => args.json,
            Command::Study(args) => args.json,
            Command::Plot(args) => args.json,
            Command::Report(args) => args.json,
            Command::New(_) | Command::Schema(_) | Command::Completions(_) => false,
        }
    }
}

/// A model file and what the command line changes in it.
#[derive(ClapArgs, Debug)]
pub struct ModelArgs {
    /// Model file, a folder that holds model.toml, or the name of a shipped model
    #[arg(
        value_name = "MODEL",
        value_hint = ValueHint::AnyPath,
        value_parser = known(PathBufValueParser::new(), models),
        hide_possible_values = true
    )]
    pub model: PathBuf,

    /// Change a parameter, or any key by its path; a bare number is SI
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,

    /// Run this joint without clearance, film and friction
    #[arg(long, value_name = "JOINT")]
    pub ideal: Vec<String>,

    /// Run without friction, in all joints or in one
    #[arg(long, value_name = "[JOINT=]off", value_parser = switched_off)]
    pub friction: Vec<Switched>,

    /// Contact law of all clearance joints, or of one
    #[arg(
        long,
        value_name = "[JOINT=]LAW",
        value_parser = known(law, laws),
        hide_possible_values = true
    )]
    pub law: Vec<(Option<String>, String)>,
}

#[derive(ClapArgs, Debug)]
#[command(group = clap::ArgGroup::new("axis").required(true).args(["methods", "coordinates", "laws", "films"]))]
pub struct CompareArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Formulations of flexible links: rigid, ancf, cable, rfem, erls, floating, ked
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub methods: Vec<String>,

    /// Coordinates of the bodies: absolute, natural, joint
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub coordinates: Vec<String>,

    /// Contact laws of all clearance joints, such as flores,lankarani-nikravesh
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub laws: Vec<String>,

    /// Models of all films: short, short-exact, long, finite, hybrid
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub films: Vec<String>,

    /// Double the elements of each variant until no largest value changes by more than this, such as 1%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub converge: Option<f64>,

    /// Names of outputs, with commas [default: those of the file]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub outputs: Vec<String>,

    /// How long: "20 ms", "20 rev", "JOINT=20 rev" or "JOINT=20 rev, at_most=10 s"
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub until: Option<String>,

    /// Start of the window of extremes and means
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub measure_from: Option<String>,

    /// Folder of the results [default: results/<model>-compare]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,

    /// Only this: "summary" writes no files and draws no pictures, for scripts
    #[arg(long, value_name = "WHAT", conflicts_with = "out")]
    pub only: Option<Only>,

    /// Print one JSON object on standard output, text on standard error
    #[arg(long)]
    pub json: bool,
}

impl CompareArgs {
    pub fn overrides(&self) -> Overrides {
        let mut set = self.model.set.clone();
        if !self.outputs.is_empty() {
            let names: Vec<String> =
                self.outputs.iter().map(|name| format!("\"{name}\"")).collect();
            set.push(("run.outputs".to_owned(), format!("[{}]", names.join(", "))));
        }
        Overrides {
            set,
            until: self.until.clone(),
            measure_from: self.measure_from.clone(),
            ..self.model.overrides()
        }
    }
}

/// A share: "1%" or 0.01.
fn share(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim(), 0.01),
        None => (text.trim(), 1.0),
    };
    match number.parse::<f64>() {
        Ok(value) if value > 0.0 && value * scale < 1.0 => Ok(value * scale),
        _ => Err("a share between 0 and 1, such as 1% or 0.01".to_owned()),
    }
}

#[derive(ClapArgs, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// How long: "20 ms", "20 rev", "JOINT=20 rev" or "JOINT=20 rev, at_most=10 s"
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub until: Option<String>,

    /// Start of the window of extremes and means
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub measure_from: Option<String>,

    /// What pictures show: "A .. B", such as "2 rev .. 3 rev", or all [default: the measuring window]
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub plot_range: Option<String>,

    /// Relative tolerance
    #[arg(long, value_name = "X", allow_hyphen_values = true, value_parser = tolerance)]
    pub rtol: Option<f64>,

    /// Integrator: auto, dop853, dopri5, rk4, generalized-alpha, hht, newmark, radau5 or bdf
    #[arg(
        long,
        value_name = "NAME",
        value_parser = known(StringValueParser::new(), methods),
        hide_possible_values = true
    )]
    pub method: Option<String>,

    /// Record rows at this interval, such as "10 us", or at all "steps"
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub every: Option<String>,

    /// Fail when all runs of the command have taken this CPU time, such as "10 s"; results are kept
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub time_limit: Option<String>,

    /// Fail after N steps, rejected ones counted; results are kept
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_steps: Option<String>,

    /// Repeat N times with tiny perturbations; mean and spread of the extremes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub ensemble: Option<u32>,

    /// Seed of the perturbations
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Threads of the ensemble; 0 for all cores, the result does not depend on it
    #[arg(long, value_name = "J", default_value_t = 0)]
    pub jobs: usize,

    /// Repeat at a tenth and a hundredth of the tolerance; say how many digits hold, and until when
    #[arg(long)]
    pub certify: bool,

    /// Skip the run with ideal joints
    #[arg(long)]
    pub no_baseline: bool,

    /// Write no report.html
    #[arg(long)]
    pub no_report: bool,

    /// Folder of the results [default: results/<model>]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,

    /// Only this: "summary" writes no files and draws no pictures, for scripts
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["out", "plot_range"])]
    pub only: Option<Only>,

    /// Print one JSON object on standard output, text on standard error
    #[arg(long)]
    pub json: bool,
}

/// What a run may be reduced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Only {
    Summary,
}

#[derive(ClapArgs, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// List all outputs with their units
    #[arg(long)]
    pub outputs: bool,

    /// Print one JSON object on standard output, text on standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs, Debug)]
pub struct NewArgs {
    /// Folder to make
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<PathBuf>,

    /// Model or study to start from [default: slider_crank]
    #[arg(
        long,
        value_name = "MODEL",
        value_parser = known(StringValueParser::new(), drafts),
        hide_possible_values = true
    )]
    pub from: Option<String>,

    /// Write a hanging chain of N links instead
    #[arg(long, value_name = "N", value_parser = number(), conflicts_with = "count")]
    pub links: Option<u32>,

    /// With --links: a chain in space, every second pin turned by 90 deg
    #[arg(long, conflicts_with = "count")]
    pub spatial: bool,

    /// Write N four-bars side by side instead
    #[arg(long, value_name = "N", value_parser = number())]
    pub count: Option<u32>,

    /// List the models and studies to start from
    #[arg(long)]
    pub list: bool,
}

#[derive(ClapArgs, Debug)]
pub struct ReproduceArgs {
    /// Paper, or one of its groups or cases; with --figures also `all`
    #[arg(value_name = "PAPER[/CASE]")]
    pub paper: String,

    /// Draw the paper's figures instead of its tables: all, or the one of a number
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, default_missing_value = "all")]
    pub figures: Option<String>,

    /// Folder of the figures and their runs; what it holds is not run again [default: figures/<paper>]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "figures")]
    pub out: Option<PathBuf>,

    /// Threads; 0 for all cores, the result does not depend on it
    #[arg(long, value_name = "J", default_value_t = 0)]
    pub jobs: usize,

    /// Print one JSON object on standard output, text on standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs, Debug)]
pub struct StudyArgs {
    /// Study file, a folder that holds study.toml, or the name of a shipped study
    #[arg(
        value_name = "STUDY",
        value_hint = ValueHint::AnyPath,
        value_parser = known(PathBufValueParser::new(), studies),
        hide_possible_values = true
    )]
    pub study: PathBuf,

    /// Change a parameter of the model, or any key by its path
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,

    /// Folder of the results [default: results/<study>]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,

    /// Threads; 0 for all cores, the result does not depend on it
    #[arg(long, value_name = "J", default_value_t = 0)]
    pub jobs: usize,

    /// Go on with the study of the result folder; finished samples are not run again
    #[arg(long)]
    pub resume: bool,

    /// Begin anew where the result folder holds a study; a complete one is kept until this one is complete
    #[arg(long, conflicts_with_all = ["resume", "check"])]
    pub overwrite: bool,

    /// With --resume: where the beginning of a journal is damaged, take the samples behind it that are of this study
    #[arg(long, requires = "resume")]
    pub salvage: bool,

    /// Seed of all random numbers, in place of the study's
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    pub seed: Option<u64>,

    /// Read and check the study and its model, and run nothing
    #[arg(long, conflicts_with = "resume")]
    pub check: bool,

    /// Draw no plots
    #[arg(long)]
    pub no_plots: bool,

    /// Print one JSON object on standard output, text on standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs, Debug)]
pub struct PlotArgs {
    /// Result folders of runs; curves of several stand in the same panels
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub results: Vec<PathBuf>,

    /// Names of outputs or patterns such as "pin.*", with commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub output: Vec<String>,

    /// Draw over this output in place of the time; a name alone is its angle, in degrees
    #[arg(long, value_name = "NAME")]
    pub over: Option<String>,

    /// With --over: angles within one turn, turns on top of one another
    #[arg(long)]
    pub fold: bool,

    /// Part of the run: "A .. B", such as "10 ms .. 30 ms", or all [default: the measuring window]
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub range: Option<String>,

    /// All outputs in one panel
    #[arg(long)]
    pub together: bool,

    /// Lay the values of a data file over: the first column what is drawn over, others named like outputs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub overlay: Vec<PathBuf>,

    /// Title of the picture [default: that of the model]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,

    /// File of the picture [default: standard output]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub svg: Option<PathBuf>,

    /// Print one JSON object on standard output, text on standard error
    #[arg(long, requires = "svg")]
    pub json: bool,
}

#[derive(ClapArgs, Debug)]
pub struct ReportArgs {
    /// Result folder of a run or an analysis
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub result: PathBuf,

    /// File of the page [default: DIR/report.html]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,

    /// Print one JSON object on standard output, text on standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs, Debug)]
pub struct SchemaArgs {
    /// That of study files
    #[arg(long)]
    pub study: bool,
}

#[derive(ClapArgs, Debug)]
pub struct CompletionArgs {
    pub shell: Shell,
}

/// How many parts a model that is written by rule may have.
fn number() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(generate::LARGEST))
}

impl ModelArgs {
    pub fn overrides(&self) -> Overrides {
        Overrides {
            set: self.set.clone(),
            ideal: self.ideal.clone(),
            frictionless: self.friction.iter().map(|off| off.joint.clone()).collect(),
            law: self.law.clone(),
            ..Overrides::default()
        }
    }
}

impl RunArgs {
    pub fn overrides(&self) -> Overrides {
        Overrides {
            until: self.until.clone(),
            measure_from: self.measure_from.clone(),
            plot_range: self.plot_range.clone(),
            rtol: self.rtol,
            method: self.method.clone(),
            every: self.every.clone(),
            time_limit: self.time_limit.clone(),
            max_steps: self.max_steps.clone(),
            ..self.model.overrides()
        }
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.to_owned()))
        }
        _ => Err("write NAME=VALUE, such as \"clearance=0.2 mm\"".to_owned()),
    }
}

fn tolerance(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "write a number below 1, such as 1e-6".to_owned())
}

/// A joint, or all, whose friction is switched off.
#[derive(Clone, Debug)]
pub struct Switched {
    pub joint: Option<String>,
}

fn switched_off(text: &str) -> Result<Switched, String> {
    match text.split_once('=').map(|(joint, off)| (joint.trim(), off.trim())) {
        None if text.trim() == "off" => Ok(Switched { joint: None }),
        Some((joint, "off")) if !joint.is_empty() => Ok(Switched { joint: Some(joint.to_owned()) }),
        _ => Err("write off or JOINT=off, such as pin=off".to_owned()),
    }
}

fn law(text: &str) -> Result<(Option<String>, String), String> {
    let (joint, law) = match text.split_once('=') {
        Some((joint, law)) => (Some(joint.trim().to_owned()), law.trim()),
        None => (None, text.trim()),
    };
    if law.is_empty() || joint.as_deref() == Some("") {
        return Err("write LAW or JOINT=LAW, such as pin=flores".to_owned());
    }
    Ok((joint, law.to_owned()))
}
