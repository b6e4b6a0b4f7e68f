//! Plain quantities: what is read, and what is said about the rest.

use gudgeon_model::expr::{any_quantity, convert, quantity};
use gudgeon_model::units::{Dimension, Quantity, unit, unit_names};

fn help(text: &str, expected: Dimension) -> (String, String) {
    let error = quantity(text, expected).expect_err("the text must be refused");
    (error.message, error.help.unwrap_or_default())
}

#[test]
fn quantities_are_read_in_si() {
    let stiffness = Dimension::contact_stiffness(1.5);
    for (text, value, dimension) in [
        ("0.1 mm", 1e-4, Dimension::LENGTH),
        ("0.7mm", 7e-4, Dimension::LENGTH),
        (" -5 µm ", -5e-6, Dimension::LENGTH),
        ("3.4e9 N/m^1.5", 3.4e9, stiffness),
        ("3.4e9 N/m^(3/2)", 3.4e9, stiffness),
        ("2 N/mm^1.5", 2.0 * 10_f64.powf(4.5), stiffness),
        ("1e-4 kg m^2", 1e-4, Dimension::INERTIA),
        ("1e-4 kg·m²", 1e-4, Dimension::INERTIA),
        ("1e-4 kg*m^2", 1e-4, Dimension::INERTIA),
        ("2.7 g/cm^3", 2700.0, Dimension::DENSITY),
        ("10 N s/m", 10.0, Dimension::DAMPING),
        ("10 N/(m/s)", 10.0, Dimension::DAMPING),
        ("3 N m/rad", 3.0, Dimension::TORSION_STIFFNESS),
        ("207 GPa", 207e9, Dimension::PRESSURE),
        ("0.04 Pa s", 0.04, Dimension::VISCOSITY),
        ("2 t", 2000.0, Dimension::MASS),
        ("5 1/s", 5.0, Dimension::FREQUENCY),
        ("5 /s", 5.0, Dimension::FREQUENCY),
        ("+1 in", 0.0254, Dimension::LENGTH),
        ("180 deg", std::f64::consts::PI, Dimension::ANGLE),
        ("180°", std::f64::consts::PI, Dimension::ANGLE),
        ("60 rpm", std::f64::consts::TAU, Dimension::ANGULAR_SPEED),
        ("0", 0.0, Dimension::LENGTH),
        ("0.5", 0.5, Dimension::NUMBER),
    ] {
        let read = quantity(text, dimension).unwrap_or_else(|e| panic!("{text}: {}", e.message));
        assert!((read - value).abs() <= 2e-16 * value.abs(), "{text} is {read}");
    }
}

/// Exact values of NIST SP 811 (2008), appendix B.8; those of `psi`, `ksi`, `hp` and `slug` have endless digits and are
/// given to seventeen.
#[test]
fn units_of_other_systems_have_their_exact_factors() {
    for (text, value, dimension) in [
        ("1 in", 0.0254, Dimension::LENGTH),
        ("1 mil", 25.4e-6, Dimension::LENGTH),
        ("1 ft", 0.3048, Dimension::LENGTH),
        ("1 mph", 0.447_04, Dimension::SPEED),
        ("1 lb", 0.453_592_37, Dimension::MASS),
        ("1 lbm", 0.453_592_37, Dimension::MASS),
        ("1 slug", 14.593_902_937_206_365, Dimension::MASS),
        ("1 kgf", 9.806_65, Dimension::FORCE),
        ("1 lbf", 4.448_221_615_260_5, Dimension::FORCE),
        ("1 psi", 6_894.757_293_168_361, Dimension::PRESSURE),
        ("1 ksi", 6_894_757.293_168_361, Dimension::PRESSURE),
        ("1 hp", 745.699_871_582_270_2, Dimension::POWER),
        ("1 PS", 735.498_75, Dimension::POWER),
        ("46 cSt", 46e-6, Dimension::KINEMATIC_VISCOSITY),
        ("1 St", 1e-4, Dimension::KINEMATIC_VISCOSITY),
        ("46 mm^2/s", 46e-6, Dimension::KINEMATIC_VISCOSITY),
        ("1 cP", 1e-3, Dimension::VISCOSITY),
        ("1 ft lbf", 1.355_817_948_331_400_4, Dimension::TORQUE),
        ("1 lbf ft", 1.355_817_948_331_400_4, Dimension::TORQUE),
        ("1 in lbf", 0.112_984_829_027_616_7, Dimension::TORQUE),
        ("1 kgf m", 9.806_65, Dimension::TORQUE),
        ("1 lbf/in", 175.126_835_246_476_36, Dimension::STIFFNESS),
        ("1 slug ft^2", 1.355_817_948_331_400_4, Dimension::INERTIA),
        ("550 ft lbf/s", 745.699_871_582_270_2, Dimension::POWER),
        ("1 lbf/in^2", 6_894.757_293_168_361, Dimension::PRESSURE),
    ] {
        let read = quantity(text, dimension).unwrap_or_else(|e| panic!("{text}: {}", e.message));
        assert!((read - value).abs() <= 1e-15 * value, "{text} is {read}");
    }
}

/// Every unit misspelt in every way of one letter, where every dimension is asked for: what the help
/// suggests reads as that dimension.
#[test]
fn no_misspelt_unit_gets_a_suggestion_of_another_dimension() {
    let mut dimensions: Vec<Dimension> = unit_names().map(|name| unit(name).unwrap().1).collect();
    dimensions.extend([Dimension::TORQUE, Dimension::ACCELERATION, Dimension::INERTIA]);
    dimensions.sort();
    dimensions.dedup();
    let mut suggested = 0;
    for name in unit_names() {
        let cuts = || name.char_indices().map(|(at, c)| (&name[..at], &name[at + c.len_utf8()..]));
        let shorter = cuts().map(|(a, b)| format!("{a}{b}"));
        let other = cuts().map(|(a, b)| format!("{a}x{b}"));
        let cases = [name.to_uppercase(), name.to_lowercase(), format!("{name}s")];
        let words = shorter.chain(other).chain(cases).filter(|word| !word.is_empty());
        for text in words.map(|word| format!("5 {word}")) {
            for &dimension in &dimensions {
                let Err(error) = quantity(&text, dimension) else { continue };
                let help = error.help.unwrap_or_default();
                let Some(unit) = help.strip_prefix("did you mean `") else { continue };
                let unit = unit.trim_end_matches("`?");
                let found = quantity(&format!("1 {unit}"), dimension);
                assert!(found.is_ok(), "{text} for {}: {help}", dimension.describe());
                suggested += 1;
            }
        }
    }
    assert!(suggested > 200, "{suggested}");
}

#[test]
fn weights_are_told_from_masses() {
    let units = "use a unit such as `N m` or `J`";
    let help = |text, dimension| self::help(text, dimension).1;
    let kilogram = "the weight of a kilogram is `kgf`, of a pound `lbf`";
    assert_eq!(help("30 lb ft", Dimension::TORQUE), format!("{units}; {kilogram}"));
    assert!(help("30 kg", Dimension::FORCE).ends_with(kilogram));
    assert!(help("2 kgf", Dimension::MASS).ends_with("a kilogram is `kg`, a pound `lb`"));
    assert_eq!(
        help("30 ft-lbf", Dimension::TORQUE),
        "write a space between units that are multiplied, as in `ft lbf`"
    );
}

#[test]
fn a_frequency_is_no_angular_speed() {
    let (message, help) = help("50 Hz", Dimension::ANGULAR_SPEED);
    assert_eq!(message, "expected an angular speed (rad/s), found a frequency (Hz)");
    assert_eq!(help, "50 Hz = 3000 rpm");
    assert_eq!(self::help("3000 rpm", Dimension::FREQUENCY).1, "3000 rpm = 50 Hz");
}

#[test]
fn a_bare_number_asks_for_its_unit() {
    let (message, text) = help("0.1", Dimension::LENGTH);
    assert_eq!(message, "expected a length (m), found a plain number");
    assert_eq!(text, "write \"0.1 mm\" or \"0.1 m\"");
    let angle = help("0.5", Dimension::ANGLE).1;
    assert_eq!(angle, "write \"0.5 rad\" (= 28.6 deg) or \"0.5 deg\"");
    let stiffness = help("3e9", Dimension::contact_stiffness(1.5)).1;
    assert_eq!(stiffness, "write \"3e9 N/m^1.5\"");
}

#[test]
fn wrong_dimensions_name_both_and_a_unit() {
    let (message, text) = help("3 s", Dimension::LENGTH);
    assert_eq!(message, "expected a length (m), found a time (s)");
    assert_eq!(text, "use a unit such as `mm` or `m`");
    let (message, _) = help("3 N/m^2", Dimension::contact_stiffness(1.5));
    assert_eq!(message, "expected a contact stiffness (N/m^1.5), found a pressure (Pa)");
    assert_eq!(
        help("3 N m", Dimension::TORSION_STIFFNESS).1,
        "use a unit such as `N m/rad` or `N m/deg`"
    );
    assert_eq!(help("3 mm", Dimension::NUMBER).1, "remove the unit");
    // A written unit is taken at its word; only computed values drop the radian.
    assert!(quantity("3 m rad/s", Dimension::SPEED).is_err());
    let lever = Quantity::new(3.0, any_quantity("1 m rad/s").expect("valid").dimension);
    assert_eq!(convert(lever, Dimension::SPEED, 0..1), Ok(3.0));
}

#[test]
fn slips_are_understood() {
    for (text, message, hint) in [
        (
            "",
            "expected a quantity, found an empty text",
            "write a number with its unit, such as \"0.1 mm\"",
        ),
        ("0,1 mm", "expected one quantity, found `,`", "write `.` as the decimal sign"),
        (
            "clearance",
            "expected a number, found `clearance`",
            "write a number with its unit, such as \"0.1 mm\", or \"=clearance\" if it is an expression",
        ),
        (
            "10 mm - 1 mm",
            "expected a unit, found `-`",
            "write \"= 10 mm - 1 mm\" if it is an expression",
        ),
        ("1e999 m", "this number is too large", "numbers go up to about 1e308"),
        ("1e300 km^99", "this quantity is out of range", ""),
        (
            "5 m^x",
            "expected a number as exponent of the unit",
            "write it as in `m^2`, `m^1.5` or `m^(3/2)`",
        ),
        ("5 m^(1/0)", "the exponent of this unit is out of range", ""),
        ("5 %", "unexpected character `%`", "write a fraction: 5 % is `0.05`"),
    ] {
        assert_eq!(help(text, Dimension::LENGTH), (message.to_owned(), hint.to_owned()), "{text}");
    }
}

#[test]
fn units_are_suggested_of_the_dimension_asked_for() {
    for (text, dimension, hint) in [
        ("5 Nm", Dimension::TORQUE, "did you mean `N m`?"),
        ("5 RPM", Dimension::ANGULAR_SPEED, "did you mean `rpm`?"),
        ("5 sec", Dimension::TIME, "did you mean `s`?"),
        ("5 bat", Dimension::PRESSURE, "did you mean `bar`?"),
        ("5 bat", Dimension::LENGTH, "write a length in a unit such as `mm` or `m`"),
        ("5 sec", Dimension::LENGTH, "write a length in a unit such as `mm` or `m`"),
        ("5 knots", Dimension::SPEED, "1 knots = 1.852 km/h: write \"9.26 km/h\""),
        ("-5 tf", Dimension::FORCE, "1 tf = 9806.65 N: write \"-49033.25 N\""),
        ("5 tf mm", Dimension::TORQUE, "1 tf = 9806.65 N"),
        ("5 HP", Dimension::POWER, "did you mean `hp`?"),
        ("5 lbs", Dimension::FORCE, "did you mean `lbf`?"),
        ("5 lbs", Dimension::MASS, "did you mean `lb`?"),
        ("5 mim", Dimension::LENGTH, "did you mean `mm`?"),
        ("5 kg mm2", Dimension::INERTIA, "did you mean `mm^2`?"),
        ("5 mm/sec", Dimension::SPEED, "did you mean `s`?"),
        ("5 foo/bar", Dimension::SPEED, "write a speed in a unit such as `m/s` or `mm/s`"),
    ] {
        assert_eq!(help(text, dimension).1, hint, "{text}");
    }
}
