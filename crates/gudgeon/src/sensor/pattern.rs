//! Names of outputs by pattern: `*` stands for any characters, dots among them.

use super::{Outputs, Sensor};

/// Whether a name stands for all outputs that fit it.
pub fn is_pattern(name: &str) -> bool {
    name.contains('*')
}

impl Outputs {
    /// All outputs that a pattern fits, in the order of the catalogue. Those that a joint without clearance
    /// only stands in for count where there are no others.
    pub fn matching(&self, pattern: &str) -> Vec<Sensor> {
        let mut found = self.listed();
        found.retain(|sensor| fits(pattern, &sensor.name));
        if found.is_empty() {
            found = self.stand_ins();
            found.retain(|sensor| fits(pattern, &sensor.name));
        }
        found
    }
}

/// Whether a pattern fits a name. After the first part each piece between stars is taken where it comes
/// first, which leaves the most for those behind it; the last piece must end the name.
fn fits(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name) in [
            ("crank.*", "crank.pin.velocity.x"),
            ("*.power", "motor.power"),
            ("pin.contact_force*", "pin.contact_force"),
            ("pin.contact_force*", "pin.contact_force.y"),
            ("*.position.*", "rod.centre.position.x"),
            ("*", "efficiency"),
            ("**a*", "ba"),
            ("a*a", "aa"),
            ("*ab*ab", "abab"),
            ("plain", "plain"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("crank.*", "crank_pin.reaction"),
            ("crank.*", "crank"),
            ("*.power", "motor.power_loss"),
            ("a*a", "a"),
            ("*ab*ab", "ab"),
            ("plain", "plainer"),
            ("", "a"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
