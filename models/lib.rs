//! The models that come with Gudgeon: the folders of this package as texts, so that the program has
//! them wherever it is installed. `gudgeon_model::shipped` reads them.
#![forbid(unsafe_code)]

/// A folder of this package.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Text of `model.toml`.
    pub model: &'static str,
    /// Text of `README.md`.
    pub readme: &'static str,
    /// Names and texts of the data files beside it.
    pub data: &'static [(&'static str, &'static str)],
}

macro_rules! shipped {
    ($($name:literal: $about:literal $(with $($data:literal)+)?,)*) => {
        &[$(Shipped {
            name: $name,
            about: $about,
            model: include_str!(concat!($name, "/model.toml")),
            readme: include_str!(concat!($name, "/README.md")),
            data: &[$($(($data, include_str!(concat!($name, "/", $data)))),+)?],
        }),*]
    };
}

/// All shipped models, the one to start from first.
pub const SHIPPED: &[Shipped] = shipped! {
    "slider_crank": "slider-crank with clearance in the piston pin (zhang)",
    "lubricated_slider_crank": "slider-crank with a lubricated piston pin (tian)",
    "lubricated_slider_crank_space": "the same in space, where the film keeps the rod from tilting",
    "tian_slider_crank": "the same in space with a dry pin (tian)",
    "journal_bearing": "a lubricated journal that settles beside its load",
    "two_groove_bearing": "stiffness, damping and whirl of a bearing over its speed",
    "run_down_bearing": "a journal that slows down until its film gives way to dry contact",
    "squeeze_film": "a shaft that sinks through its oil film",
    "rotor": "unbalanced rotor in two oil bearings, one of them not in line",
    "whirling_rotor": "modes of a rigid rotor in its films over speed: Campbell diagram, whirl",
    "jeffcott_rotor": "a disc on an elastic support: response to unbalance, gyroscopic modes",
    "suspended_platform": "modes of a platform on four bushings",
    "snap_arch": "an arch of springs that snaps through: a path past its limit points",
    "torsional_train": "torsional modes of a drive train with a reduction",
    "sprung_four_bar": "rest and frequency of a four-bar on springs",
    "pendulum": "a rod swinging about one end, the smallest model",
    "four_bar_two_clearances": "crank-rocker with clearance at both ends of its coupler",
    "bai_slider_crank": "slider-crank with the hybrid contact law (bai, example 1)",
    "bai_four_bar": "drag-link four-bar with the hybrid contact law (bai, example 2)",
    "guide_slider_crank": "slider-crank whose slider has play in its guide",
    "formula_contact": "slider-crank whose pin runs in a plastic liner: laws by formula",
    "stick_slip": "mass on a rough guide pulled by a spring: LuGre friction, a benchmark",
    "screw_jack": "a screw that holds or lowers its load by the friction of its thread",
    "rough_slider_crank": "slider-crank with friction in all joints: torque and efficiency",
    "gas_engine": "one-cylinder engine, gas pressure over the crank's angle from a file" with "gas.csv",
    "jamming_guide": "a slider pushed beside its guide until friction jams it",
    "v_twin_engine": "two-cylinder engine: gas pressure from a file, flywheel, oil in its main bearings" with "gas.csv",
    "crank_press": "a press that a motor with a torque-speed curve starts from rest",
    "nonlinear_absorber": "a light mass on a cubic spring that takes the energy of a blow",
    "andrews_squeezer": "seven bodies in three loops, a benchmark of integrators",
    "n_four_bar": "two four-bars in a row that pass singular positions, a benchmark",
    "chain": "a hanging chain of 16 links",
    "flores_double_pendulum": "double pendulum in space with clearance in the ground bearing (flores)",
    "tian_double_pendulum": "double pendulum with rigid links and heavy journals (tian)",
    "flexible_double_pendulum": "double pendulum with flexible links (tian)",
    "flexible_double_pendulum_spatial": "the same with its second link across the first (tian)",
    "flexible_double_pendulum_dry": "flexible double pendulum whose bearing has play (tian)",
    "flexible_double_pendulum_lubricated": "flexible double pendulum with a lubricated bearing (tian)",
    "flexible_double_pendulum_offset": "the same with its second link beside the first: a tilted journal (tian)",
    "tian_flexible_slider_crank": "slider-crank in space with a flexible rod, its pin lubricated or dry (tian)",
    "flexible_slider_crank": "slider-crank with clearance in the piston pin and a flexible rod",
    "flexible_four_bar": "crank-rocker with two clearances and a flexible coupler",
    "flexible_rod": "slider-crank with a slender rod: one link, every formulation",
    "hac_four_bar": "four-bar with three elastic links: vibration about the rigid motion (hac)",
    "hac_manipulator": "elastic two-link manipulator under sudden torques (hac)",
    "cantilever": "a clamped beam bent far by a load at its tip, in steps",
    "soft_pendulum": "a soft rod that falls from level: finite elements in a floating frame (vidoni)",
    "erls_pendulum": "the same on an equivalent rigid link, term by term (vidoni)",
    "erls_double_pendulum": "two soft links in space on an equivalent rigid-link system (vidoni)",
    "erls_four_bar": "an elastic four-bar on its equivalent rigid linkage",
    "spinning_beam": "modes of a slender beam on a hub that turns, flapwise and chordwise",
    "spin_up_beam": "a beam on a hub that is brought to speed, a benchmark",
    "princeton_beam": "a strip bent and twisted by a load across both its axes, a benchmark",
    "tilted_four_bar": "four-bar in space that runs only because its tilted pin has play",
    "natural_slider_crank": "slider-crank in space whose rod is two points and two unit vectors",
    "ball_joint": "pendulum in space on a ball joint with clearance",
    "spatial_four_bar": "four hinges with parallel axes in space: redundant constraints",
    "iftomm_slider_crank": "spatial slider-crank, a benchmark",
    "bricard": "Bricard's six-bar, mobile against the count of its constraints",
    "heavy_top": "fast heavy top, a benchmark of rotations",
    "rsup_linkage": "crank, ball, coupler, cross and slider in space, its pin loose and rough (augustynek)",
    "rsup_linkage_flexible": "the same with a coupler of rigid finite elements (augustynek)",
    "rfem_cantilever": "a cantilever of rigid finite elements: deflection and frequencies (augustynek)",
    "wiper_linkage": "windscreen wiper: two loops in space that share their crank",
    "six_axis_robot": "six driven joints in a row: torques of a move with a load",
    "three_finger_gripper": "a tree of bodies: palm, three fingers, springs in their joints",
};

macro_rules! references {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!($name, "/reference.toml")))),*]
    };
}

/// Models that reproduce a paper, with the text of their `reference.toml`.
pub const REFERENCES: &[(&str, &str)] = references![
    "slider_crank",
    "bai_slider_crank",
    "bai_four_bar",
    "flores_double_pendulum",
    "journal_bearing",
    "lubricated_slider_crank",
    "lubricated_slider_crank_space",
    "tian_slider_crank",
    "tian_double_pendulum",
    "flexible_double_pendulum",
    "flexible_double_pendulum_dry",
    "flexible_double_pendulum_offset",
    "tian_flexible_slider_crank",
    "cantilever",
    "hac_four_bar",
    "hac_manipulator",
    "rsup_linkage",
    "erls_pendulum",
    "erls_double_pendulum",
];

pub fn find(name: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|shipped| shipped.name == name)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|shipped| shipped.name)
}
