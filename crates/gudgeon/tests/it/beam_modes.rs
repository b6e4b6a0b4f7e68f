//! Modes of flexible links against closed forms.

use crate::common::beams::*;
use crate::common::*;
use gudgeon::beam::Beam;
use gudgeon::flexible::{Elasticity, EndSection, Flexible, Section};
use gudgeon::modal::{About, ModalReport, ModalSpec, analyse};
use gudgeon::model::*;
use gudgeon::progress::Unwatched;
use gudgeon::run::Limits;
use gudgeon::time::TimeFunction;
use nalgebra::{DMatrix, DVector, Vector3};
use std::f64::consts::{PI, TAU};

fn modes(name: &str, model: &Model, count: usize, about: About) -> ModalReport {
    let begin = std::time::Instant::now();
    let spec = ModalSpec { about, modes: Some(count), damped: true, impact_speed: None };
    let found = analyse(model, spec, Limits::default(), &Unwatched);
    let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
    let frequencies: Vec<f64> = found.modes.iter().map(|mode| mode.frequency).collect();
    println!(
        "{name}: {frequencies:?} Hz, stable {:?}, frozen {}, {:?}, {:?}",
        found.stable,
        found.frozen,
        found.warnings,
        begin.elapsed()
    );
    found
}

fn near(name: &str, found: f64, wanted: f64, tolerance: f64) {
    let error = (found - wanted).abs() / wanted.abs();
    println!("  {name}: {found:.7e} for {wanted:.7e}, off {error:.1e} of {tolerance:.0e}");
    assert!(error < tolerance, "{name}: {found} is not {wanted}: {error:.2e}");
}

/// One link along x from the origin, held by a kind of joint at its beginning and its end.
fn held(link: Flexible, space: Space, ends: [Option<JointKind>; 2]) -> Model {
    let mut model = Model { space, ..empty("beam") };
    let length = link.to.x;
    let mut beam = Body::new("beam");
    beam.become_flexible(link, space);
    beam.start = start_at(0.0, 0.0, 0.0);
    model.bodies.push(beam);
    for (i, kind) in ends.into_iter().enumerate() {
        let x = length * i as f64;
        model.markers.extend([marker("wall", 0, x, 0.0), marker("end", 1, x, 0.0)]);
        if let Some(kind) = kind {
            model.joints.push(joint(&format!("end{i}"), kind, 2 * i, 2 * i + 1));
        }
    }
    model
}

const LENGTH: f64 = 1.0;
const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7800.0;
const HEIGHT: f64 = 0.005;

fn slender(elements: usize, elasticity: Elasticity) -> Flexible {
    let section = Section::rectangle(HEIGHT, HEIGHT, YOUNG, 0.3, DENSITY);
    straight(LENGTH, section, elements, elasticity)
}

/// √(EI/ρAL⁴), rad/s.
fn pace() -> f64 {
    (YOUNG * HEIGHT * HEIGHT / (12.0 * DENSITY)).sqrt() / LENGTH.powi(2)
}

/// Euler and Bernoulli's (βL)².
#[test]
fn a_cable_vibrates_as_euler_and_bernoulli_say() {
    let clamped = [1.875_104_068_711_961, 4.694_091_132_974_175, 7.854_757_438_237_613];
    let free = [4.730_040_744_862_704, 7.853_204_624_095_838, 10.995_607_838_001_671];
    use JointKind::{Fixed, Revolute};
    for (name, elements, ends, wanted, rigid) in [
        ("clamped", 16, [Some(Fixed), None], clamped, 0),
        ("pinned", 16, [Some(Revolute), Some(Revolute)], [PI, 2.0 * PI, 3.0 * PI], 0),
        ("free", 16, [None, None], free, 3),
        ("free", 8, [None, None], free, 3),
    ] {
        let mut link = cable(slender(elements, Elasticity::Line));
        link.section.rotary = false;
        let model = held(link.clone(), Space::Planar, ends);
        let found = modes(name, &model, 3 + rigid, About::Equilibrium);
        assert_eq!(found.stable, Some(true), "{name}");
        for mode in &found.modes[..rigid] {
            let share = mode.eigenvalue[0].hypot(mode.eigenvalue[1]);
            assert!(share < 1e-4 * wanted[0].powi(2) * pace(), "{name}: {share}");
        }
        for (mode, root) in found.modes[rigid..].iter().zip(wanted) {
            // Of a term of order (βl)⁶, l the length of an element, some 6e-6 is left in the third mode of a
            // free cable of 16 and 64 times as much with 8. Stretch adds some 1e-6.
            let left = (root / elements as f64).powi(6) / 14_000.0;
            near(name, TAU * mode.frequency, root * root * pace(), left + 2e-6);
            assert!(left < 1e-5 || elements < 16);
        }
    }
}

/// Re λ = −½ α ∫ (w − x w(L)/L)² dx/∫ w² dx of a mode w on [0, 1] that begins at the root, against its chord.
fn damped_by(alpha: f64, w: impl Fn(f64) -> f64) -> f64 {
    let n = 2000;
    let mut sums = [0.0; 2];
    for k in 0..n {
        let x = (f64::from(k) + 0.5) / f64::from(n);
        sums[0] += (w(x) - x * w(1.0)).powi(2);
        sums[1] += w(x).powi(2);
    }
    -0.5 * alpha * sums[0] / sums[1]
}

/// Mass-proportional damping of Euler and Bernoulli's modes. A swing as a rigid body is not damped at all, nor is the
/// rotation that a link vibrates about.
#[test]
fn damping_against_the_chord_spares_rigid_motion() {
    let alpha = 3.0;
    let clamped = |x: f64| {
        let b: f64 = 1.875_104_068_711_961;
        let share = (b.cosh() + b.cos()) / (b.sinh() + b.sin());
        (b * x).cosh() - (b * x).cos() - share * ((b * x).sinh() - (b * x).sin())
    };
    let hinged = |x: f64| {
        let b: f64 = 3.926_602_312_047_919;
        (b * x).sin() / b.sin() + (b * x).sinh() / b.sinh()
    };
    let mut link = slender(8, Elasticity::Line);
    link.damping.mass = alpha;
    for (name, link, space) in [
        ("beam in the plane", link.clone(), Space::Planar),
        ("beam in space", link.clone(), Space::Spatial),
        ("cable in the plane", cable(link.clone()), Space::Planar),
        ("cable in space", cable(link.clone()), Space::Spatial),
    ] {
        // A cable in space is held at its root by two points of its line.
        let fixed = match (name, space) {
            ("cable in space", _) => None,
            _ => Some(JointKind::Fixed),
        };
        if fixed.is_some() {
            let model = held(link.clone(), space, [fixed, None]);
            let found = modes(name, &model, 1, About::Equilibrium).modes[0].eigenvalue[0];
            near(&format!("{name}, clamped"), found, damped_by(alpha, clamped), 1e-3);
        }
        let root = match space {
            Space::Planar => JointKind::Revolute,
            Space::Spatial => JointKind::Spherical,
        };
        let mut model = held(link.clone(), space, [Some(root), None]);
        model.gravity.x = 9.81;
        let found = modes(name, &model, 5, About::Equilibrium);
        let swing = found.modes.iter().find(|mode| mode.frequency > 0.3).expect("a swing");
        // A rod of length L swings at √(3g/2L); bending takes 1e-4 of it.
        near(&format!("{name}, swing"), TAU * swing.frequency, 14.715f64.sqrt(), 3e-4);
        assert!(swing.damping_ratio.abs() < 1e-6, "{name}: {}", swing.damping_ratio);
        let bent = found.modes.iter().find(|mode| mode.frequency > 5.0).expect("a bent mode");
        println!("{name}: swing {:?}, bent {:?}", swing.eigenvalue, bent.eigenvalue);
        // Weight stiffens it by some 1e-3.
        near(&format!("{name}, bent"), bent.eigenvalue[0], damped_by(alpha, hinged), 5e-3);
    }
    // A blade that turns fast loses nothing by turning: its lowest mode is damped as it bends against the chord, and
    // never excited.
    link.elements = 6;
    let mut model = held(link, Space::Spatial, [Some(JointKind::Revolute), None]);
    let speed = 6.0 * pace();
    model.drivers.push(driver("motor", 0, TimeFunction::Linear { start: 0.0, rate: speed }));
    model.bodies[1].start.angular_velocity = Some((Vector3::z() * speed, Axes::World));
    let found = modes("turning", &model, 4, About::Rotation);
    assert_eq!(found.stable, Some(true));
    assert!(!found.frozen);
    for mode in &found.modes {
        let real = mode.eigenvalue[0];
        assert!((-2.0 * alpha..0.0).contains(&real), "{:?}", mode.eigenvalue);
    }
}

/// The swing of a hanging link is 1e-12 and less of what stretch and shear hold against its masses, and more so the
/// thinner the link is. Damping of the strains does not change it, and an upright link falls.
#[test]
fn slow_swings_of_stiff_links_are_seen() {
    for (height, elements, space) in [
        (0.02, 2, Space::Planar),
        (0.005, 4, Space::Planar),
        (0.001, 4, Space::Spatial),
        (0.001, 40, Space::Planar),
        (0.002, 16, Space::Spatial),
    ] {
        let section = Section::rectangle(height, height, YOUNG, 0.3, DENSITY);
        let link = straight(LENGTH, section, elements, Elasticity::Line);
        let root = if space == Space::Planar { JointKind::Revolute } else { JointKind::Spherical };
        let model = |strain: f64, gravity: f64| {
            let mut link = link.clone();
            link.damping.strain = strain;
            let mut model = held(link, space, [Some(root), None]);
            model.gravity.x = gravity;
            model
        };
        let count = if space == Space::Planar { 1 } else { 3 };
        let mut first = None;
        for strain in [0.0, 1e-6, 1e-4, 1e-2] {
            let name = format!("{height} m, {elements} elements, {space:?}, {strain} s");
            let found = modes(&name, &model(strain, 9.81), count, About::Equilibrium);
            assert_eq!(found.stable, Some(true), "{name}");
            for mode in found.modes.iter().filter(|mode| mode.frequency > 0.1) {
                let wanted = *first.get_or_insert(mode.frequency);
                // A chain swings 1.8 % more slowly than a rod.
                near(&name, TAU * mode.frequency, 14.715f64.sqrt(), 2e-2);
                // A thin link bends with 2e-3 of the energy, and (θω)² = 1.5e-3 of that at 10 ms stiffens it.
                near(&name, mode.frequency, wanted, 1e-5);
                assert!(mode.damping_ratio.abs() < 1e-4 && mode.damping_ratio > -1e-9, "{name}");
            }
        }
        assert!(first.is_some());
        let upright = modes("upright", &model(0.0, -9.81), count, About::Equilibrium);
        assert_eq!(upright.stable, Some(false), "{height} {elements} {space:?}");
    }
}

/// A continuum of 16 elements, clamped at a rigid section.
#[test]
fn a_square_rod_bends_and_twists() {
    let section = Section::rectangle(0.01, 0.01, 6.9e9, 0.0, 2700.0);
    let mut link = straight(0.5, section, 16, Elasticity::Continuum);
    link.ends = [EndSection::Rigid, EndSection::Free];
    let model = held(link, Space::Spatial, [Some(JointKind::Fixed), None]);
    let found = modes("rod", &model, 12, About::Equilibrium);
    assert_eq!(found.stable, Some(true));
    for (i, wanted) in [10.3350, 64.9733, 182.8600].into_iter().enumerate() {
        for mode in &found.modes[2 * i..2 * i + 2] {
            near("bending", mode.frequency, wanted, 1e-4);
        }
    }
    // Torsion leaves the line where it is.
    let still = |mode: &&gudgeon::modal::Mode| {
        let nodes = mode.bodies[0].nodes.iter().flatten().flatten();
        let line = nodes.fold(0.0f64, |most, x| most.max(x.abs()));
        let turn =
            mode.bodies[0].rotation.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
        line < 1e-3 * 0.01 * turn
    };
    let torsion = found.modes.iter().find(still).expect("a torsional mode");
    near("torsion", torsion.frequency, 565.4212, 1e-4);
}

/// A blade turned about z by its root: γ, first and second flapwise (βL)².
#[test]
fn a_turning_blade_stiffens() {
    for (gamma, flaps) in
        [(0.0, [3.51602, 22.0345]), (2.0, [4.13732, 22.6149]), (4.0, [5.58500, 24.2734])]
    {
        let speed = gamma * pace();
        for (name, link, space) in [
            ("cable", cable(slender(16, Elasticity::Line)), Space::Planar),
            ("beam", slender(8, Elasticity::Line), Space::Spatial),
        ] {
            let name = format!("{name} γ {gamma}");
            let mut model = held(link, space, [Some(JointKind::Revolute), None]);
            let motion = TimeFunction::Linear { start: 0.0, rate: speed };
            model.drivers.push(driver("motor", 0, motion));
            model.bodies[1].start.angular_velocity = Some((Vector3::z() * speed, Axes::World));
            let about = if gamma == 0.0 { About::Equilibrium } else { About::Rotation };
            let found = modes(&name, &model, 4, about);
            assert!(!found.frozen, "{name}: {:?}", found.warnings);
            let chords = flaps.map(|flap| f64::sqrt(flap * flap - gamma * gamma));
            let wanted = match space {
                Space::Planar => chords.to_vec(),
                Space::Spatial => vec![chords[0], flaps[0], chords[1], flaps[1]],
            };
            for (mode, wanted) in found.modes.iter().zip(wanted) {
                near(&name, TAU * mode.frequency / pace(), wanted, 1e-2);
            }
        }
    }
}

/// A clamped link under a large tip force, P L²/(E I) = 3: frequencies about its bent shape against masses and
/// stiffness by central differences of the forces of its nodes alone, whose equilibrium Newton's method finds.
#[test]
fn a_bent_link_vibrates_about_its_equilibrium() {
    let mut link = slender(8, Elasticity::Line);
    link.ends = [EndSection::Rigid, EndSection::Free];
    let load = 3.0 * YOUNG * link.section.inertia_z / LENGTH.powi(2);
    for space in [Space::Planar, Space::Spatial] {
        let beam = Beam::new(&link, space);
        // The first node is held by its clamp.
        let (n, held) = (beam.size(), beam.node_size());
        let free = n - held;
        let of = |q: &[f64]| {
            let mut out = vec![0.0; n];
            beam.add_forces(q, &vec![0.0; n], &mut out);
            out[n - held + 1] += load;
            DVector::from_column_slice(&out[held..])
        };
        let stiffness = |q: &[f64]| {
            let (mut k, mut q, h) = (DMatrix::zeros(free, free), q.to_vec(), 1e-6);
            for i in 0..free {
                let middle = q[held + i];
                q[held + i] = middle + h;
                let above = of(&q);
                q[held + i] = middle - h;
                let below = of(&q);
                q[held + i] = middle;
                k.set_column(i, &((below - above) / (2.0 * h)));
            }
            k
        };
        let mut q = beam.reference().to_vec();
        let mut longest = 1.0;
        for _ in 0..400 {
            let change = stiffness(&q).lu().solve(&of(&q)).expect("regular");
            longest = change.amax();
            if longest < 1e-11 {
                break;
            }
            let factor = (0.02 / longest).min(1.0);
            q[held..].iter_mut().zip(change.iter()).for_each(|(q, step)| *q += factor * step);
        }
        assert!(longest < 1e-9, "{space:?}: Newton left {longest:e}");
        let mut mass = DMatrix::zeros(free, free);
        for i in 0..free {
            let (mut unit, mut column) = (vec![0.0; n], vec![0.0; n]);
            unit[held + i] = 1.0;
            beam.multiply_masses(&unit, &mut column);
            mass.set_column(i, &DVector::from_column_slice(&column[held..]));
        }
        let lower = mass.cholesky().expect("positive").l();
        let half = lower.solve_lower_triangular(&stiffness(&q)).expect("regular");
        let matrix = lower.solve_lower_triangular(&half.transpose()).expect("regular");
        let matrix = (&matrix + matrix.transpose()) * 0.5;
        let mut squares: Vec<f64> = matrix.symmetric_eigen().eigenvalues.iter().copied().collect();
        squares.sort_by(f64::total_cmp);

        let mut model = held_by(&link, space);
        let components = constant([0.0, load, 0.0]);
        let kind = ForceKind::Point { at: MarkerId(3), components, axes: Axes::World };
        model.forces.push(force("load", kind));
        let found = modes(&format!("bent, {space:?}"), &model, 4, About::Equilibrium);
        assert_eq!(found.stable, Some(true));
        for (mode, square) in found.modes.iter().zip(&squares) {
            // Differences of forces are off by 1e-10 of the largest stiffness, some 1e5 times that of the first mode.
            near("about the bent shape", TAU * mode.frequency, square.sqrt(), 1e-5);
        }
        // A straight one has other frequencies.
        let straight = 1.875_104_068_711_961f64.powi(2) * pace();
        let first = TAU * found.modes[0].frequency / straight - 1.0;
        println!("first mode {first:.3} above that of the straight link");
        assert!(first.abs() > 0.02);
    }
}

fn held_by(link: &Flexible, space: Space) -> Model {
    held(link.clone(), space, [Some(JointKind::Fixed), None])
}
