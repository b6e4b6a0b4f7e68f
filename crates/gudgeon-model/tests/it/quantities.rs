//! Plain quantities: what is read, and what is said about the rest.

use gudgeon_model::expr::{any_quantity, convert, quantity};
use gudgeon_model::units::{Dimension, Quantity};

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
        ("5 mph", Dimension::SPEED, "1 mph = 0.44704 m/s: write \"2.2352 m/s\""),
        ("-5 kgf", Dimension::FORCE, "1 kgf = 9.80665 N: write \"-49.03325 N\""),
        ("5 hp", Dimension::POWER, "1 hp = 745.6998716 W: write \"3728.499358 W\""),
        ("5 kgf mm", Dimension::TORQUE, "1 kgf = 9.80665 N"),
        ("5 kg mm2", Dimension::INERTIA, "did you mean `mm^2`?"),
        ("5 mm/sec", Dimension::SPEED, "did you mean `s`?"),
        ("5 foo/bar", Dimension::SPEED, "write a speed in a unit such as `m/s` or `mm/s`"),
    ] {
        assert_eq!(help(text, dimension).1, hint, "{text}");
    }
}
