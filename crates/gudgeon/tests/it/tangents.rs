//! Analytic derivatives of the equations of motion against differences of the equations, for every
//! joint, force and contact at random states.
//!
//! Differences are of fourth order (`states::slope`): about 1e-11 of quantities of order one, 1e-8 near
//! poles of angles and small distances. Tolerances are 1e-7 of the size of a matrix. The forward
//! differences that stand in for tangents are held to 1e-5: half of the digits.

use crate::common::contacts::*;
use crate::common::films::{filled, films, finite_films, inside};
use crate::common::kinds::*;
use crate::common::spatial::*;
use crate::common::states::*;
use crate::common::*;
use gudgeon::film::{FilmModel, Lubricant, Supply};
use gudgeon::formula::{Formula, Site, Smooth, Step};
use gudgeon::friction::{FrictionLaw, JointFriction};
use gudgeon::model::*;
use gudgeon::reading::Reading;
use gudgeon::system::{Plant, System};
use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Differences, ImplicitDae, Place, SecondOrderDae, Terms};
use nalgebra::{Matrix6, Vector3};

pub const NEAR: f64 = 1e-7;
pub const NEAR_FORWARD: f64 = 1e-5;

/// Steps are 2e-3 of the clearance of a contact. Films have steep higher derivatives, and those on a grid
/// a bend wherever a node turns wet or dry, so near each other that only short steps miss them.
fn step(system: &System) -> f64 {
    match system.films.first().map(|film| &film.lubricant.film.model) {
        None => 1e-4,
        Some(FilmModel::Finite(_)) => 1e-8,
        Some(_) => 1e-5,
    }
}

/// Entries of a matrix are those of columns found by differences, and nothing is outside its places.
fn compare(found: &Entries, columns: &[Vec<f64>], near: f64, what: &str) {
    let mut full = vec![vec![0.0; found.rows()]; found.columns()];
    found.iter().for_each(|(i, j, value)| full[j][i] = value);
    let size = columns.iter().flatten().fold(1.0f64, |size, x| size.max(x.abs()));
    for (j, (found, numeric)) in full.iter().zip(columns).enumerate() {
        for (i, (found, numeric)) in found.iter().zip(numeric).enumerate() {
            let off = (found - numeric).abs();
            assert!(off <= near * size, "{what} ({i}, {j}): {found} is not {numeric}");
        }
    }
}

/// A column by differences of a vector.
fn column(step: f64, n: usize, mut at: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let mut side = |by: f64| at(by);
    let values = [-2.0, -1.0, 1.0, 2.0].map(|k| side(k * step));
    let of =
        |k: f64, i: usize| values[if k < 0.0 { (k + 2.0) as usize } else { (k + 1.0) as usize }][i];
    (0..n).map(|i| slope_over(1.0, |k| of(k, i)) / step).collect()
}

/// K, D and B of a plant at a state with random reactions.
pub fn check(plant: &mut Plant, t: f64, y: &[f64], random: &mut Random, what: &str) {
    check_to(NEAR, NEAR_FORWARD, plant, t, y, random, what);
}

/// The same, by central and by forward differences to these shares.
pub fn check_to(
    near: f64,
    forward: f64,
    plant: &mut Plant,
    t: f64,
    y: &[f64],
    random: &mut Random,
    what: &str,
) {
    let system = plant.system;
    let step = step(system);
    plant.keep_plain_time();
    let dims = plant.dims();
    let acceleration = random.vector(dims.v, 1.0);
    let lambda = random.vector(dims.rows, 1.0);
    let mut found = plant.blank_tangents();
    let at = Place { t, y, acceleration: &acceleration, lambda: &lambda };
    assert!(plant.tangents(at, &mut found).unwrap());
    let (mut scales, mut by_differences) = (vec![0.0; y.len()], found.clone());
    plant.raise_scales(y, &mut scales);
    Differences::new(plant).take(plant, at, &scales, &mut by_differences).unwrap();
    let mut terms: Terms = plant.blank_terms();
    let mut evaluate = |y: &[f64]| {
        plant.terms(t, y, &lambda, &mut terms).unwrap();
        let mut motion: Vec<f64> = terms.force.iter().map(|f| -f).collect();
        terms.mass.add_product(1.0, &acceleration, &mut motion);
        terms.rows.add_transposed(1.0, &lambda, &mut motion);
        let mut velocity = terms.drives.clone();
        terms.rows.add_product(1.0, velocities(system, y), &mut velocity);
        [motion, velocity]
    };
    let mut columns = [Vec::new(), Vec::new(), Vec::new()];
    for k in 0..dims.v {
        let mut moved = |by: f64| evaluate(&displaced(system, y, &unit(system, k), by));
        columns[0].push(column(step, dims.v, |by| moved(by)[0].clone()));
        columns[1].push(column(step, dims.rows, |by| moved(by)[1].clone()));
        let mut faster = |by: f64| {
            let mut y = y.to_vec();
            y[dims.q + k] += by;
            evaluate(&y)[0].clone()
        };
        columns[2].push(column(step, dims.v, &mut faster));
    }
    compare(&found.stiffness, &columns[0], near, &format!("{what}: K"));
    compare(&found.rate_jacobian, &columns[1], near, &format!("{what}: B"));
    compare(&found.damping, &columns[2], near, &format!("{what}: D"));
    compare(&by_differences.stiffness, &columns[0], forward, &format!("{what}: K by differences"));
    compare(
        &by_differences.rate_jacobian,
        &columns[1],
        forward,
        &format!("{what}: B by differences"),
    );
    compare(&by_differences.damping, &columns[2], forward, &format!("{what}: D by differences"));
}

#[test]
fn rows_turn_as_their_derivatives_say() {
    let mut random = Random(31);
    for (name, model) in constrained() {
        let system = System::compile(&model).unwrap();
        let mut plant = Plant::new(&system);
        for _ in 0..2 {
            let y = random_state(&system, &mut random, 2.0);
            let t = random.between(0.0, 3.0);
            check(&mut plant, t, &y, &mut random, &name);
        }
    }
}

/// Every applied force.
fn forces() -> Vec<ForceKind> {
    let (a, b) = (MarkerId(1), MarkerId(2));
    let point = |axes| ForceKind::Point {
        at: b,
        components: [swing(0.2, 1.5, 2.2), swing(0.5, 0.3, 1.0), swing(0.0, 1.0, 0.4)],
        axes,
    };
    let mut forces = vec![
        point(Axes::World),
        point(Axes::Body),
        ForceKind::Torque { on: b, against: a, torque: swing(0.2, 1.5, 2.2) },
        ForceKind::Spring { a, b, stiffness: 3.0, damping: 0.7, free_length: 0.4 },
        ForceKind::Spring { a: MarkerId(0), b, stiffness: 3.0, damping: 0.7, free_length: 0.4 },
        ForceKind::TorsionSpring { a, b, stiffness: 2.0, damping: 0.3, free_angle: 0.5 },
    ];
    let any = |shift: f64| Matrix6::from_fn(|i, j| ((i * 7 + j * 3) as f64 + shift).sin());
    let matrix = |shift: f64| Box::new(any(shift) * any(shift).transpose());
    let (stiffness, damping) = (matrix(0.3), matrix(1.1));
    forces.push(ForceKind::Bushing { a, b, stiffness, damping });
    let (stiffness, damping) = (Box::new(any(0.3)), Box::new(any(1.1)));
    forces.push(ForceKind::Bushing { a, b, stiffness, damping });
    forces
}

#[test]
fn applied_forces_change_as_their_derivatives_say() {
    let mut random = Random(37);
    for space in [Space::Planar, Space::Spatial] {
        for kind in forces() {
            let mut model = two_free(space);
            model.gravity = Vector3::new(0.4, -9.81, 0.0);
            model.forces.push(force("force", kind.clone()));
            let natural = in_natural_coordinates("natural", &model).map(|(_, model)| model);
            let natural = natural.into_iter().filter(|_| space == Space::Spatial);
            for model in std::iter::once(model).chain(natural) {
                let system = System::compile(&model).unwrap();
                let mut plant = Plant::new(&system);
                for _ in 0..10 {
                    let y = random_state(&system, &mut random, 2.0);
                    check(&mut plant, 0.7, &y, &mut random, &format!("{kind:?}"));
                }
            }
        }
    }
}

#[test]
fn contacts_change_as_their_derivatives_say() {
    let mut random = Random(41);
    for normal in normal_laws().into_iter().chain([formula_normal()]) {
        for friction in FRICTIONS.into_iter().chain([Some(formula_friction())]) {
            let rubs = friction.clone();
            at_pressed_states(normal.clone(), rubs, 43, |plant, contact, y| {
                // Away from the edges of the friction zones, where the slopes jump.
                let g = plant.contact_geometry(contact, 0.0, y);
                let edges = friction.as_ref().map_or([1e9; 2], |law| match law {
                    FrictionLaw::Zoned(law) => law.edges().into(),
                    _ => [1e9; 2],
                });
                let near = |edge: f64| (g.sliding.abs() - edge).abs() < 2e-3 * edge.max(0.1);
                if edges.into_iter().any(near) || g.sliding.abs() < 0.05 {
                    return;
                }
                let what = format!("{:?} {friction:?}", plant.system.contacts[contact].spot);
                check(plant, 0.0, y, &mut random, &what);
            });
        }
    }
}

/// Friction by the velocity of the centres (bai Eq. 7), of every round spot.
#[test]
fn friction_of_centres_changes_as_its_derivatives_say() {
    let mut random = Random(47);
    let (normal, law) = (&normal_laws()[0], &FRICTIONS[2]);
    let centres = |mut model: Model| {
        let play = model.joints.last_mut().and_then(|joint| joint.clearance.as_mut()).unwrap();
        play.slides = Slides::Centres;
        model
    };
    at_pressed_states_of(normal.clone(), law.clone(), 53, centres, |plant, contact, y| {
        let g = plant.contact_geometry(contact, 0.0, y);
        let Some(FrictionLaw::Zoned(law)) = law else { unreachable!("a law in zones") };
        let edges: [f64; 2] = law.edges().into();
        let near = |edge: f64| (g.sliding.abs() - edge).abs() < 2e-3 * edge.max(0.1);
        if edges.into_iter().any(near) || g.sliding.abs() < 0.05 || !g.round {
            return;
        }
        let what = format!("{:?}", plant.system.contacts[contact].spot);
        check(plant, 0.0, y, &mut random, &what);
    });
}

/// Derivatives of a film between two bodies that both move and turn.
fn check_film(lubricant: &Lubricant, near: f64, forward: f64, random: &mut Random, count: usize) {
    check_film_of(lubricant, |model| model, near, forward, random, count);
}

/// The same after a change of the model.
pub fn check_film_of(
    lubricant: &Lubricant,
    changed: impl Fn(Model) -> Model,
    near: f64,
    forward: f64,
    random: &mut Random,
    count: usize,
) {
    for space in [Space::Planar, Space::Spatial] {
        let system = System::compile(&changed(filled(space, lubricant))).unwrap();
        let mut plant = Plant::new(&system);
        let reach = if lubricant.hybrid { 0.95 } else { 0.7 };
        for _ in 0..count {
            let y = inside(&system, random, reach);
            if lubricant.hybrid {
                in_contact(&mut plant, 0, &y);
            }
            plant.evaluate(0.0, &y).unwrap();
            if lubricant.hybrid && bends(&plant) {
                continue;
            }
            let what = format!("{space:?} {:?} {}", lubricant.film.model, lubricant.hybrid);
            check_to(near, forward, &mut plant, 0.0, &y, random, &what);
        }
    }
}

/// Whether the share of a hybrid film bends here: where it begins, ends, or changes its end.
fn bends(plant: &Plant) -> bool {
    let now = &plant.work.films[0].now;
    let [a, w] = now.state.place.map(|e| e.norm() / GAP);
    let places = [(now.eccentricity, 0.6), (now.eccentricity, 1.0), (a, w)];
    let aligned = plant.system.model.space == Space::Planar;
    places[..3 - usize::from(aligned)].iter().any(|(x, bend)| (x - bend).abs() < 1e-3)
}

/// Forward differences see a quadrature's last digits: 1e-12 over steps of 1e-8.
#[test]
fn films_change_as_their_derivatives_say() {
    let mut random = Random(47);
    for lubricant in films() {
        check_film(&lubricant, NEAR, 10.0 * NEAR_FORWARD, &mut random, 20);
    }
}

/// On even lines the derivatives are those of the discrete film; on drawn lines the drawing is left out:
/// there slopes are good to some parts in a hundred (`FiniteFilm::fine`).
#[test]
fn finite_films_change_as_their_derivatives_say() {
    let mut random = Random(59);
    for (draw, near) in [(0.0, [1e-6, 1e-6, 1e-6]), (0.75, [5e-2, 5e-2, 0.1])] {
        for lubricant in finite_films(draw) {
            let FilmModel::Finite(film) = &lubricant.film.model else { unreachable!() };
            let near = match film.supply {
                Supply::WidestGap => near[0],
                Supply::None => near[1],
                Supply::Grooves(_) => near[2],
            };
            check_film(&lubricant, near, near + 1e-4, &mut random, 4);
        }
    }
}

pub fn bristles() -> FrictionLaw {
    FrictionLaw::LuGre {
        mu_s: 0.4,
        mu_k: 0.25,
        v_s: 0.8,
        sigma0: 3.0,
        sigma1: 0.2,
        sigma2: 0.1,
        fading: Some(1.5),
    }
}

/// Every joint that can rub, with a law of bristles and one of speed.
pub fn rubbing() -> Vec<(String, Model)> {
    let sliding = FrictionLaw::Stribeck { mu_s: 0.4, mu_k: 0.25, v_s: 0.8, v_t: 0.3 };
    let mut models = Vec::new();
    for space in [Space::Planar, Space::Spatial] {
        for kind in kinds(space) {
            for law in [bristles(), sliding.clone(), formula_friction()] {
                let mut model = two_free(space);
                let mut joint = joint("joint", kind, 1, 2);
                let (radius, thrust_radius) = (0.3, 0.2);
                let (length, preload) = (Some(0.5), 0.7);
                let name = format!("{space:?} {kind:?} {law:?}");
                let friction = JointFriction { law, radius, thrust_radius, length, preload };
                joint.friction = Some(friction.clone());
                if gudgeon::friction::surfaces(kind, space, &friction).is_empty() {
                    continue;
                }
                model.joints.push(joint);
                if space == Space::Spatial {
                    models.extend(in_natural_coordinates(&name, &model));
                }
                models.push((name, model));
            }
        }
    }
    models
}

#[test]
fn friction_changes_as_its_derivatives_say() {
    // Against forward differences, which are good to the root of rounding times what is compared.
    let mut random = Random(61);
    for (name, model) in rubbing() {
        let system = System::compile(&model).unwrap();
        let mut plant = Plant::new(&system);
        plant.keep_plain_time();
        for _ in 0..3 {
            let mut y = random_state(&system, &mut random, 2.0);
            bend(&system, &mut y, &mut random);
            plant.find_modes(0.0, &y);
            check_states(&mut plant, &y, &mut random, &name);
        }
    }
}

#[test]
fn bristles_of_contacts_change_as_their_derivatives_say() {
    let mut random = Random(67);
    at_pressed_states(normal_laws()[0].clone(), Some(bristles()), 71, |plant, contact, y| {
        plant.keep_plain_time();
        let mut y = y.to_vec();
        bend(plant.system, &mut y, &mut random);
        let what = format!("{:?}", plant.system.contacts[contact].spot);
        check_states(plant, &y, &mut random, &what);
    });
}

/// Random bristles.
pub fn bend(system: &System, y: &mut [f64], random: &mut Random) {
    let states = &mut y[system.layout.bristles..system.layout.drivers];
    states.copy_from_slice(&random.vector(states.len(), 0.1));
}

/// All derivatives with states and reactions against forward differences.
pub fn check_states(plant: &mut Plant, y: &[f64], random: &mut Random, name: &str) {
    let dims = plant.dims();
    let (acceleration, lambda) = (random.vector(dims.v, 1.0), random.vector(dims.rows, 1.0));
    let at = Place { t: 0.0, y, acceleration: &acceleration, lambda: &lambda };
    let mut found = plant.blank_tangents();
    assert!(plant.tangents(at, &mut found).unwrap());
    let mut numeric = found.clone();
    let scales = vec![1.0; y.len()];
    Differences::new(plant).take(plant, at, &scales, &mut numeric).unwrap();
    let pairs = [
        (&found.stiffness, &numeric.stiffness, "K"),
        (&found.damping, &numeric.damping, "D"),
        (&found.coupling, &numeric.coupling, "−∂f/∂z"),
        (&found.reactions, &numeric.reactions, "−∂f/∂λ"),
        (&found.rates_q, &numeric.rates_q, "∂h/∂q"),
        (&found.rates_v, &numeric.rates_v, "∂h/∂v"),
        (&found.rates_z, &numeric.rates_z, "∂h/∂z"),
    ];
    for (found, numeric, which) in pairs {
        let size = numeric.values.iter().fold(1.0f64, |size, x| size.max(x.abs()));
        for (a, b) in found.values.iter().zip(&numeric.values) {
            assert!((a - b).abs() < 1e-5 * size, "{name}: {which}: {a} is not {b}");
        }
    }
}

/// f = 0.4 + Σ aᵢ sin(xᵢ) + x₀ x₁ |x₂| of all inputs.
fn formula(inputs: usize) -> Formula {
    let mut f = Formula::default();
    let x: Vec<_> = (0..inputs as u32).map(|i| f.push(Step::Input(i))).collect();
    let site = f.push_site(Site::Sign(x[2 % inputs]));
    let minus = f.push(Step::Scale(-1.0, x[2 % inputs]));
    let magnitude = f.push(Step::Choose(site, x[2 % inputs], minus));
    let product = f.push(Step::Multiply(x[0], x[1 % inputs]));
    let mut sum = f.push(Step::Multiply(product, magnitude));
    for (i, x) in x.into_iter().enumerate() {
        let sine = f.push(Step::Smooth(Smooth::Sin, x));
        let term = f.push(Step::Scale(0.3 + 0.1 * i as f64, sine));
        sum = f.push(Step::Add(sum, term));
    }
    f.push(Step::Shift(0.4, sum));
    f
}

/// Outputs that loads may read, of a mechanism of two bodies with a joint and springs.
pub fn readable(space: Space) -> Vec<[&'static str; 3]> {
    let mut names = vec![
        ["a.position.x", "b.centre.velocity.y", "b.velocity"],
        ["joint.angle", "joint.speed", "b.position"],
        ["spring.length", "spring.length_rate", "a.velocity.x"],
        ["torsion.angle", "torsion.angular_velocity", "joint.eccentricity.x"],
        ["joint.eccentricity", "joint.eccentricity.y", "b.position.y"],
    ];
    match space {
        Space::Planar => names.push(["a.angle", "b.angular_velocity", "a.velocity"]),
        Space::Spatial => {
            names.push(["ball.angle_x", "ball.angle_y_rate", "a.angular_velocity.z"]);
            names.push(["a.angular_velocity", "b.position.z", "ball.angle_z"]);
        }
    }
    names
}

/// Every parameter of every force, as a function of the state.
fn varying() -> Vec<(ForceKind, ForceParameter)> {
    use ForceParameter::*;
    let mut all = Vec::new();
    for kind in forces() {
        let parameters: &[ForceParameter] = match kind {
            ForceKind::Point { .. } | ForceKind::Distributed { .. } => {
                &[Component(0), Component(1)]
            }
            ForceKind::Torque { .. } => &[Torque],
            ForceKind::Spring { .. } | ForceKind::TorsionSpring { .. } => {
                &[Stiffness, Damping, Free]
            }
            ForceKind::Bushing { .. } => &[StiffnessEntry(0, 1), DampingEntry(1, 5)],
        };
        all.extend(parameters.iter().map(|parameter| (kind.clone(), *parameter)));
    }
    all
}

/// A spring whose stiffness follows outputs.
pub fn follows(model: Model, names: [&str; 3]) -> Model {
    let (a, b) = (MarkerId(1), MarkerId(2));
    let kind = ForceKind::Spring { a, b, stiffness: 3.0, damping: 0.7, free_length: 0.4 };
    follows_by(model, (kind, ForceParameter::Stiffness), names)
}

/// A load with a parameter that follows outputs.
fn follows_by(
    mut model: Model,
    (kind, parameter): (ForceKind, ForceParameter),
    names: [&str; 3],
) -> Model {
    let (a, b) = (MarkerId(1), MarkerId(2));
    let spring = ForceKind::Spring { a, b, stiffness: 1.0, damping: 0.0, free_length: 0.3 };
    let torsion = ForceKind::TorsionSpring { a, b, stiffness: 1.0, damping: 0.2, free_angle: 0.1 };
    model.forces.push(force("load", kind));
    model.forces.push(force("spring", spring));
    model.forces.push(force("torsion", torsion));
    let readings = names.map(|name| {
        let sensor = gudgeon::sensor::resolve(&model, name).unwrap();
        Reading::of(&sensor, &mut model).unwrap()
    });
    let function = StateFunction {
        name: "load".into(),
        formula: formula(4),
        readings: readings.into_iter().chain([Reading::TIME]).collect(),
    };
    model.functions.push(function);
    model.varying.push(Varying { force: ForceId(0), parameter, function: FunctionId(0) });
    model
}

#[test]
fn functions_of_the_state_change_as_their_derivatives_say() {
    let mut random = Random(73);
    for space in [Space::Planar, Space::Spatial] {
        for (k, (kind, parameter)) in varying().into_iter().enumerate() {
            for names in readable(space) {
                let mut model = two_free(space);
                let (a, b) = (MarkerId(1), MarkerId(2));
                model.joints.push(Joint::new("joint", JointKind::Revolute, MarkerId(3), b));
                if space == Space::Spatial {
                    model.joints.push(Joint::new("ball", JointKind::Spherical, a, MarkerId(4)));
                }
                let model = follows_by(model, (kind.clone(), parameter), names);
                let natural = in_natural_coordinates("natural", &model).map(|(_, model)| model);
                let natural = natural.into_iter().filter(|_| space == Space::Spatial && k % 3 == 0);
                for model in std::iter::once(model).chain(natural) {
                    let system = System::compile(&model).unwrap();
                    let mut plant = Plant::new(&system);
                    let mut y = random_state(&system, &mut random, 1.0);
                    // Turns are counted from where the angles are, so that none jumps by a turn.
                    y[system.layout.turns..].fill(0.0);
                    plant.place(0.7, &y);
                    y[system.layout.turns..].copy_from_slice(&plant.work.turns);
                    plant.find_modes(0.7, &y);
                    let what = format!("{space:?} {kind:?} {parameter:?} {names:?}");
                    check(&mut plant, 0.7, &y, &mut random, &what);
                }
            }
        }
    }
}
