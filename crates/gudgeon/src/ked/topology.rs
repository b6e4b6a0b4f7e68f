//! What moves elastically: pieces that turn as one, points that joints hold together, and their coordinates.
//!
//! Displacements against the rigid motion are in world axes, as in hac. A node of a link is a piece with a rotation
//! and a point; so is a rigid body with all its joints. A revolute joint makes two points one, a fixed joint and a
//! locked one also the rotations. What the ground holds has none. A piece with several points moves them together,
//!
//!   u_b = u_a + φ z × r,   r from a to b, which turns with the rigid motion                              (1)
//!
//! so that all but one point of a rigid piece follow from that one (`End::arms`).

use nalgebra::Vector2;

use super::Unsuited;

/// Displacement of a point and rotation of its piece, by coordinates of the vibration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// Directions in world axes and their coordinates.
    pub base: Vec<(Vector2<f64>, usize)>,
    pub arms: Vec<Arm>,
    pub rotation: Option<usize>,
}

/// φ z × r of (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    /// Coordinate φ.
    pub rotation: usize,
    /// Body whose motion turns the arm.
    pub body: usize,
    /// r in own axes of the body, m.
    pub arm: Vector2<f64>,
}

impl End {
    /// Coordinates of x, y and rotation where each is one of its own, or none.
    pub fn plain(&self) -> Option<[Option<usize>; 3]> {
        let [x, y] = match self.base[..] {
            [] => [None, None],
            [(a, i), (b, j)] if a == Vector2::x() && b == Vector2::y() => [Some(i), Some(j)],
            _ => return None,
        };
        self.arms.is_empty().then_some([x, y, self.rotation])
    }
}

/// Pieces and points while joints are read.
#[derive(Debug, Default)]
pub struct Topology {
    pieces: Vec<Piece>,
    /// Parents of points and of rotations that are the same.
    points: Vec<usize>,
    rotations: Vec<usize>,
    /// By point: how the ground holds it.
    held: Vec<Option<Held>>,
}

#[derive(Debug)]
struct Piece {
    /// Body, and what messages call it.
    body: usize,
    name: String,
    /// Points by number, with their place in own axes of the body.
    sites: Vec<(usize, Vector2<f64>)>,
}

/// How the ground holds a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Held {
    Fixed,
    /// On a line of this direction.
    Guided(Vector2<f64>),
}

/// Number of a piece. The ground is the first.
pub const GROUND: usize = 0;

/// Places nearer than this share of a metre per metre are one.
const SAME: f64 = 1e-9;

fn root(parents: &[usize], mut i: usize) -> usize {
    while parents[i] != i {
        i = parents[i];
    }
    i
}

fn unite(parents: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parents, a), root(parents, b));
    parents[a.max(b)] = a.min(b);
}

impl Topology {
    /// With the ground alone.
    pub fn new() -> Self {
        let mut topology = Self::default();
        topology.piece(0, "ground");
        topology
    }

    pub fn piece(&mut self, body: usize, name: &str) -> usize {
        self.pieces.push(Piece { body, name: name.to_owned(), sites: Vec::new() });
        self.rotations.push(self.rotations.len());
        self.pieces.len() - 1
    }

    /// The point of a piece at a place.
    pub fn site(&mut self, piece: usize, place: Vector2<f64>) -> usize {
        let near = |(_, other): &&(usize, Vector2<f64>)| {
            (other - place).norm() <= SAME * (1.0 + place.norm())
        };
        if let Some((point, _)) = self.pieces[piece].sites.iter().find(near) {
            return *point;
        }
        let point = self.points.len();
        self.points.push(point);
        self.held.push((piece == GROUND).then_some(Held::Fixed));
        self.pieces[piece].sites.push((point, place));
        point
    }

    /// Makes two points one.
    pub fn join(&mut self, a: usize, b: usize) {
        let held = |i| self.held[root(&self.points, i)];
        let held = match (held(a), held(b)) {
            (Some(Held::Fixed), _) | (_, Some(Held::Fixed)) => Some(Held::Fixed),
            (held, other) => held.or(other),
        };
        unite(&mut self.points, a, b);
        let root = root(&self.points, a);
        self.held[root] = held;
    }

    /// Makes two rotations one.
    pub fn lock(&mut self, a: usize, b: usize) {
        unite(&mut self.rotations, a, b);
    }

    /// Lets the ground hold a point; false where it is held otherwise already.
    pub fn hold(&mut self, point: usize, held: Held) -> bool {
        let root = root(&self.points, point);
        match self.held[root] {
            None => self.held[root] = Some(held),
            Some(Held::Fixed) => {}
            Some(_) if held == Held::Fixed => self.held[root] = Some(held),
            Some(_) => return false,
        }
        true
    }

    /// Gives everything its coordinates.
    pub fn solve(self) -> Result<Solved, Unsuited> {
        let mut solving = Solving {
            count: 0,
            points: vec![None; self.points.len()],
            rotations: vec![None; self.rotations.len()],
            done: vec![false; self.pieces.len()],
            topology: &self,
        };
        solving.begin();
        while let Some(piece) = solving.next_piece() {
            solving.spread(piece)?;
        }
        (0..self.points.len()).for_each(|point| drop(solving.point(point)));
        (0..self.pieces.len()).for_each(|piece| {
            solving.rotation(piece);
        });
        let Solving { count, points, rotations, .. } = solving;
        Ok(Solved { count, points, rotations, topology: self })
    }
}

struct Solving<'t> {
    topology: &'t Topology,
    count: usize,
    /// By root: displacements that are known by coordinates, without rotation.
    points: Vec<Option<End>>,
    /// By root: coordinate, the inner none for the ground's.
    rotations: Vec<Option<Option<usize>>>,
    /// Pieces whose points are known.
    done: Vec<bool>,
}

/// Coordinates of all pieces and points.
#[derive(Debug)]
pub struct Solved {
    pub count: usize,
    points: Vec<Option<End>>,
    rotations: Vec<Option<Option<usize>>>,
    topology: Topology,
}

impl Solving<'_> {
    /// What the ground holds.
    fn begin(&mut self) {
        let ground = root(&self.topology.rotations, GROUND);
        self.rotations[ground] = Some(None);
        for point in 0..self.topology.points.len() {
            let held = self.topology.held[point];
            if root(&self.topology.points, point) != point || held.is_none() {
                continue;
            }
            let mut end = End::default();
            if let Some(Held::Guided(direction)) = held {
                end.base.push((direction, self.new_coordinate()));
            }
            self.points[point] = Some(end);
        }
    }

    fn new_coordinate(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }

    fn rotation(&mut self, piece: usize) -> Option<usize> {
        let root = root(&self.topology.rotations, piece);
        if self.rotations[root].is_none() {
            self.rotations[root] = Some(Some(self.new_coordinate()));
        }
        self.rotations[root].flatten()
    }

    fn known(&self, point: usize) -> Option<&End> {
        self.points[root(&self.topology.points, point)].as_ref()
    }

    fn point(&mut self, point: usize) -> End {
        let root = root(&self.topology.points, point);
        if self.points[root].is_none() {
            let base = [Vector2::x(), Vector2::y()].map(|axis| (axis, self.new_coordinate()));
            self.points[root] = Some(End { base: base.into(), ..End::default() });
        }
        self.points[root].clone().unwrap_or_default()
    }

    /// A piece of several points that is not done, one with a known point if there is any.
    fn next_piece(&mut self) -> Option<usize> {
        let sites = |piece: usize| &self.topology.pieces[piece].sites;
        let open = |piece: &usize| !self.done[*piece] && sites(*piece).len() > 1;
        let begun =
            |piece: &usize| sites(*piece).iter().any(|(point, _)| self.known(*point).is_some());
        let mut all = (1..self.topology.pieces.len()).filter(open);
        let first = all.clone().next();
        let next = all.find(begun).or(first)?;
        self.done[next] = true;
        Some(next)
    }

    /// Moves the other points of a piece with its first known one (1).
    fn spread(&mut self, piece: usize) -> Result<(), Unsuited> {
        let topology = self.topology;
        let Piece { body, name, sites } = &topology.pieces[piece];
        let rotation = self.rotation(piece);
        let known: Vec<usize> =
            (0..sites.len()).filter(|i| self.known(sites[*i].0).is_some()).collect();
        if known.len() > 1 && (rotation.is_some() || !self.all_fixed(sites, &known)) {
            return Err(Unsuited {
                owner: name.clone(),
                why:
                    "is rigid and closes a loop of rigid bodies, which leaves nothing to bend there"
                        .to_owned(),
                help: "give it, or a body beside it, a `flexible` table",
            });
        }
        let master = known.first().copied().unwrap_or(0);
        let (first, place) = sites[master];
        let base = self.point(first);
        for (point, other) in sites {
            if self.known(*point).is_some() {
                continue;
            }
            let mut end = base.clone();
            if let Some(rotation) = rotation {
                end.arms.push(Arm { rotation, body: *body, arm: other - place });
            }
            let root = root(&topology.points, *point);
            self.points[root] = Some(end);
        }
        Ok(())
    }

    fn all_fixed(&self, sites: &[(usize, Vector2<f64>)], known: &[usize]) -> bool {
        known.iter().all(|i| self.known(sites[*i].0) == Some(&End::default()))
    }
}

impl Solved {
    /// Motion of a place of a piece.
    pub fn end(&self, piece: usize, place: Vector2<f64>) -> End {
        let rotation = self.rotations[root(&self.topology.rotations, piece)].flatten();
        let Piece { body, sites, .. } = &self.topology.pieces[piece];
        let near =
            sites.iter().min_by(|(_, a), (_, b)| (a - place).norm().total_cmp(&(b - place).norm()));
        let Some((point, at)) = near else { return End { rotation, ..End::default() } };
        let known = self.points[root(&self.topology.points, *point)].clone().unwrap_or_default();
        let mut end = End { rotation, ..known };
        if let (Some(rotation), true) =
            (rotation, (place - at).norm() > SAME * (1.0 + place.norm()))
        {
            end.arms.push(Arm { rotation, body: *body, arm: place - at });
        }
        end
    }

    /// Renumbers coordinates.
    pub fn renumber(&mut self, numbers: &[usize]) {
        for end in self.points.iter_mut().flatten() {
            end.base.iter_mut().for_each(|(_, i)| *i = numbers[*i]);
            end.arms.iter_mut().for_each(|arm| arm.rotation = numbers[arm.rotation]);
        }
        for rotation in self.rotations.iter_mut().flatten().flatten() {
            *rotation = numbers[*rotation];
        }
    }
}
