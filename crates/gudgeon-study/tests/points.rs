//! Tables of points written by users.

use gudgeon_study::design::csv::read_points;
use gudgeon_study::design::variables::{Variable, Variables};

fn variables() -> Variables {
    Variables::new(vec![
        Variable::linear("speed", 50.0, 5000.0).unwrap(),
        Variable::choice("law", &["ln", "hunt, crossley"]).unwrap(),
        Variable::integer("teeth", 3.0, 9.0).unwrap(),
    ])
    .unwrap()
}

fn messages(text: &str) -> Vec<String> {
    read_points(text, &variables()).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn columns_in_any_order_quotes_and_line_ends() {
    let text = "\u{feff}teeth , speed,law\r\n\r\n3,5e1,ln\r\n 9 ,5000 , \"hunt, crossley\"\n\n";
    let points = read_points(text, &variables()).unwrap();
    assert_eq!(points, [vec![50.0, 0.0, 3.0], vec![5000.0, 1.0, 9.0]]);
    // No line end at the end of the text.
    assert_eq!(read_points("teeth,speed,law\n4,60,ln", &variables()).unwrap().len(), 1);
}

#[test]
fn values_pass_unchanged() {
    let v = Variables::new(vec![Variable::log("c", 1e-5, 1e-3).unwrap()]).unwrap();
    let text = "c\n0.00012\n3.3e-4\n";
    assert_eq!(read_points(text, &v).unwrap(), [vec![0.00012], vec![3.3e-4]]);
}

#[test]
fn every_mistake_has_its_place() {
    let text = "speed,law,teeth\n10,ln,4\n60,lm,4.5\nfast,ln,4\n60,ln\n60,ln,4,\nNaN,ln,inf\n";
    assert_eq!(
        messages(text),
        [
            "line 2, column 1: `speed`: 10 lies outside 50 to 5000",
            "line 3, column 4: `law`: there is no choice `lm`",
            "line 3, column 7: `teeth`: `4.5` is not a whole number",
            "line 4, column 1: `speed`: `fast` is not a number",
            "line 5, column 1: 2 fields where the header has 3",
            "line 6, column 1: 4 fields where the header has 3",
            "line 7, column 1: `speed`: `NaN` is not a number",
            "line 7, column 8: `teeth`: `inf` is not a number",
        ]
    );
}

#[test]
fn the_header_is_checked() {
    assert_eq!(
        messages("speed,spin,speed\n1,2,3\n"),
        [
            "line 1, column 7: there is no variable `spin`",
            "line 1, column 12: the column `speed` stands twice",
            "line 1, column 1: the variable `law` has no column",
            "line 1, column 1: the variable `teeth` has no column",
        ]
    );
    assert_eq!(messages(" \n\n"), ["line 1, column 1: the table has no header"]);
    assert_eq!(messages("speed,law,teeth\n"), ["line 1, column 1: the table has no points"]);
}

#[test]
fn quotes_must_close_and_stand_alone() {
    assert_eq!(messages("speed,\"law\n60,ln"), ["line 1, column 7: a quoted field does not end"]);
    assert_eq!(
        messages("speed,\"law\"x\n"),
        ["line 1, column 12: only a comma may follow a closing quote"]
    );
}

/// Whatever the text, the reader answers.
#[test]
fn random_text_never_panics() {
    let mut random = gudgeon_study::random::Random::new(3);
    let alphabet: Vec<char> = "speed,law\n\"0.5 \r-é\u{feff};".chars().collect();
    for _ in 0..5000 {
        let length = random.below(40);
        let text: String = (0..length).map(|_| alphabet[random.below(alphabet.len())]).collect();
        let _ = read_points(&text, &variables());
    }
}
