//! Names of outputs by pattern: `*` stands for any characters, dots among them.

use super::{Outputs, Sensor, UnknownOutput};

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

impl Outputs {
    /// The output of this name, or all that a pattern fits.
    pub fn choose(&self, name: &str) -> Result<Vec<Sensor>, UnknownOutput> {
        if !is_pattern(name) {
            return self.find(name).map(|one| vec![one]).ok_or_else(|| self.unknown(name));
        }
        match self.matching(name) {
            found if found.is_empty() => Err(self.unfitting(name)),
            found => Ok(found),
        }
    }

    /// What is wrong with a pattern that fits nothing: its first part where it is no beginning of a name,
    /// else its last.
    fn unfitting(&self, pattern: &str) -> UnknownOutput {
        let message = format!("no output fits `{pattern}`");
        let first = pattern.split('*').next().unwrap_or_default();
        let head = first.trim_end_matches('.');
        let all: Vec<Sensor> = self.listed().into_iter().chain(self.stand_ins()).collect();
        if !head.is_empty() && !all.iter().any(|one| one.name.starts_with(first)) {
            return UnknownOutput { message, ..self.unknown(head) };
        }
        let last = pattern.rsplit('*').next().unwrap_or_default().trim_start_matches('.');
        if last.is_empty() || all.iter().any(|one| one.name.ends_with(last)) {
            return UnknownOutput { part: 0..pattern.len(), message, candidates: Vec::new() };
        }
        let mut candidates: Vec<String> =
            all.iter().filter_map(|one| Some(one.name.rsplit_once('.')?.1.to_owned())).collect();
        candidates.sort();
        candidates.dedup();
        UnknownOutput { part: pattern.len() - last.len()..pattern.len(), message, candidates }
    }
}

/// Whether a pattern fits a name. After the first part each piece between stars is taken where it comes
/// first, which leaves the most for those behind it; the last piece must end the name.
pub fn fits(pattern: &str, name: &str) -> bool {
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
