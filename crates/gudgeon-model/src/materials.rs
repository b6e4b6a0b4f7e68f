//! Typical data of common engineering materials, for contact stiffness and validity checks.
//!
//! Values at room temperature: E, ν and ρ from general tables (Shigley, *Mechanical Engineering
//! Design*, table A–5; Ashby, *Materials Selection in Mechanical Design*, appendix A), strength as
//! the yield strength of one common grade, named beside each row. Steel takes E = 207 GPa and
//! ν = 0.3, the values of zhang and bai. Give numbers in the file where a datasheet is at hand.

use gudgeon::model::Material;

struct Row {
    name: &'static str,
    /// GPa
    young: f64,
    poisson: f64,
    /// kg/m³
    density: f64,
    /// MPa
    strength: f64,
}

const fn row(name: &'static str, young: f64, poisson: f64, density: f64, strength: f64) -> Row {
    Row { name, young, poisson, density, strength }
}

const TABLE: &[Row] = &[
    row("steel", 207.0, 0.3, 7850.0, 350.0), // AISI 1020, cold drawn
    row("hardened_steel", 207.0, 0.3, 7850.0, 1700.0), // AISI 52100, quenched and tempered
    row("stainless_steel", 193.0, 0.3, 8000.0, 215.0), // AISI 304, annealed
    row("cast_iron", 110.0, 0.26, 7200.0, 250.0), // EN-GJL-250, tensile strength: it does not yield
    row("ductile_iron", 169.0, 0.275, 7100.0, 250.0), // EN-GJS-400-15
    row("bronze", 110.0, 0.34, 8800.0, 150.0), // CuSn8, annealed
    row("brass", 105.0, 0.34, 8500.0, 200.0), // CuZn39Pb3
    row("copper", 120.0, 0.34, 8940.0, 200.0), // Cu-ETP, half hard
    row("aluminium", 69.0, 0.33, 2700.0, 270.0), // EN AW-6061-T6
    row("magnesium", 45.0, 0.35, 1770.0, 200.0), // AZ31B
    row("titanium", 114.0, 0.34, 4430.0, 880.0), // Ti-6Al-4V, annealed
    row("babbitt", 53.0, 0.33, 7400.0, 45.0), // SnSb8Cu4
    row("nylon", 2.8, 0.39, 1140.0, 60.0),   // PA 66, dry
    row("pom", 2.9, 0.37, 1410.0, 65.0),     // acetal copolymer
    row("peek", 3.7, 0.38, 1300.0, 100.0),   // unfilled
    row("ptfe", 0.5, 0.46, 2170.0, 12.0),    // unfilled
];

/// All names, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name)
}

pub fn find(name: &str) -> Option<Material> {
    TABLE.iter().find(|row| row.name == name).map(|row| Material {
        name: row.name.to_owned(),
        young: row.young * 1e9,
        poisson: row.poisson,
        density: row.density,
        strength: row.strength * 1e6,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steel_is_the_steel_of_the_papers() {
        let steel = find("steel").expect("steel is in the table");
        assert_eq!((steel.young, steel.poisson), (207e9, 0.3));
        assert_eq!(find("unobtainium"), None);
    }

    #[test]
    fn every_row_is_physical_and_its_name_is_free_to_use() {
        for name in names() {
            let m = find(name).expect("a listed name is found");
            assert!(m.poisson > 0.0 && m.poisson < 0.5, "{name}");
            assert!((1e8..1e12).contains(&m.young) && (500.0..2e4).contains(&m.density), "{name}");
            assert!(m.strength < m.young / 30.0, "{name}");
            assert_eq!(names().filter(|other| *other == name).count(), 1);
            assert_eq!(crate::expr::reserved(name), None, "{name} must be writable in `hertz`");
        }
    }
}
