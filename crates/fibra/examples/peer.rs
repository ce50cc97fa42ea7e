//! temp
use fibra::bench::peer_block::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let matter = if a[1] == "jelly" { Matter::Jelly } else { Matter::Sand };
    let threads: usize = a[2].parse().unwrap();
    let order = if a[3] == "lattice" { Order::Lattice } else { Order::Shuffled };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap();
    let (params, mut state) = block(matter, PEER_COUNTS, order);
    let mut work = Default::default();
    let n = state.particles.len();
    for _ in 0..20 { fibra_mpm::step::step(&params, &mut state, &mut work, 1e9).unwrap(); }
    for _ in 0..5 {
        work.seconds = Default::default();
        let t = std::time::Instant::now();
        for _ in 0..60 { fibra_mpm::step::step(&params, &mut state, &mut work, 1e9).unwrap(); }
        let k = 1e6 / 60.0 / n as f64;
        println!("{:.4} us/particle-step  {:?}", t.elapsed().as_secs_f64() * k, work.seconds.map(|s| (s * k * 1e4).round() / 1e4));
    }
    let y: Vec<f32> = state.particles.x.iter().map(|x| x[1]).collect();
    println!("y mean {} range {}..{}", y.iter().map(|&y| y as f64).sum::<f64>() / n as f64, y.iter().cloned().fold(9.0, f32::min), y.iter().cloned().fold(0.0, f32::max));
}
