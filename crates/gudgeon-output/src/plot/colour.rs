//! Colours of all plots.

pub const TEXT: &str = "#1f2933";
pub const MUTED: &str = "#64707d";
pub const GRID: &str = "#e8ebef";
/// Where there is nothing to show, such as pressure in a cavity.
pub const EMPTY: &str = "#d9dce0";
pub const ZERO: &str = "#b9c1ca";
pub const FRAME: &str = "#ccd2d9";
pub const WINDOW: &str = "#f1f5fa";
/// The window's sign in the legend, strong enough for a small square.
pub const WINDOW_SIGN: &str = "#cfdded";
pub const MAIN: &str = "#1c5d99";
pub const BASELINE: &str = "#e08a00";
/// What came before the measuring window.
pub const BEFORE: &str = "#98a2ad";
pub const PEAK: &str = "#c2410c";
/// Curves of one plot, in order.
pub const CURVES: [&str; 8] =
    ["#1c5d99", "#c2410c", "#2f855a", "#805ad5", "#b7791f", "#2c9ab7", "#8d6e63", "#b83280"];

/// Dark violet to light yellow; the lightness L* rises evenly from 20 to 92, so that the order of
/// the colours survives a printer without colours.
const RAMP: [[f64; 3]; 9] = [
    [46.0, 35.0, 111.0],
    [24.0, 65.0, 136.0],
    [2.0, 95.0, 139.0],
    [2.0, 122.0, 144.0],
    [7.0, 150.0, 147.0],
    [13.0, 179.0, 141.0],
    [116.0, 200.0, 130.0],
    [184.0, 219.0, 124.0],
    [247.0, 235.0, 133.0],
];

/// The colour at a share of the way from low (0) to high (1).
pub fn ramp(share: f64) -> String {
    let place = if share.is_finite() { share.clamp(0.0, 1.0) * 8.0 } else { 0.0 };
    let below = (place as usize).min(7);
    let part = place - below as f64;
    let channel = |i: usize| {
        let (a, b) = (RAMP[below][i], RAMP[below + 1][i]);
        (a + part * (b - a)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// L* of a colour.
    fn lightness(colour: &str) -> f64 {
        let linear = |from: usize| {
            let c = f64::from(u8::from_str_radix(&colour[from..from + 2], 16).unwrap()) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let y = 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
        116.0 * y.cbrt() - 16.0
    }

    #[test]
    fn the_ramp_grows_evenly_lighter() {
        for step in 0..=40 {
            let share = f64::from(step) / 40.0;
            let expected = 20.0 + 72.0 * share;
            // rounding to 256 levels and straight lines between nine colours cost a little
            assert!((lightness(&ramp(share)) - expected).abs() < 1.5, "{share}");
        }
        assert_eq!(ramp(f64::NAN), ramp(-1.0));
    }
}
