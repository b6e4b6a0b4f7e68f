//! A chain of rods that hangs from the ground, pulled aside at its lower end.

use std::fmt::Write;

pub fn title(links: u32, spatial: bool) -> String {
    let space = if spatial { ", every second pin turned by 90 deg" } else { "" };
    match links {
        1 => "a hanging chain of 1 link".to_owned(),
        _ => format!("a hanging chain of {links} links{space}"),
    }
}

/// The model file. Text is only ever appended, which cannot fail.
pub fn model(links: u32, spatial: bool) -> String {
    let mut text = head(links, spatial);
    let origin = if spatial { "0, 0, 0" } else { "0, 0" };
    let end = if spatial { "0, =-length, 0" } else { "0, =-length" };
    text.push_str("\n[bodies]\n");
    for i in 1..=links {
        let _ = writeln!(
            text,
            "link{i} = {{ frames = {{ top = \"{origin}\", bottom = \"{end}\" }}, \
             shape = {{ cylinder = \"=diameter\", from = \"top\", to = \"bottom\", material = \"steel\" }} }}",
        );
    }
    text.push_str("\n[joints]\n");
    for i in 1..=links {
        let above = if i == 1 { "ground".to_owned() } else { format!("link{}.bottom", i - 1) };
        let axis = match (spatial, i % 2) {
            (false, _) => "",
            (true, 1) => ", axis = \"z\"",
            (true, _) => ", axis = \"x\"",
        };
        let _ = writeln!(
            text,
            "pin{i} = {{ type = \"revolute\", between = [\"{above}\", \"link{i}.top\"]{axis} }}",
        );
    }
    text.push_str(&tail(links, spatial));
    text
}

fn head(links: u32, spatial: bool) -> String {
    let (flag, space) = if spatial { (" --spatial", "spatial") } else { ("", "planar") };
    let pins = if spatial {
        "# Every second pin is turned by 90 deg about the link, so that the chain bends both ways.\n"
    } else {
        ""
    };
    let title = title(links, spatial);
    format!(
        "# {title}, made by\n\
         #   gudgeon new chain --links {links}{flag}\n\
         # It hangs straight down from the origin and is at rest. A push on its lower end lasts for the\n\
         # first tenth of a second; then it swings freely.\n\
         {pins}\
         format = 1\n\
         \n\
         [model]\n\
         name    = \"{title}\"\n\
         space   = \"{space}\"\n\
         gravity = \"9.81 m/s^2 along -y\"\n\
         \n\
         [parameters]\n\
         length   = {{ value = \"100 mm\", about = \"length of a link\", min = \"1 mm\" }}\n\
         diameter = {{ value = \"10 mm\", about = \"diameter of a link\", min = \"0.1 mm\" }}\n\
         push     = {{ value = \"5 N\", about = \"force on the lower end during the first 0.1 s\" }}\n",
    )
}

fn tail(links: u32, spatial: bool) -> String {
    let push = "\"= if(t < 0.1 s, push, 0 N)\"";
    let force = if spatial { format!("{push}, 0, {push}") } else { format!("{push}, 0") };
    let sideways = if spatial { ", \"END.position.z\"" } else { "" };
    let outputs = format!("\"END.position.x\", \"END.position.y\"{sideways}, \"pin1.reaction\"");
    let outputs = outputs.replace("END", &format!("link{links}.bottom"));
    format!(
        "\n[forces]\n\
         push_aside = {{ type = \"force\", on = \"link{links}.bottom\", force = [{force}] }}\n\
         \n\
         [run]\n\
         until = \"2 s\"\n\
         outputs = [{outputs}]\n",
    )
}

pub fn readme(links: u32, spatial: bool) -> String {
    let flag = if spatial { " --spatial" } else { "" };
    let pins = if spatial {
        "\nThe pins `pin1`, `pin3`, … turn about z, the others about x: every second one is turned by\n\
         90 deg about the link, as in a chain of shackles, and the chain bends in all directions.\n"
    } else {
        ""
    };
    format!(
        "# Chain\n\
         \n\
         {}, made by `gudgeon new chain --links {links}{flag}`. The links\n\
         are steel rods; the chain hangs from the origin, is at rest, and a push on its lower end lasts\n\
         for 0.1 s.\n\
         {pins}\n\
         ```sh\n\
         gudgeon run model.toml\n\
         ```\n\
         \n\
         | parameter | default | meaning |\n\
         |---|---|---|\n\
         | `length` | 100 mm | length of a link |\n\
         | `diameter` | 10 mm | diameter of a link |\n\
         | `push` | 5 N | force on the lower end |\n\
         \n\
         ## Check it by hand\n\
         \n\
         - The mechanism has as many degrees of freedom as links: `gudgeon check model.toml`.\n\
         - At rest `pin1` carries the weight of all links.\n\
         - Without friction energy is conserved: the residual in the result is at rounding.\n\
         - Small swings of one link have the period 2π √(2 L/(3 g)) = 0.518 s.\n\
         \n\
         ## Limits\n\
         \n\
         Long chains move irregularly after a while: two runs that differ in the last digit part ways.\n",
        capital(&title(links, spatial)),
    )
}

fn capital(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}
