#[path = "../tests/common/mod.rs"]
mod common;
use gudgeon::assembly::assemble;
use gudgeon::system::{Plant, Change};
use gudgeon_dae::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let f = |i: usize, d: f64| args.get(i).and_then(|s| s.parse().ok()).unwrap_or(d);
    let (speed, c, k, rtol, revs) = (f(1, 5000.0), f(2, 0.5e-3), f(3, 9.4e9), f(4, 1e-9), f(5, 1.0));
    let model = common::slider_crank(common::rpm(speed), c, k, 0.9);
    let asm = assemble(&model).unwrap();
    println!("{:?} {:?}", asm.report, asm.q);
    for tab in [&tableau::DOP853, &tableau::DOPRI5] {
        let y0 = asm.state();
        let mut plant = Plant::new(&asm.system);
        let mut ode = Explicit::new(tab, Options::adaptive(rtol), &plant, 0.0, &y0);
        let t_end = revs * 60.0 / speed;
        let start = std::time::Instant::now();
        let mut n = 0;
        let mut peak = 0.0f64;
        loop {
            let out = ode.step(&mut plant, t_end).unwrap();
            if plant.memory.contacts[0].in_contact() {
                ode.prepare_dense(&mut plant).unwrap();
                let mut y = vec![0.0; y0.len()];
                for i in 1..50 { let t = ode.last_start() + (ode.time()-ode.last_start())*i as f64/50.0; ode.interpolate(t, &mut y); peak = peak.max(plant.contact_force(0, &y).1.normal); }
            }
            match out {
                Outcome::Stopped => break,
                Outcome::Stepped => {}
                Outcome::Event => {
                    let y = ode.state().to_vec();
                    let fired = ode.fired().to_vec();
                    let ch: Vec<Change> = plant.handle(&y, &fired).to_vec();
                    for change in &ch {
                        if n < 8 { println!("{:.9e} {:?} peak {:.4}", ode.time(), change, peak); }
                        if let Change::Began { .. } = change { peak = 0.0; }
                        n += 1;
                    }
                    let hint = plant.step_hint(0, &y);
                    ode.restart(Some(hint));
                }
            }
        }
        let el = start.elapsed();
        println!("{} n={n} {:?} {:?}", tab.name, ode.statistics, el);
        let yy = ode.state();
        plant.place(t_end, yy);
        let w: f64 = yy[2*plant.coordinates()..].iter().sum();
        let e1 = gudgeon::system::energy::total(&asm.system, &plant.work);
        plant.place(0.0, &y0);
        let e0 = gudgeon::system::energy::total(&asm.system, &plant.work);
        println!("energy residual {:e} proj {:e} of {e0}", e1 - e0 - w - plant.projection_energy, plant.projection_energy);
    }
}
