//! Outputs of the vibrating linkage: places move, links bend; all else is that of the rigid motion.

use nalgebra::{Vector2, Vector6};

use super::assemble::{Axes, Follow, local_displacements, motion_inside};
use super::linkage::Station;
use super::rigid::across;
use super::vibration::Vibration;
use super::{Case, KedQuantity, LoadOf, Side};
use crate::sensor::{
    Component, LinkQuantity, MAX_READ, OutputFormula, PlaceQuantity, SectionQuantity, Sensor,
    Source,
};

/// How an output is found.
pub enum Output {
    /// Number of an output of the rigid run.
    Rigid(usize),
    /// Numbers of x and y, or of one, of the rigid run, to which the vibration adds.
    Place {
        body: usize,
        place: Vector2<f64>,
        quantity: PlaceQuantity,
        rigid: [usize; 2],
    },
    Section {
        link: usize,
        at: Station,
        along: f64,
        quantity: SectionQuantity,
    },
    Link {
        link: usize,
        quantity: LinkQuantity,
    },
    Ked {
        link: usize,
        at: Station,
        along: f64,
        quantity: KedQuantity,
    },
    Formula {
        formula: OutputFormula,
        inputs: Vec<Output>,
    },
}

impl Output {
    /// Of an output; adds what it needs of the rigid run.
    pub fn new(sensor: &Sensor, vibration: &Vibration, rigid: &mut Vec<Sensor>) -> Self {
        let mut add = |sensor: Sensor| {
            rigid.push(sensor);
            rigid.len() - 1
        };
        let linkage = &vibration.linkage;
        let link = |body: usize| linkage.link_of[body + 1];
        match &sensor.source {
            Source::Place(body, frame, quantity) => {
                let (body, place) = (*body, frame.p.xy());
                let mut one =
                    |quantity| add(Sensor::internal(Source::Place(body, *frame, quantity)));
                use Component::{X, Y};
                use PlaceQuantity::*;
                let rigid = match quantity {
                    Position(_) => [one(Position(X)), one(Position(Y))],
                    Velocity(_) => [one(Velocity(X)), one(Velocity(Y))],
                    Acceleration(_) => [one(Acceleration(X)), one(Acceleration(Y))],
                    other => [one(*other); 2],
                };
                Self::Place { body, place, quantity: *quantity, rigid }
            }
            Source::Section(body, along, quantity) => match link(*body) {
                Some(link) => {
                    let (along, quantity) = (*along, *quantity);
                    Self::Section { link, at: linkage.station(link, along), along, quantity }
                }
                None => Self::Rigid(add(sensor.clone())),
            },
            Source::Ked(body, along, quantity) => match link(*body) {
                Some(link) => {
                    let (along, quantity) = (*along, *quantity);
                    Self::Ked { link, at: linkage.station(link, along), along, quantity }
                }
                None => Self::Rigid(add(sensor.clone())),
            },
            Source::Link(body, quantity) => match link(*body) {
                Some(link) => Self::Link { link, quantity: *quantity },
                None => Self::Rigid(add(sensor.clone())),
            },
            Source::Formula(formula) => {
                let inputs = formula.inputs().iter();
                let inputs = inputs.map(|input| Self::new(input, vibration, rigid)).collect();
                Self::Formula { formula: formula.clone(), inputs }
            }
            _ => Self::Rigid(add(sensor.clone())),
        }
    }

    /// Its value where the vibration has just been stepped to a row of the rigid run.
    pub fn value(&self, vibration: &Vibration, row: &[f64], t: f64) -> f64 {
        match self {
            Self::Rigid(i) => row[*i],
            Self::Place { body, place, quantity, rigid } => {
                let moved = moved(vibration, *body, *place);
                of_place(moved, *quantity, rigid.map(|i| row[i]))
            }
            Self::Section { link, at, along, quantity } => {
                of_section(vibration, *link, at, *along, *quantity)
            }
            Self::Link { link, quantity } => of_link(vibration, *link, *quantity),
            Self::Ked { link, at, along, quantity } => {
                of_vibration(vibration, *link, at, *along, *quantity)
            }
            Self::Formula { formula, inputs } => {
                let mut values = [0.0; MAX_READ + 1];
                for (value, input) in values.iter_mut().zip(inputs) {
                    *value = input.value(vibration, row, t);
                }
                values[inputs.len()] = t;
                formula.of_values(&values[..=inputs.len()])
            }
        }
    }
}

fn component(v: Vector2<f64>, which: Component) -> f64 {
    match which {
        Component::X => v.x,
        Component::Y => v.y,
        Component::Z => 0.0,
        Component::Magnitude => v.norm(),
    }
}

/// Displacement and rotation of a place, with first and second rates.
pub fn moved(vibration: &Vibration, body: usize, place: Vector2<f64>) -> [(Vector2<f64>, f64); 3] {
    let (linkage, now) = (&vibration.linkage, vibration.now());
    if body == 0 {
        return [(Vector2::zeros(), 0.0); 3];
    }
    let y = [&vibration.x[..], &vibration.v[..], &vibration.a[..]];
    let (base, offset) = match (linkage.link_of[body], linkage.rigid[body]) {
        (Some(number), _) => {
            let link = &linkage.links[number];
            let along = ((place - link.from).dot(&link.along) / link.length).clamp(0.0, 1.0);
            let on = link.from + link.along * (along * link.length);
            let at = linkage.station(number, along).behind;
            (motion_inside(linkage, at, &now, y), place - on)
        }
        (None, Some(end)) => {
            let mass = linkage.masses.iter().find(|mass| mass.end == end);
            let centre = mass.map_or(Vector2::zeros(), |mass| mass.centre);
            let motion = Follow::of(linkage, &[end], &now, true).motion(y);
            (motion.map(|s| (Vector2::new(s[0], s[1]), s[2])), place - centre)
        }
        (None, None) => return [(Vector2::zeros(), 0.0); 3],
    };
    let motion = &vibration.motions[body];
    let r = motion.turn * offset;
    let (w, alpha) = (motion.omega, motion.alpha);
    let [(u, turn), (rate, spin), (second, spun)] = base;
    [
        (u + across(r) * turn, turn),
        (rate + across(r) * spin - r * (w * turn), spin),
        (
            second + across(r) * spun
                - r * (2.0 * w * spin)
                - (r * alpha + across(r) * (w * w)) * turn,
            spun,
        ),
    ]
}

fn of_place(moved: [(Vector2<f64>, f64); 3], quantity: PlaceQuantity, rigid: [f64; 2]) -> f64 {
    let whole = |level: usize| Vector2::from(rigid) + moved[level].0;
    match quantity {
        PlaceQuantity::Position(c) => component(whole(0), c),
        PlaceQuantity::Velocity(c) => component(whole(1), c),
        PlaceQuantity::Acceleration(c) => component(whole(2), c),
        PlaceQuantity::Angle => rigid[0] + moved[0].1,
        PlaceQuantity::AngularVelocity(_) => rigid[0] + moved[1].1,
        PlaceQuantity::AngularAcceleration(_) => rigid[0] + moved[2].1,
        PlaceQuantity::Orientation(_) => rigid[0],
    }
}

/// Axial strain, curvature and its slope at an element's place.
fn strains(vibration: &Vibration, (element, xi): (usize, f64)) -> [f64; 3] {
    let delta = local_displacements(&vibration.linkage, element, &vibration.now(), &vibration.x);
    vibration.linkage.elements[element].element.strains(&delta, xi)
}

/// The mean of both elements where two meet.
fn mean_strains(vibration: &Vibration, at: &Station) -> [f64; 3] {
    let before = strains(vibration, at.before);
    if at.before == at.behind {
        return before;
    }
    let behind = strains(vibration, at.behind);
    std::array::from_fn(|i| 0.5 * (before[i] + behind[i]))
}

/// Against the chord, in its axes.
pub fn deflection(vibration: &Vibration, link: usize, at: &Station, along: f64) -> Vector2<f64> {
    let one = &vibration.linkage.links[link];
    let last = one.first + one.nodes.len() - 2;
    let local = |(element, xi): (usize, f64)| {
        let delta =
            local_displacements(&vibration.linkage, element, &vibration.now(), &vibration.x);
        let [x, y, _] = vibration.linkage.elements[element].element.displacement(&delta, xi);
        Vector2::new(x, y)
    };
    let (from, here, to) = (local((one.first, 0.0)), local(at.behind), local((last, 1.0)));
    let chord = from * (1.0 - along) + to * along;
    Vector2::new(here.x - from.x, here.y - chord.y)
}

fn of_section(
    vibration: &Vibration,
    link: usize,
    at: &Station,
    along: f64,
    quantity: SectionQuantity,
) -> f64 {
    let section = &vibration.linkage.links[link].flexible.section;
    let bears = || {
        let [strain, curvature, slope] = mean_strains(vibration, at);
        let (axial, bending) = (section.young * section.area, section.young * section.inertia_z);
        [axial * strain, -bending * slope, bending * curvature]
    };
    match quantity {
        SectionQuantity::Deflection(c) => component(deflection(vibration, link, at, along), c),
        SectionQuantity::Strain => mean_strains(vibration, at)[0],
        SectionQuantity::Curvature(2) => mean_strains(vibration, at)[1],
        // The theory has neither shear nor torsion.
        SectionQuantity::Shear(_) | SectionQuantity::Curvature(_) => 0.0,
        SectionQuantity::Force(c) => {
            let [n, q, _] = bears();
            component(Vector2::new(n, q), c)
        }
        SectionQuantity::Moment(Component::Z | Component::Magnitude) => bears()[2],
        SectionQuantity::Moment(_) => 0.0,
        SectionQuantity::Displacement(_) | SectionQuantity::EquivalentPosition(_) => f64::NAN,
        SectionQuantity::Stress => {
            let [n, _, m] = bears();
            let bending = (m * section.fibre_y / section.inertia_z).abs();
            let mean = n / section.area;
            if mean < 0.0 { mean - bending } else { mean + bending }
        }
    }
}

/// What a link shows at its nodes: the largest in magnitude, and where along it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Largest {
    pub stress: (f64, f64),
    pub tension: (f64, f64),
    pub compression: (f64, f64),
    /// Of outer fibres, bending and stretch together.
    pub strain: (f64, f64),
    pub deflection: (f64, f64),
}

/// Largest values at both ends of every element.
pub fn largest(vibration: &Vibration, link: usize) -> Largest {
    let one = &vibration.linkage.links[link];
    let section = &one.flexible.section;
    let axes = Axes::of(one, &vibration.now());
    let end = |node: usize| {
        let (element, side) = if node == 0 { (one.first, 0) } else { (one.first + node - 1, 3) };
        let s = match &vibration.linkage.elements[element].plain {
            Some(map) => Vector2::new(
                map[side].map_or(0.0, |j| vibration.x[j]),
                map[side + 1].map_or(0.0, |j| vibration.x[j]),
            ),
            None => {
                let ends = [one.ends[node]];
                let s = Follow::of(&vibration.linkage, &ends, &vibration.now(), false);
                s.displacements(&vibration.x).xy()
            }
        };
        axes.turn.tr_mul(&s)
    };
    let (first, last) = (end(0), end(one.nodes.len() - 1));
    let mut out = Largest::default();
    let offer = |best: &mut (f64, f64), value: f64, along: f64| {
        if value.abs() > best.0.abs() {
            *best = (value, along);
        }
    };
    for i in 0..one.nodes.len() - 1 {
        let element = one.first + i;
        let delta =
            local_displacements(&vibration.linkage, element, &vibration.now(), &vibration.x);
        for (xi, along) in [(0.0, one.nodes[i]), (1.0, one.nodes[i + 1])] {
            let [strain, curvature, _] =
                vibration.linkage.elements[element].element.strains(&delta, xi);
            let bending = (curvature * section.fibre_y).abs();
            let outer = if strain < 0.0 { strain - bending } else { strain + bending };
            offer(&mut out.strain, outer, along);
            offer(&mut out.stress, outer * section.young, along);
            if strain > 0.0 {
                offer(&mut out.tension, strain, along);
            } else {
                offer(&mut out.compression, strain, along);
            }
        }
        let along = one.nodes[i + 1];
        let chord = first * (1.0 - along) + last * along;
        let away = Vector2::new(delta[3] - first.x, delta[4] - chord.y);
        offer(&mut out.deflection, away.norm(), along);
    }
    out
}

fn of_link(vibration: &Vibration, link: usize, quantity: LinkQuantity) -> f64 {
    let one = &vibration.linkage.links[link];
    let elements = one.first..one.first + one.nodes.len() - 1;
    let local =
        |i: usize| local_displacements(&vibration.linkage, i, &vibration.now(), &vibration.x);
    match quantity {
        LinkQuantity::StrainEnergy => {
            elements.map(|i| vibration.linkage.elements[i].element.strain_energy(&local(i))).sum()
        }
        LinkQuantity::DampingPower => {
            let damping = one.flexible.damping;
            let omega = vibration.motions[one.body].omega;
            let lost = |i: usize| {
                let rate =
                    local_displacements(&vibration.linkage, i, &vibration.now(), &vibration.v);
                let d = local(i);
                // As seen from the axes of the link.
                let rate = rate - Vector6::new(-d[1], d[0], 0.0, -d[4], d[3], 0.0) * omega;
                let e = &vibration.linkage.elements[i].element;
                damping.strain * rate.dot(&(e.stiffness * rate))
                    + damping.mass * rate.dot(&(e.mass * rate))
            };
            elements.map(lost).sum()
        }
        LinkQuantity::LargestStress => largest(vibration, link).stress.0.abs(),
        LinkQuantity::LargestStrain => {
            let all = largest(vibration, link);
            all.tension.0.abs().max(all.compression.0.abs())
        }
        LinkQuantity::LargestDeflection => largest(vibration, link).deflection.0,
    }
}

fn of_vibration(
    vibration: &Vibration,
    link: usize,
    at: &Station,
    along: f64,
    quantity: KedQuantity,
) -> f64 {
    let one = &vibration.linkage.links[link];
    let y = [&vibration.x[..], &vibration.v[..], &vibration.a[..]];
    let motion = || motion_inside(&vibration.linkage, at.behind, &vibration.now(), y);
    match quantity {
        KedQuantity::Displacement(c) => component(motion()[0].0, c),
        KedQuantity::Rotation => motion()[0].1,
        KedQuantity::BendingStrain(side) => {
            let [_, curvature, _] = match side {
                Side::Mean => mean_strains(vibration, at),
                Side::Before => strains(vibration, at.before),
                Side::Behind => strains(vibration, at.behind),
            };
            one.flexible.section.fibre_y * curvature
        }
        KedQuantity::NodalForce(_) | KedQuantity::NodalMoment => {
            let force = nodal_force(vibration, link, vibration.linkage.node(link, along));
            match quantity {
                KedQuantity::NodalForce(c) => component(force.xy(), c),
                _ => force.z,
            }
        }
        KedQuantity::InertiaLoad(of, _) | KedQuantity::InertiaMoment(of) => {
            let load = inertia_load(vibration, link, vibration.linkage.node(link, along), of);
            match quantity {
                KedQuantity::InertiaLoad(_, c) => component(load.xy(), c),
                _ => load.z,
            }
        }
    }
}

/// K δ at a node: force and moment that what lies beyond the node has on the element before it, in world axes.
fn nodal_force(vibration: &Vibration, link: usize, node: usize) -> nalgebra::Vector3<f64> {
    let one = &vibration.linkage.links[link];
    let axes = Axes::of(one, &vibration.now());
    let (element, side, sign) = match node {
        0 => (one.first, 0, -1.0),
        _ => (one.first + node - 1, 3, 1.0),
    };
    let delta = local_displacements(&vibration.linkage, element, &vibration.now(), &vibration.x);
    let e = &vibration.linkage.elements[element].element;
    let force = axes.to_world(&((e.stiffness + e.geometric * vibration.axial[element]) * delta));
    force.fixed_rows::<3>(side) * sign
}

/// Load of the rigid motion at a node by the elements and lumps of a link, in world axes.
fn inertia_load(
    vibration: &Vibration,
    link: usize,
    node: usize,
    of: LoadOf,
) -> nalgebra::Vector3<f64> {
    let one = &vibration.linkage.links[link];
    let now = vibration.now();
    let axes = Axes::of(one, &now);
    let by_case = |case: Case| {
        let mut sum = nalgebra::Vector3::zeros();
        for (i, side) in [(node.checked_sub(1), 3), (Some(node), 0)] {
            let Some(i) = i.filter(|i| *i < one.nodes.len() - 1) else { continue };
            let load = vibration.linkage.elements[one.first + i].load(one, case, &now, &axes);
            sum += axes.to_world(&load).fixed_rows::<3>(side);
        }
        for mass in &vibration.linkage.masses {
            let here =
                mass.on.is_some_and(|(l, s)| l == link && vibration.linkage.node(l, s) == node);
            if here {
                sum += mass.load(case, &now).fixed_rows::<3>(0);
            }
        }
        sum
    };
    match of {
        LoadOf::Own => by_case(vibration.spec.case),
        LoadOf::Case(case) => by_case(case),
    }
}
