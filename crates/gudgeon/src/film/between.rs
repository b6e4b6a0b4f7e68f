//! A film between two markers: the journal b as seen from the bearing a, and the wrenches of both.
//!
//! In bearing axes, with the journal's centre at d and its axis along k, the slope is m = k_⊥/k_ζ, and
//! the centre line pierces the end plane at ζ at
//!
//!   e = d_⊥ + (ζ − d_ζ) m,   ė = ḋ_⊥ − ḋ_ζ m + (ζ − d_ζ) ṁ                                   (1)
//!
//! Wrenches are the transpose of these rates: with F = Q_A + Q_W and L = Σ (ζ − d_ζ) Q,
//!
//!   Q_A·ė_A + Q_W·ė_W + T_J ω = f·ḋ + τ·(ω_b − ω_a)                                         (2)
//!   f = (F, −F·m),   τ = k × g + T_J ẑ,   g = (L, −L·m)/k_ζ                                   (3)
//!
//! on the journal at d, and the opposite on the bearing at the same point: momentum balances exactly,
//! the bearing's torque differs by d × f, and the power is exactly what the film loses.
//!
//! Rough surfaces share the load. Where the film falls below the roughness h_r, with x = (h_r − h)/h_r,
//! dry contact has begun (its clearance is c − h_r), the film is taken no thinner than
//!
//!   h' = h_r (1 − ¾ tanh(x/¾))                                                              (4)
//!
//! and carries the share 1 − x²(3 − 2x), which ends where the true surfaces meet. While no contact has
//! begun the film is whole wherever it is asked, so that no step can slip past the touch.

use nalgebra::{SVector, Vector2, Vector3};

use super::evaluate::{Film, FilmWork};
use super::state::{FilmForce, FilmTangent, JournalState, Touching};
use crate::marker::{MarkerState, Variation};
use crate::math::spatial::{Axis, Pair, Wrench};

/// A film and what it stands between.
#[derive(Clone, Debug, PartialEq)]
pub struct Lubricant {
    pub film: Film,
    /// Height of the roughness of both surfaces, m, where known.
    pub roughness: Option<f64>,
    /// Whether dry contact takes over below the roughness.
    pub hybrid: bool,
}

/// The journal in bearing axes, or a change of it.
#[derive(Clone, Copy, Debug)]
struct View {
    d: Vector3<f64>,
    d_rate: Vector3<f64>,
    k: Vector3<f64>,
    slope: Vector2<f64>,
    slope_rate: Vector2<f64>,
    k_rate: Vector3<f64>,
    omega: f64,
}

/// (4), its share, and the slopes of both by the eccentricity ratio.
#[derive(Clone, Copy, Debug)]
struct Fade {
    /// Factor on the eccentricity.
    shrink: f64,
    shrink_slope: f64,
    share: f64,
    share_slope: f64,
}

/// What a film does at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Lubricated {
    /// The journal as the film takes it: its true eccentricity times `shrink`.
    pub state: JournalState,
    pub shrink: f64,
    /// Of the pressure, left where dry contact shares the load.
    pub share: f64,
    /// Its share of the load included.
    pub force: FilmForce,
    pub pair: Pair,
    /// The largest eccentricity ratio.
    pub eccentricity: f64,
    /// Thinnest film, m.
    pub thickness: f64,
}

impl Lubricated {
    pub const NONE: Self = Self {
        state: JournalState {
            place: [Vector2::new(0.0, 0.0); 2],
            rate: [Vector2::new(0.0, 0.0); 2],
            omega: 0.0,
        },
        shrink: 1.0,
        share: 1.0,
        force: FilmForce {
            f: Vector2::new(0.0, 0.0),
            m: Vector2::new(0.0, 0.0),
            torque: 0.0,
            bearing_torque: 0.0,
            shear: 0.0,
            pumping: 0.0,
            leakage: 0.0,
            min_film: 0.0,
            min_film_angle: 0.0,
            min_film_place: 0.0,
        },
        pair: Pair::ZERO,
        eccentricity: 0.0,
        thickness: 0.0,
    };
}

fn across(v: &Vector3<f64>) -> Vector2<f64> {
    Vector2::new(v.x, v.y)
}

impl View {
    fn new(a: &MarkerState, b: &MarkerState) -> Self {
        let (r, apart, spin) = (&a.frame.r, b.frame.p - a.frame.p, b.twist.w - a.twist.w);
        let axis = b.frame.axis(Axis::Z);
        let k = r.tr_mul(&axis);
        let k_rate = r.tr_mul(&spin.cross(&axis));
        let slope = across(&k) / k.z;
        Self {
            d: r.tr_mul(&apart),
            d_rate: r.tr_mul(&(b.twist.v - a.twist.v - a.twist.w.cross(&apart))),
            k,
            slope,
            slope_rate: (across(&k_rate) - slope * k_rate.z) / k.z,
            k_rate,
            omega: a.frame.axis(Axis::Z).dot(&spin),
        }
    }

    /// Change of the view when the markers move.
    fn change(&self, a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Self {
        let (r, apart, spin) = (&a.frame.r, b.frame.p - a.frame.p, b.twist.w - a.twist.w);
        let seen = |x: &Vector3<f64>, change: Vector3<f64>| r.tr_mul(&(change - da.turn.cross(x)));
        let axis = b.frame.axis(Axis::Z);
        let axis_change = db.turn.cross(&axis);
        let moving = b.twist.v - a.twist.v - a.twist.w.cross(&apart);
        let moving_change = db.v - da.v - da.w.cross(&apart) - a.twist.w.cross(&(db.p - da.p));
        let tipping = spin.cross(&axis);
        let tipping_change = (db.w - da.w).cross(&axis) + spin.cross(&axis_change);
        let (k, k_rate) = (seen(&axis, axis_change), seen(&tipping, tipping_change));
        let slope = (across(&k) - self.slope * k.z) / self.k.z;
        let slope_rate = across(&k_rate) - slope * self.k_rate.z - self.slope * k_rate.z;
        Self {
            d: seen(&apart, db.p - da.p),
            d_rate: seen(&moving, moving_change),
            k,
            slope,
            slope_rate: (slope_rate - self.slope_rate * k.z) / self.k.z,
            k_rate,
            omega: seen(&spin, db.w - da.w).z,
        }
    }

    /// (1) at both ends of a film.
    fn state(&self, length: f64) -> JournalState {
        let arms = [-0.5 * length - self.d.z, 0.5 * length - self.d.z];
        let rate = across(&self.d_rate) - self.slope * self.d_rate.z;
        JournalState {
            place: arms.map(|arm| across(&self.d) + self.slope * arm),
            rate: arms.map(|arm| rate + self.slope_rate * arm),
            omega: self.omega,
        }
    }

    /// The change of (1) for a change of the view.
    fn state_change(&self, by: &Self, length: f64) -> JournalState {
        let arms = [-0.5 * length - self.d.z, 0.5 * length - self.d.z];
        let place = across(&by.d) - self.slope * by.d.z;
        let rate = across(&by.d_rate)
            - self.slope * by.d_rate.z
            - by.slope * self.d_rate.z
            - self.slope_rate * by.d.z;
        JournalState {
            place: arms.map(|arm| place + by.slope * arm),
            rate: arms.map(|arm| rate + by.slope_rate * arm),
            omega: by.omega,
        }
    }

    /// f and τ of (3) from force, moment about the bearing's centre and torque.
    fn wrench(&self, f: Vector2<f64>, m: Vector2<f64>, torque: f64) -> Wrench {
        let lever = Vector2::new(m.y, -m.x) - f * self.d.z;
        let g = Vector3::new(lever.x, lever.y, -lever.dot(&self.slope)) / self.k.z;
        let t = self.k.cross(&g) + Vector3::new(0.0, 0.0, torque);
        Wrench { f: Vector3::new(f.x, f.y, -f.dot(&self.slope)), t }
    }

    /// The change of (3) for a change of the view and of what it is made from.
    fn wrench_change(&self, by: &Self, now: &FilmForce, change: &SVector<f64, 5>) -> Wrench {
        let (f, f_change) = (now.f, Vector2::new(change[0], change[1]));
        let lever = Vector2::new(now.m.y, -now.m.x) - f * self.d.z;
        let lever_change = Vector2::new(change[3], -change[2]) - f_change * self.d.z - f * by.d.z;
        let g = Vector3::new(lever.x, lever.y, -lever.dot(&self.slope)) / self.k.z;
        let along = lever_change.dot(&self.slope) + lever.dot(&by.slope);
        let g_change = Vector3::new(lever_change.x, lever_change.y, -along) / self.k.z
            - g * (by.k.z / self.k.z);
        let thrust = f_change.dot(&self.slope) + f.dot(&by.slope);
        Wrench {
            f: Vector3::new(f_change.x, f_change.y, -thrust),
            t: by.k.cross(&g) + self.k.cross(&g_change) + Vector3::new(0.0, 0.0, change[4]),
        }
    }
}

/// The largest eccentricity ratio of a journal, and its end.
fn widest(state: &JournalState, clearance: f64) -> (f64, usize) {
    let [a, w] = state.place.map(|e| e.norm() / clearance);
    if w > a { (w, 1) } else { (a, 0) }
}

impl Lubricant {
    fn fade(&self, eccentricity: f64, touching: bool) -> Fade {
        let whole = Fade { shrink: 1.0, shrink_slope: 0.0, share: 1.0, share_slope: 0.0 };
        let (true, Some(height)) = (self.hybrid && touching, self.roughness) else { return whole };
        let rough = height / self.film.shape.clearance;
        let x = (eccentricity - (1.0 - rough)) / rough;
        if x <= 0.0 {
            return whole;
        }
        let bent = (x / 0.75).tanh();
        let shrink = (1.0 - rough + rough * 0.75 * bent) / eccentricity; // (4)
        let inside = x.min(1.0);
        Fade {
            shrink,
            shrink_slope: (1.0 - bent * bent - shrink) / eccentricity,
            share: 1.0 - inside * inside * (3.0 - 2.0 * inside),
            share_slope: -6.0 * inside * (1.0 - inside) / rough,
        }
    }

    /// Forces of the film between bearing a and journal b; `touching` where dry contact has begun.
    pub fn act(
        &self,
        a: &MarkerState,
        b: &MarkerState,
        touching: bool,
        work: &mut FilmWork,
    ) -> Result<Lubricated, Touching> {
        let view = View::new(a, b);
        let (state, fade, eccentricity) = self.taken(&view, touching);
        let full = self.film.force(&state, work)?;
        Ok(self.outcome(&view, state, &fade, full, eccentricity, [a, b]))
    }

    /// Thinnest film between bearing a and journal b, m.
    pub fn thickness(&self, a: &MarkerState, b: &MarkerState) -> f64 {
        let shape = &self.film.shape;
        let (eccentricity, _) = widest(&View::new(a, b).state(shape.length), shape.clearance);
        shape.clearance * (1.0 - eccentricity)
    }

    /// The journal as the film takes it.
    fn taken(&self, view: &View, touching: bool) -> (JournalState, Fade, f64) {
        let shape = &self.film.shape;
        let mut state = view.state(shape.length);
        let (eccentricity, _) = widest(&state, shape.clearance);
        let fade = self.fade(eccentricity, touching);
        if fade.shrink != 1.0 {
            state.place = state.place.map(|e| e * fade.shrink);
        }
        (state, fade, eccentricity)
    }

    fn outcome(
        &self,
        view: &View,
        state: JournalState,
        fade: &Fade,
        full: FilmForce,
        eccentricity: f64,
        [a, b]: [&MarkerState; 2],
    ) -> Lubricated {
        let (shrink, share) = (fade.shrink, fade.share);
        let force = scaled(full, share);
        let local = view.wrench(force.f, force.m, force.torque);
        let (f, t) = (a.frame.r * local.f, a.frame.r * local.t);
        let apart = b.frame.p - a.frame.p;
        let pair = Pair { a: Wrench { f: -f, t: -t - apart.cross(&f) }, b: Wrench { f, t } };
        let thickness = self.film.shape.clearance * (1.0 - eccentricity);
        Lubricated { state, shrink, share, force, pair, eccentricity, thickness }
    }

    /// The film at one point, from which its changes are taken.
    pub fn linearised(
        &self,
        a: &MarkerState,
        b: &MarkerState,
        touching: bool,
        work: &mut FilmWork,
    ) -> Result<Linearised<'_>, Touching> {
        let view = View::new(a, b);
        let whole = view.state(self.film.shape.length);
        let (state, fade, eccentricity) = self.taken(&view, touching);
        let (full, tangent) = self.film.tangent(&state, work)?;
        let now = self.outcome(&view, state, &fade, full, eccentricity, [a, b]);
        Ok(Linearised { lubricant: self, view, whole, fade, full, tangent, now })
    }
}

fn scaled(force: FilmForce, by: f64) -> FilmForce {
    if by == 1.0 {
        return force;
    }
    FilmForce {
        f: force.f * by,
        m: force.m * by,
        torque: force.torque * by,
        bearing_torque: force.bearing_torque * by,
        shear: force.shear * by,
        pumping: force.pumping * by,
        leakage: force.leakage * by,
        ..force
    }
}

/// A film and its derivatives at one point.
pub struct Linearised<'l> {
    lubricant: &'l Lubricant,
    view: View,
    /// The journal itself, before (4).
    whole: JournalState,
    fade: Fade,
    /// Forces before their share is taken.
    full: FilmForce,
    tangent: FilmTangent,
    pub now: Lubricated,
}

impl Linearised<'_> {
    /// Change of both wrenches.
    pub fn change(&self, a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Pair {
        let by = self.view.change(a, b, da, db);
        let moved = self.view.state_change(&by, self.lubricant.film.shape.length);
        let forces = self.forces_change(&moved);
        let local = self.view.wrench(self.now.force.f, self.now.force.m, self.now.force.torque);
        let change = self.view.wrench_change(&by, &self.now.force, &forces);
        let world = |now: &Vector3<f64>, change: &Vector3<f64>| {
            let r = &a.frame.r;
            (r * now, r * change + da.turn.cross(&(r * now)))
        };
        let ((f, f_change), (_, t_change)) =
            (world(&local.f, &change.f), world(&local.t, &change.t));
        let moment = (db.p - da.p).cross(&f) + (b.frame.p - a.frame.p).cross(&f_change);
        Pair {
            a: Wrench { f: -f_change, t: -t_change - moment },
            b: Wrench { f: f_change, t: t_change },
        }
    }

    /// Change of (F_ξ, F_η, M_ξ, M_η, T_J) for a change of the journal.
    fn forces_change(&self, moved: &JournalState) -> SVector<f64, 5> {
        let (fade, clearance) = (&self.fade, self.lubricant.film.shape.clearance);
        let (_, end) = widest(&self.whole, clearance);
        let e = self.whole.place[end];
        let size = e.norm();
        let wider = if size > 0.0 { e.dot(&moved.place[end]) / (size * clearance) } else { 0.0 };
        let shrinking = fade.shrink_slope * wider;
        let place = [0, 1].map(|k| moved.place[k] * fade.shrink + self.whole.place[k] * shrinking);
        let change = self.tangent.by_place * super::state::stacked(&place)
            + self.tangent.by_rate * super::state::stacked(&moved.rate)
            + self.tangent.by_omega * moved.omega;
        let now = &self.full;
        let now = SVector::<f64, 5>::new(now.f.x, now.f.y, now.m.x, now.m.y, now.torque);
        change * fade.share + now * (fade.share_slope * wider)
    }
}
