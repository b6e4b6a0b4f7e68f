//! The same mode at the next value of a parameter, by its shape.
//!
//!   a = |xᴴ M y|² / ((xᴴ M x)(yᴴ M y))                                                        (1)
//!
//! is one for the same shape and zero for two modes of one system.

use gudgeon_dae::linear::{Complex, Entries};

use super::{ModalReport, Mode};

/// (1), with the masses of the second.
pub fn alike(a: &Mode, b: &Mode, of: &ModalReport) -> f64 {
    if a.shape.len() != b.shape.len() {
        return 0.0;
    }
    let product = |x: &Mode, y: &Mode| -> Complex {
        let image = image(&of.mass, &y.shape);
        x.shape
            .iter()
            .zip(&image)
            .fold(Complex::default(), |sum, (x, m)| sum + Complex::new(x.re, -x.im) * *m)
    };
    let (across, first, second) = (product(a, b), product(a, a).re, product(b, b).re);
    let whole = first * second;
    if whole > 0.0 { (across.re * across.re + across.im * across.im) / whole } else { 0.0 }
}

fn image(mass: &Entries, x: &[Complex]) -> Vec<Complex> {
    let mut out = vec![Complex::default(); x.len()];
    mass.add_product(Complex::from(1.0), x, &mut out);
    out
}

/// For every mode of the last value its place among the next, the most alike pairs first; none where no mode is left.
pub fn follow(last: &[&Mode], next: &ModalReport) -> Vec<Option<usize>> {
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, a) in last.iter().enumerate() {
        for (j, b) in next.modes.iter().enumerate() {
            // Where shapes say nothing, the nearer eigenvalue does.
            let apart =
                (a.eigenvalue[0] - b.eigenvalue[0]).hypot(a.eigenvalue[1] - b.eigenvalue[1]);
            let whole =
                a.eigenvalue[0].hypot(a.eigenvalue[1]) + b.eigenvalue[0].hypot(b.eigenvalue[1]);
            let near = if whole > 0.0 { 1.0 - apart / whole } else { 1.0 };
            pairs.push((alike(a, b, next) + 0.2 * near, i, j));
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut out, mut taken) = (vec![None; last.len()], vec![false; next.modes.len()]);
    for (_, i, j) in pairs {
        if out[i].is_none() && !taken[j] {
            (out[i], taken[j]) = (Some(j), true);
        }
    }
    out
}
