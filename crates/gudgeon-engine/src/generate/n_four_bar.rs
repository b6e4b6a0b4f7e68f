//! The N-four-bar benchmark of the IFToMM library of computational benchmarks [González et al.].

use std::fmt::Write;

pub fn title(count: u32) -> String {
    match count {
        1 => "a four-bar of two posts and a beam".to_owned(),
        _ => format!("{count} four-bars side by side"),
    }
}

/// The model file. Text is only ever appended, which cannot fail.
pub fn model(count: u32) -> String {
    let mut text = head(count);
    text.push_str("\n[bodies.ground.frames]\n");
    for i in 0..=count {
        let _ = writeln!(text, "foot{i} = \"={i} * length, 0\"");
    }
    text.push_str("\n[bodies]\n");
    for i in 0..=count {
        let frames = "frames = { foot = \"0, 0\", top = \"0, =length\" }";
        let shape = "shape = { rod = \"=mass\", from = \"foot\", to = \"top\" }";
        let _ = writeln!(text, "post{i} = {{ {frames}, {shape} }}");
    }
    for i in 1..=count {
        let frames = "frames = { left = \"0, 0\", right = \"=length, 0\" }";
        let shape = "shape = { rod = \"=mass\", from = \"left\", to = \"right\" }";
        let _ = writeln!(text, "beam{i} = {{ {frames}, {shape} }}");
    }
    text.push_str("\n[joints]\n");
    let mut pin = |name: String, one: String, other: String| {
        let _ = writeln!(
            text,
            "{name} = {{ type = \"revolute\", between = [\"{one}\", \"{other}\"] }}",
        );
    };
    for i in 0..=count {
        pin(format!("base{i}"), format!("ground.foot{i}"), format!("post{i}.foot"));
    }
    for i in 1..=count {
        pin(format!("left{i}"), format!("post{}.top", i - 1), format!("beam{i}.left"));
        pin(format!("right{i}"), format!("beam{i}.right"), format!("post{i}.top"));
    }
    text.push_str(&tail(count));
    text
}

fn head(count: u32) -> String {
    let title = title(count);
    format!(
        "# {title}, made by\n\
         #   gudgeon new n_four_bar --count {count}\n\
         # The N-four-bar of the IFToMM benchmarks: all rods have the same mass and length, the posts stand\n\
         # upright, and their tops start at 1 m/s to the right. Whenever all rods lie in one line the\n\
         # mechanism is in a singular position, which the run has to pass.\n\
         format = 1\n\
         \n\
         [model]\n\
         name    = \"{title}\"\n\
         space   = \"planar\"\n\
         gravity = \"9.81 m/s^2 along -y\"\n\
         \n\
         [parameters]\n\
         length = {{ value = \"1 m\", about = \"length of every rod\", min = \"1 mm\" }}\n\
         mass   = {{ value = \"1 kg\", about = \"mass of every rod\", min = \"1 g\" }}\n\
         speed  = {{ value = \"1 m/s\", about = \"speed of the tops at the start\" }}\n",
    )
}

fn tail(count: u32) -> String {
    let mut text = "\n[start]\n".to_owned();
    for i in 0..=count {
        let _ = writeln!(text, "post{i}.angular_velocity = \"=-speed / length * 1 rad\"");
    }
    for i in 1..=count {
        let _ = writeln!(text, "beam{i}.velocity = \"=speed, 0\"");
    }
    text.push_str(
        "\n[run]\n\
         until = \"10 s\"\n\
         outputs = [\"post0.top.position.x\", \"post0.top.position.y\", \"post0.top.velocity.x\", \"post0.top.velocity.y\"]\n",
    );
    text
}

pub fn readme(count: u32) -> String {
    format!(
        "# N-four-bar\n\
         \n\
         The benchmark of the IFToMM library of computational benchmarks with N = {count}, made by\n\
         `gudgeon new n_four_bar --count {count}`: N + 1 posts on the ground, their tops joined by N beams,\n\
         all of 1 m and 1 kg. The posts stand upright and their tops start at 1 m/s to the right.\n\
         \n\
         ```sh\n\
         gudgeon run model.toml\n\
         ```\n\
         \n\
         | parameter | default | meaning |\n\
         |---|---|---|\n\
         | `length` | 1 m | length of every rod |\n\
         | `mass` | 1 kg | mass of every rod |\n\
         | `speed` | 1 m/s | speed of the tops at the start |\n\
         \n\
         ## Check it by hand\n\
         \n\
         - One degree of freedom, whatever N.\n\
         - Energy is conserved.\n\
         - For N = 2 the benchmark gives at t = 10 s the first upper joint at x = 0.3284581112 m,\n\
           y = 0.9445185383 m, with the velocity 1.423051470 m/s, -0.494868845 m/s.\n\
         \n\
         ## Limits\n\
         \n\
         Twice per turn all rods lie in one line. There the joints do not determine which way each beam\n\
         goes on; the run keeps going straight on and warns (W0307).\n",
    )
}
