//! Finite-element links against quadrature of their fields, closed forms and differences.

use nalgebra::{DMatrix, Matrix3, Vector3};

use super::inertia::cross_of;
use super::{Link, Moments};
use crate::beam::gauss;
use crate::flexible::{
    Damping, EndSection, Flexible, Floating, Lump, Method, Reference, Section, Stiffening,
};
use crate::model::Space;
use crate::random::Random;

const ALL: [Reference; 3] = [Reference::Clamped, Reference::Chord, Reference::Mean];

fn link(elements: usize, reference: Reference, stiffening: Stiffening, shear: bool) -> Flexible {
    Flexible {
        from: Vector3::zeros(),
        to: Vector3::x() * 1.2,
        axes: Matrix3::identity(),
        curvature: Vector3::zeros(),
        section: Section::rectangle(0.03, 0.02, 2.1e11, 0.3, 7800.0),
        method: Method::Floating(Floating { reference, stiffening, shear, modes: None }),
        elements,
        damping: Damping::default(),
        ends: [EndSection::Free; 2],
        lumps: Vec::new(),
    }
}

fn with_lump(mut link: Flexible) -> Flexible {
    let inertia = Matrix3::new(0.02, 0.003, 0.0, 0.003, 0.03, -0.002, 0.0, -0.002, 0.025);
    link.lumps.push(Lump {
        along: 0.6,
        mass: 0.7,
        centre: Vector3::new(0.05, 0.1, -0.08),
        inertia,
    });
    link
}

/// As the body has it: about its mass centre, in axes turned by some amount.
fn made(link: &Flexible, space: Space) -> Link {
    let own = super::mass_properties(link, space);
    let turn = match space {
        Space::Planar => Matrix3::identity(),
        Space::Spatial => crate::math::rotation::exponential(&Vector3::new(0.3, -0.5, 0.2)),
    };
    Link::new(link, space, &turn, &own.centre)
}

fn random(n: usize, size: f64, random: &mut Random) -> Vec<f64> {
    (0..n).map(|_| size * (2.0 * random.unit() - 1.0)).collect()
}

fn moments(link: &Link, q: &[f64], v: &[f64]) -> Moments {
    let mut out = link.integrals.blank();
    link.integrals.update(q, v, &mut out);
    out
}

/// Kinetic energy of points of the sections that move at V + ω × s + ṡ, s = X + u + r + φ × r, against that of the
/// integrals; four points stand for the section, six for a rigid part.
#[test]
fn inertia_integrals_are_those_of_the_points_of_the_link() {
    let mut numbers = Random::new(7);
    for (space, reference) in
        [Space::Planar, Space::Spatial].into_iter().flat_map(|s| ALL.map(|r| (s, r)))
    {
        let flexible = with_lump(link(3, reference, Stiffening::None, true));
        let own = made(&flexible, space);
        let (q, v) = (random(own.size(), 0.1, &mut numbers), random(own.size(), 1.0, &mut numbers));
        let flat = if space == Space::Planar { 0.0 } else { 1.0 };
        let velocity = Vector3::new(0.4, -0.7, 0.3 * flat);
        let omega = Vector3::new(0.8 * flat, 0.5 * flat, -0.9);
        let s = &flexible.section;
        let (mut twice, mut first) = (0.0, Vector3::zeros());
        let mut add = |along: f64, r: Vector3<f64>, mass: f64| {
            let site = own.site(along);
            let r = site.axes * r;
            let place = site.place + site.displacement(&q) + r + site.rotation(&q).cross(&r);
            let moved = site.displacement(&v) + site.rotation(&v).cross(&r);
            twice += mass * (velocity + omega.cross(&place) + moved).norm_squared();
            first += place * mass;
        };
        let corner = [s.inertia_z, s.inertia_y].map(|i| (i / s.area).sqrt());
        for part in 0..6 {
            for &(xi, weight) in gauss(5) {
                let along = (f64::from(part) + xi) / 6.0;
                let mass = s.mass_per_length * weight * 0.2;
                for (y, z) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                    add(along, Vector3::new(0.0, y * corner[0], z * corner[1]), 0.25 * mass);
                }
            }
        }
        let lump = &flexible.lumps[0];
        let second = Matrix3::identity() * (0.5 * lump.inertia.trace()) - lump.inertia;
        let eigen = second.symmetric_eigen();
        for k in 0..3 {
            let arm =
                eigen.eigenvectors.column(k) * (3.0 * eigen.eigenvalues[k] / lump.mass).sqrt();
            for side in [1.0, -1.0] {
                add(lump.along, lump.centre + arm * side, lump.mass / 6.0);
            }
        }
        let m = moments(&own, &q, &v);
        let turned =
            m.z.iter().zip(&v).fold(Vector3::zeros(), |sum, (z, v)| sum + cross_of(z) * *v);
        let found = 0.5 * own.integrals.mass * velocity.norm_squared()
            + velocity.dot(&(omega.cross(&m.first) + m.first_rate))
            + omega.dot(&(0.5 * m.inertia * omega + turned))
            + 0.5 * own.mass.square(&v);
        let off = (found - 0.5 * twice).abs();
        assert!(off < 1e-11 * found, "{space:?} {reference:?}: {found} {}", 0.5 * twice);
        assert!((m.first - first).norm() < 1e-12, "{space:?} {reference:?}");
    }
}

/// Coordinates of the mean move neither the mass centre nor the angular momentum, to first order.
#[test]
fn the_mean_frame_takes_all_momentum() {
    for space in [Space::Planar, Space::Spatial] {
        let own = made(&with_lump(link(5, Reference::Mean, Stiffening::None, false)), space);
        let size = own.integrals.mass;
        for j in 0..own.size() {
            assert!(own.integrals.shapes()[j].norm() < 1e-12 * size);
            let moment = cross_of(own.integrals.mixed(j));
            let wanted = if space == Space::Planar { moment.z.abs() } else { moment.norm() };
            assert!(wanted < 1e-12 * size, "{space:?} {j}: {wanted}");
        }
    }
}

/// Squares of the angular frequencies of K x = ω² M x.
fn frequencies(k: &DMatrix<f64>, m: &DMatrix<f64>) -> Vec<f64> {
    let l = m.clone().cholesky().expect("masses are positive").l();
    let half = l.solve_lower_triangular(k).expect("a factor");
    let whole = l.solve_lower_triangular(&half.transpose()).expect("a factor");
    let mut found: Vec<f64> = whole.symmetric_eigen().eigenvalues.iter().copied().collect();
    found.sort_by(f64::total_cmp);
    found
}

fn full(n: usize, entries: impl Iterator<Item = (usize, usize, f64)>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(n, n);
    for (i, j, value) in entries {
        out[(i, j)] = value;
        out[(j, i)] = value;
    }
    out
}

/// K without load, and M with the frame before the elastic coordinates where it is free.
fn matrices(own: &Link, frame: bool) -> (DMatrix<f64>, DMatrix<f64>) {
    let n = own.size();
    let mut k = full(n, own.stiffness.iter().copied());
    if own.stiffening == Stiffening::Actual {
        k.fill(0.0);
        let zero = vec![0.0; n];
        own.for_tangents(&zero, &zero, |i, j, value, _| k[(i, j)] += value);
    }
    let m = full(n, own.mass.entries());
    if !frame {
        return (k, m);
    }
    let border = if own.planar { 3 } else { 6 };
    let rest = moments(own, &vec![0.0; n], &vec![0.0; n]);
    let (mut all_k, mut all_m) =
        (DMatrix::zeros(n + border, n + border), DMatrix::zeros(n + border, n + border));
    all_k.view_mut((border, border), (n, n)).copy_from(&k);
    all_m.view_mut((border, border), (n, n)).copy_from(&m);
    let axes: &[usize] = if own.planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
    for (row, &axis) in axes.iter().enumerate() {
        for j in 0..n {
            let entry = match axis {
                0..3 => own.integrals.shapes()[j][axis],
                _ => cross_of(&rest.z[j])[axis - 3],
            };
            all_m[(row, border + j)] = entry;
            all_m[(border + j, row)] = entry;
        }
        for (column, &other) in axes.iter().enumerate() {
            all_m[(row, column)] = match (axis, other) {
                (0..3, _) => {
                    if axis == other {
                        own.integrals.mass
                    } else {
                        0.0
                    }
                }
                (_, 0..3) => 0.0,
                _ => rest.inertia[(axis - 3, other - 3)],
            };
        }
    }
    (all_k, all_m)
}

/// (βl)² √(EI/ρA)/l², torsion (2k−1)π/2 √(GJ/ρI_p)/l and stretch (2k−1)π/2 √(E/ρ)/l of a clamped line, bending of a
/// free one with every frame; cubics are off by (βl/n)⁴/1440, linear fields by (π/2n)²/24.
#[test]
fn frequencies_are_those_of_closed_forms_whatever_the_frame() {
    let n = 12;
    let mut flexible = link(n, Reference::Clamped, Stiffening::Actual, false);
    flexible.section.rotary = false;
    let (s, l) = (flexible.section, 1.2f64);
    let half = std::f64::consts::FRAC_PI_2;
    let bending =
        |i: f64, beta: f64| beta * beta * (s.young * i / s.mass_per_length).sqrt() / (l * l);
    let polar = s.mass_per_length / s.area * (s.inertia_y + s.inertia_z);
    let torsion = half * (s.shear_modulus() * s.torsion / polar).sqrt() / l;
    let stretch = half * (s.young * s.area / s.mass_per_length).sqrt() / l;
    let (k, m) = matrices(&made(&flexible, Space::Spatial), false);
    let found: Vec<f64> = frequencies(&k, &m).iter().map(|w| w.sqrt()).collect();
    let has = |wanted: f64, near: f64, what: &str| {
        let off = found.iter().map(|w| (w / wanted - 1.0).abs()).fold(f64::INFINITY, f64::min);
        assert!(off < near, "{what}: {wanted} is off by {off:e}");
    };
    for (beta, near) in [(1.875_104_068_7, 1e-6), (4.694_091_133, 2e-5), (7.854_757_438, 2e-4)] {
        has(bending(s.inertia_y, beta), near, "bending about y");
        has(bending(s.inertia_z, beta), near, "bending about z");
    }
    let linear = (half / n as f64).powi(2) / 24.0;
    has(torsion, 1.01 * linear, "torsion");
    has(stretch, 1.01 * linear, "stretch");
    let mut all = Vec::new();
    for reference in ALL {
        let own = made(&link(n, reference, Stiffening::None, true), Space::Spatial);
        let (k, m) = matrices(&own, true);
        let found = frequencies(&k, &m);
        // Six rigid motions.
        assert!(found[5].abs() < 1e-9 * found[6], "{reference:?}: {:?}", &found[..7]);
        all.push(found);
    }
    for (a, b) in
        all[0][6..30].iter().zip(&all[1][6..30]).chain(all[0][6..30].iter().zip(&all[2][6..30]))
    {
        assert!((a / b - 1.0).abs() < 1e-8, "{a} is not {b}");
    }
    let own = made(
        &Flexible {
            section: Section { rotary: false, ..s },
            ..link(n, Reference::Mean, Stiffening::None, false)
        },
        Space::Planar,
    );
    let (k, m) = matrices(&own, false);
    let found = frequencies(&k, &m)[0].sqrt();
    let wanted = bending(s.inertia_z, 4.730_040_745);
    assert!((found / wanted - 1.0).abs() < 2e-5, "{found} {wanted}");
}

#[test]
fn elastic_forces_and_their_slopes_are_those_of_the_energy() {
    let mut numbers = Random::new(11);
    for stiffening in [Stiffening::None, Stiffening::Actual] {
        for reference in ALL {
            let mut flexible = link(2, reference, stiffening, false);
            // Soft, so that digits of stretch and bending are alike.
            flexible.section.young = 1e3;
            flexible.damping = Damping { strain: 0.2, mass: 0.3 };
            let own = made(&flexible, Space::Spatial);
            let n = own.size();
            let (q, v) = (random(n, 0.3, &mut numbers), random(n, 1.0, &mut numbers));
            let moved = |x: &[f64], k: usize, by: f64| {
                let mut x = x.to_vec();
                x[k] += by;
                x
            };
            let force = |q: &[f64], v: &[f64]| {
                let mut f = vec![0.0; n];
                own.add_forces(q, v, &mut f);
                f
            };
            let (mut stiffness, mut damping): (DMatrix<f64>, DMatrix<f64>) =
                (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
            own.for_tangents(&q, &v, |i, j, k, d| {
                stiffness[(i, j)] += k;
                damping[(i, j)] += d;
            });
            let (still, now, h) = (vec![0.0; n], force(&q, &v), 1e-5);
            let size = force(&q, &still).iter().fold(0.0f64, |m, f| m.max(f.abs()));
            for k in 0..n {
                let energy = |by: f64| own.strain_energy(&moved(&q, k, by));
                let slope = (energy(h) - energy(-h)) / (2.0 * h);
                let off = (slope + force(&q, &still)[k]).abs();
                assert!(off < 1e-7 * size, "{stiffening:?} {reference:?} {k}: {slope}");
                for (matrix, place) in [(&stiffness, true), (&damping, false)] {
                    let at = |by: f64| match place {
                        true => force(&moved(&q, k, by), &v),
                        false => force(&q, &moved(&v, k, by)),
                    };
                    let (above, below) = (at(h), at(-h));
                    for i in 0..n {
                        let slope: f64 = (below[i] - above[i]) / (2.0 * h);
                        let near = 1e-7 * matrix.amax();
                        assert!((slope - matrix[(i, k)]).abs() < near, "{place} {i} {k}");
                    }
                }
            }
            let lost: f64 =
                now.iter().zip(&force(&q, &still)).zip(&v).map(|((a, b), v)| (b - a) * v).sum();
            let found = own.dissipation(&q, &v);
            assert!((lost - found).abs() < 1e-12 * found, "{found} is not {lost}");
        }
    }
}

/// An arc is a polygon whose mass properties and displacements close with the square of the element.
#[test]
fn a_curved_line_has_the_mass_of_its_polygon() {
    let arc = |elements: usize| Flexible {
        curvature: Vector3::new(0.0, 0.0, 0.8),
        ..link(elements, Reference::Clamped, Stiffening::None, false)
    };
    let exact = Flexible { method: Method::Rfem { shear: false, tension: false }, ..arc(64) }
        .mass_properties(Space::Spatial);
    let off = [4, 8].map(|n| {
        let own = super::mass_properties(&arc(n), Space::Spatial);
        [(own.mass - exact.mass).abs(), (own.centre - exact.centre).norm()]
    });
    for k in 0..2 {
        let ratio = off[0][k] / off[1][k];
        assert!((3.8..4.2).contains(&ratio), "{off:?}");
    }
}
