//! A planar linkage as frame elements, masses and coordinates of its vibration.

use nalgebra::Vector2;

use super::assemble::WIDE;
use super::element::Element;
use super::order::{half_width, numbers};
use super::topology::{End, GROUND, Held, Solved, Topology};
use super::{KedSpec, Unsuited};
use crate::flexible::Flexible;
use crate::model::{Coordinate, Force, ForceKind, JointKind, MarkerId, Model, Space};

/// What vibrates. Bodies are numbered as in the model.
#[derive(Debug)]
pub struct Linkage {
    /// Coordinates, and how far apart those of one element are at most.
    pub coordinates: usize,
    pub half_width: usize,
    pub links: Vec<Link>,
    pub elements: Vec<LinkElement>,
    pub masses: Vec<Mass>,
    pub ends: Vec<End>,
    /// Bodies whose rigid motion is needed.
    pub bodies: Vec<usize>,
    /// By body: where the vibration moves it, if it is rigid; and of which link it is.
    pub rigid: Vec<Option<usize>>,
    pub link_of: Vec<Option<usize>>,
    /// Joints whose sides turn as one in the vibration.
    pub locked: Vec<usize>,
}

/// A link that bends.
#[derive(Debug)]
pub struct Link {
    pub body: usize,
    pub flexible: Box<Flexible>,
    /// Share of the length at every node, and its end.
    pub nodes: Vec<f64>,
    pub ends: Vec<usize>,
    /// Its first element; the others follow.
    pub first: usize,
    pub length: f64,
    /// Start of the line and direction along it, in own axes.
    pub from: Vector2<f64>,
    pub along: Vector2<f64>,
}

/// An element of a link between two ends.
#[derive(Debug)]
pub struct LinkElement {
    pub link: usize,
    pub element: Element,
    pub ends: [usize; 2],
    /// Coordinates of its six displacements, where each is one or none.
    pub plain: Option<[Option<usize>; 6]>,
    /// Where it begins, in own axes of the body.
    pub place: Vector2<f64>,
    /// All coordinates that move it.
    pub group: Vec<usize>,
}

/// A rigid body, or a lump on a link.
#[derive(Debug)]
pub struct Mass {
    /// Motion of its mass centre.
    pub end: usize,
    /// Coordinates of its displacements and rotation, where each is one or none.
    pub plain: Option<[Option<usize>; 3]>,
    pub body: usize,
    /// Mass centre in own axes of the body.
    pub centre: Vector2<f64>,
    pub mass: f64,
    pub inertia: f64,
    /// Of a lump: link and share of its length.
    pub on: Option<(usize, f64)>,
}

/// A place of a link: its element and the place in it, 0 … 1; two where elements meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    pub before: (usize, f64),
    pub behind: (usize, f64),
}

impl Linkage {
    /// Of a model whose links were taken out of their bodies ([`Model::divided`]).
    pub fn new(model: &Model, spec: &KedSpec) -> Result<Self, Vec<Unsuited>> {
        let mut builder = Builder::new(model)?;
        builder.joints(spec)?;
        builder.finish().map_err(|unsuited| vec![unsuited])
    }

    /// Where a share of the length of a link is.
    pub fn station(&self, link: usize, along: f64) -> Station {
        let link = &self.links[link];
        let last = link.nodes.len() - 2;
        let behind =
            link.nodes[1..last + 1].iter().take_while(|node| **node <= along + 1e-9).count();
        let before =
            link.nodes[1..last + 1].iter().take_while(|node| **node < along - 1e-9).count();
        let place = |i: usize| {
            let (a, b) = (link.nodes[i], link.nodes[i + 1]);
            (link.first + i, ((along - a) / (b - a)).clamp(0.0, 1.0))
        };
        Station { before: place(before), behind: place(behind) }
    }

    /// The node nearest to a share of the length.
    pub fn node(&self, link: usize, along: f64) -> usize {
        let nodes = self.links[link].nodes.iter().enumerate();
        let nearest =
            nodes.min_by(|(_, a), (_, b)| (*a - along).abs().total_cmp(&(*b - along).abs()));
        nearest.map_or(0, |(i, _)| i)
    }
}

/// The plane part of a vector.
pub fn plane(v: nalgebra::Vector3<f64>) -> Vector2<f64> {
    Vector2::new(v.x, v.y)
}

struct Builder<'m> {
    model: &'m Model,
    topology: Topology,
    /// By body: its piece, of a link those of its nodes.
    pieces: Vec<Vec<usize>>,
    /// By body: shares of the length of its nodes.
    nodes: Vec<Vec<f64>>,
    locked: Vec<usize>,
}

impl<'m> Builder<'m> {
    fn new(model: &'m Model) -> Result<Self, Vec<Unsuited>> {
        let faults = unsuited(model);
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut topology = Topology::new();
        let (mut pieces, mut nodes) = (vec![vec![GROUND]], vec![Vec::new()]);
        for (body, one) in model.bodies.iter().enumerate().skip(1) {
            let Some(link) = link_of(model, body) else {
                pieces.push(vec![topology.piece(body, &one.name)]);
                nodes.push(Vec::new());
                continue;
            };
            let shares = shares(model, body, link);
            let own = shares.iter().map(|share| {
                let piece = topology.piece(body, &one.name);
                topology.site(piece, plane(link.place_at(*share)));
                piece
            });
            pieces.push(own.collect());
            nodes.push(shares);
        }
        Ok(Self { model, topology, pieces, nodes, locked: Vec::new() })
    }

    /// The piece that a marker is on, and its place there.
    fn place(&self, marker: MarkerId) -> (usize, Vector2<f64>) {
        let marker = &self.model.markers[marker.0];
        let body = marker.body.0;
        let node = link_of(self.model, body).map_or(0, |link| {
            let along = link.nearest(&marker.local.p);
            let near = |i: &usize| (self.nodes[body][*i] - along).abs();
            let all = 0..self.nodes[body].len();
            all.min_by(|a, b| near(a).total_cmp(&near(b))).unwrap_or(0)
        });
        (self.pieces[body][node], plane(marker.local.p))
    }

    fn joints(&mut self, spec: &KedSpec) -> Result<(), Vec<Unsuited>> {
        let mut faults = Vec::new();
        for (i, joint) in self.model.joints.iter().enumerate() {
            let [(a, at), (b, on)] = [self.place(joint.a), self.place(joint.b)];
            let (p, q) = (self.topology.site(a, at), self.topology.site(b, on));
            let driver = self.model.drivers.iter().find(|driver| driver.joint.0 == i);
            match joint.kind {
                JointKind::Revolute => self.topology.join(p, q),
                JointKind::Fixed => {
                    self.topology.join(p, q);
                    self.topology.lock(a, b);
                }
                _ => {
                    let turns = joint.kind == JointKind::PointOnLine;
                    let slid = driver.is_some_and(|driver| driver.coordinate == Coordinate::X);
                    let held = match slid {
                        true => Held::Fixed,
                        false => Held::Guided(self.direction(joint.a)),
                    };
                    let moving = if a == GROUND { q } else { p };
                    if !self.topology.hold(moving, held) {
                        faults.push(Unsuited {
                            owner: joint.name.clone(),
                            why: "guides a point that another guide holds already".to_owned(),
                            help: "join them by a body of their own",
                        });
                    }
                    if !turns {
                        self.topology.lock(a, b);
                    }
                }
            }
            let driven = driver.is_some_and(|driver| driver.coordinate.is_angle());
            let actuated = || self.model.forces.iter().any(|force| self.turns(force, i));
            if (driven && spec.clamp_driven) || (!driven && spec.lock_actuated && actuated()) {
                self.topology.lock(a, b);
                self.locked.push(i);
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Whether a torque acts between the two sides of a joint: a motor in it.
    fn turns(&self, force: &Force, joint: usize) -> bool {
        let body = |marker: MarkerId| self.model.markers[marker.0].body;
        let joint = &self.model.joints[joint];
        let sides = (body(joint.a), body(joint.b));
        match force.kind {
            ForceKind::Torque { on, against, .. } if joint.kind == JointKind::Revolute => {
                let acts = (body(against), body(on));
                acts == sides || (acts.1, acts.0) == sides
            }
            _ => false,
        }
    }

    /// Direction of a guide on the ground.
    fn direction(&self, marker: MarkerId) -> Vector2<f64> {
        plane(self.model.markers[marker.0].local.r.column(0).into_owned()).normalize()
    }

    fn finish(self) -> Result<Linkage, Unsuited> {
        let Self { model, topology, pieces, nodes, locked } = self;
        let mut solved = topology.solve()?;
        let mut linkage = gather(model, &solved, &pieces, &nodes);
        let groups = |linkage: &Linkage| -> Vec<Vec<usize>> {
            let of_elements = linkage.elements.iter().map(|e| e.group.clone());
            of_elements
                .chain(linkage.masses.iter().map(|mass| linkage.group(&[mass.end])))
                .collect()
        };
        solved.renumber(&numbers(solved.count, &groups(&linkage)));
        linkage = gather(model, &solved, &pieces, &nodes);
        let groups = groups(&linkage);
        linkage.half_width = half_width(&groups);
        if groups.iter().any(|group| group.len() > WIDE) {
            return Err(Unsuited {
                owner: String::new(),
                why: format!(
                    "more than {WIDE} coordinates meet at one element, by a chain of rigid bodies"
                ),
                help: "give some of these bodies a `flexible` table",
            });
        }
        linkage.locked = locked;
        Ok(linkage)
    }
}

impl Linkage {
    /// Coordinates that move some ends.
    fn group(&self, ends: &[usize]) -> Vec<usize> {
        let mut group = Vec::new();
        for end in ends {
            let end = &self.ends[*end];
            group.extend(end.base.iter().map(|(_, i)| *i));
            group.extend(end.arms.iter().map(|arm| arm.rotation));
            group.extend(end.rotation);
        }
        group.sort_unstable();
        group.dedup();
        group
    }
}

/// Everything by the coordinates it has.
fn gather(model: &Model, solved: &Solved, pieces: &[Vec<usize>], nodes: &[Vec<f64>]) -> Linkage {
    let mut all = Linkage {
        coordinates: solved.count,
        half_width: 0,
        links: Vec::new(),
        elements: Vec::new(),
        masses: Vec::new(),
        ends: Vec::new(),
        bodies: (1..model.bodies.len()).collect(),
        rigid: vec![None; model.bodies.len()],
        link_of: vec![None; model.bodies.len()],
        locked: Vec::new(),
    };
    for (body, one) in model.bodies.iter().enumerate().skip(1) {
        match link_of(model, body) {
            Some(link) => add_link(&mut all, solved, (body, link), (&pieces[body], &nodes[body])),
            None => {
                let centre = plane(one.centre);
                all.ends.push(solved.end(pieces[body][0], centre));
                let end = all.ends.len() - 1;
                all.rigid[body] = Some(end);
                let mass = one.mass.unwrap_or(0.0);
                let inertia = one.inertia.map_or(0.0, |j| j[(2, 2)]);
                let plain = all.ends[end].plain();
                all.masses.push(Mass { end, plain, body, centre, mass, inertia, on: None });
            }
        }
    }
    all
}

fn add_link(
    all: &mut Linkage,
    solved: &Solved,
    (body, link): (usize, &Flexible),
    (pieces, nodes): (&[usize], &[f64]),
) {
    let number = all.links.len();
    all.link_of[body] = Some(number);
    let (first, first_end) = (all.elements.len(), all.ends.len());
    let place = |share: f64| plane(link.place_at(share));
    for (piece, share) in pieces.iter().zip(nodes) {
        all.ends.push(solved.end(*piece, place(*share)));
    }
    for (i, part) in nodes.windows(2).enumerate() {
        let ends = [first_end + i, first_end + i + 1];
        let plain = ends.map(|end| all.ends[end].plain());
        let plain = match plain {
            [Some([a, b, c]), Some([d, e, f])] => Some([a, b, c, d, e, f]),
            _ => None,
        };
        let (length, even) =
            ((part[1] - part[0]) * link.length(), link.length() / link.elements as f64);
        // Bit for bit alike where the division is even, so that matrices are formed once.
        let length = if (length - even).abs() < 1e-12 * even { even } else { length };
        let element = Element::new(&link.section, length);
        let group = all.group(&ends);
        all.elements.push(LinkElement {
            link: number,
            element,
            ends,
            plain,
            place: place(part[0]),
            group,
        });
    }
    for lump in &link.lumps {
        let near = |i: &usize| (nodes[*i] - lump.along).abs();
        let node = (0..nodes.len()).min_by(|a, b| near(a).total_cmp(&near(b))).unwrap_or(0);
        let offset = link.axes_at(lump.along) * lump.centre;
        let centre = place(lump.along) + plane(offset);
        all.ends.push(solved.end(pieces[node], centre));
        let (end, inertia) = (all.ends.len() - 1, lump.inertia[(2, 2)]);
        let (plain, on) = (all.ends[end].plain(), Some((number, lump.along)));
        all.masses.push(Mass { end, plain, body, centre, mass: lump.mass, inertia, on });
    }
    all.links.push(Link {
        body,
        flexible: Box::new(link.clone()),
        nodes: nodes.to_vec(),
        ends: (first_end..first_end + nodes.len()).collect(),
        first,
        length: link.length(),
        from: place(0.0),
        along: plane(link.axes.column(0).into_owned()),
    });
}

/// The link of a body.
fn link_of(model: &Model, body: usize) -> Option<&Flexible> {
    model.rigid_links.iter().find(|link| link.body.0 == body).map(|link| &*link.link)
}

/// Shares of the length of the nodes of a link: an even division, and every place where a joint or a lump is.
fn shares(model: &Model, body: usize, link: &Flexible) -> Vec<f64> {
    let even = link.elements.max(1);
    let mut shares: Vec<f64> = (0..=even).map(|i| i as f64 / even as f64).collect();
    let sides = model.joints.iter().flat_map(|joint| [joint.a, joint.b]);
    let own = sides.map(|id| &model.markers[id.0]).filter(|marker| marker.body.0 == body);
    let joints = own.map(|marker| link.nearest(&marker.local.p));
    shares.extend(joints.chain(link.lumps.iter().map(|lump| lump.along)));
    shares.sort_by(f64::total_cmp);
    shares.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    shares
}

/// What cannot be taken.
fn unsuited(model: &Model) -> Vec<Unsuited> {
    let mut faults = Vec::new();
    let mut refuse = |owner: &str, why: &str, help: &'static str| {
        faults.push(Unsuited { owner: owner.to_owned(), why: why.to_owned(), help });
    };
    if model.space == Space::Spatial {
        refuse(
            "",
            "the mechanism is spatial, and its frame elements are planar",
            "write `space = \"planar\"`, or take `analysis = \"motion\"`",
        );
        return faults;
    }
    if model.rigid_links.is_empty() {
        refuse(
            "",
            "no body has a `flexible` table, so that nothing can bend",
            "give a link `shape` and `flexible = { method = \"rigid\", elements = 8 }`",
        );
    }
    for link in &model.rigid_links {
        if link.link.curvature.norm() > 0.0 {
            let name = &model.bodies[link.body.0].name;
            refuse(
                name,
                "is curved without load, and frame elements are straight",
                "leave `curvature` out, or take `analysis = \"motion\"`",
            );
        }
    }
    for joint in &model.joints {
        let ground = |marker: MarkerId| model.markers[marker.0].body.0 == 0;
        let grounded = match joint.kind {
            JointKind::PointOnLine => ground(joint.a),
            _ => ground(joint.a) || ground(joint.b),
        };
        let motion =
            "take `analysis = \"motion\"`, with `method = \"ancf\"` or `\"rfem\"` for the links";
        if let Some(clearance) = &joint.clearance {
            match clearance.film {
                Some(_) => {
                    refuse(&joint.name, "runs in a film, whose force follows the vibration", motion)
                }
                None => refuse(
                    &joint.name,
                    "has clearance: its impacts change the motion that the vibration is added to",
                    motion,
                ),
            }
            continue;
        }
        match joint.kind {
            JointKind::Revolute | JointKind::Fixed => {}
            JointKind::Prismatic | JointKind::PointOnLine if grounded => {}
            JointKind::Prismatic | JointKind::PointOnLine => {
                refuse(&joint.name, "slides along a moving body", motion);
            }
            _ => refuse(&joint.name, "is no revolute, fixed or sliding joint", motion),
        }
    }
    faults
}
