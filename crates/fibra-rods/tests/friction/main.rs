mod problems;
use fibra_rods::friction::gauss_seidel::*;
use fibra_rods::friction::newton::*;
use fibra_rods::friction::continuation::*;
use fibra_rods::friction::auto::*;
use fibra_rods::friction::report::*;
use fibra_rods::friction::problem::*;
use glam::{DMat3, DVec3};

fn sample(name: &str) -> FrictionProblem {
    let text = std::fs::read_to_string(format!("/work/shared/data/friction/{name}")).unwrap();
    let v: serde_json::Value = serde_json::from_str(&text).unwrap();
    let nums = |v: &serde_json::Value| -> Vec<f64> { v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let b = nums(&v["b"]).chunks(3).map(DVec3::from_slice).collect();
    let (rows, cols) = (nums(&v["W"]["rows"]), nums(&v["W"]["cols"]));
    let blocks: Vec<Block> = v["W"]["blocks"].as_array().unwrap().iter().enumerate().map(|(i, m)| Block {
        row: rows[i] as usize, column: cols[i] as usize,
        matrix: DMat3::from_cols_slice(&nums(m)).transpose() }).collect();
    FrictionProblem::new(nums(&v["mu"]), b, &blocks).unwrap()
}

#[test]
fn table() {
    let mut set: Vec<(String, FrictionProblem)> = vec![];
    for s in ["FrictionContact3D_1c.json", "OneObject-i100000-316.json", "Confeti-ex13-Fc3D-SBM.json"] {
        set.push((s.into(), sample(s)));
    }
    for (w, h) in [(1, 5), (1, 20), (3,3), (6, 6)] {
        for mu in [0.3, 0.6] {
            for push in [0.1, 1.0, 5.0] {
                set.push((format!("wall {w}x{h} {mu} {push}"), problems::wall(w, h, mu, push)));
            }
        }
    }
    for side in [3, 4] {
        for mu in [0.3, 0.5, 0.8] {
            for seed in 0..3 {
            set.push((format!("balls {side} {mu} {seed}"), problems::balls(side, mu, seed)));
            }
        }
    }
    let mut counts = vec![0; 8];
    let filter = std::env::var("ONLY").unwrap_or_default();
    for (name, p) in &set {
        if !name.contains(&filter) { continue; }
        let n = p.contacts();
        let mut reports: Vec<SolveReport> = vec![];
        let zero = vec![DVec3::ZERO; n];
        let mut r = zero.clone();
        reports.push(solve_newton(p, &mut r, 1e-8, &NewtonParams::default()));
        let mut r = zero.clone();
        reports.push(solve_gauss_seidel(p, &mut r, 1e-8, 2000));
        let mut r = zero.clone();
        reports.push(solve_continuation(p, &mut r, 1e-8, 2000));
        for rounds in [0, 2, 6] {
        let mut r = zero.clone();
        reports.push(solve_auto(p, &mut r, 1e-8, &AutoParams { path_factors: 0, rounds, ..Default::default() }));
        }
        print!("{name:28} {n:4}");
        for (k, rep) in reports.iter().enumerate() {
            counts[k] += rep.met as usize;
            print!(" | {} {:4} {:7.1e} {:6.0}ms", if rep.met { "ok" } else { "--" }, rep.iterations, rep.error, rep.seconds * 1e3);
        }
        println!();
    }
    println!("{counts:?} of {}", set.len());
}
