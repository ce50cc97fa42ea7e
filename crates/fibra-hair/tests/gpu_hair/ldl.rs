//! Compares band solves on every available device with the CPU.

use fibra_gpu::on_every_device;
use fibra_hair::internals::band::{BandSystem, solve_dispatched};
use fibra_hair::internals::gpu::ldl::Systems;
use fibra_hair::internals::lanes::LANES;
use fibra_hair::internals::random_band::RandomBand;

/// Returns the solutions of the CPU.
fn expected(bands: &[RandomBand]) -> Vec<Vec<f32>> {
    let rows = bands[0].rows();
    let mut solutions = Vec::new();
    for some in bands.chunks(LANES) {
        let mut system = BandSystem::with_capacity(rows);
        system.clear(rows);
        some.iter().enumerate().for_each(|(lane, band)| band.put(&mut system, lane));
        solve_dispatched(&mut system, rows);
        solutions.extend((0..some.len()).map(|lane| system.solution()[..rows].iter().map(|x| x[lane]).collect()));
    }
    solutions
}

/// Returns the largest difference, relative to the size of the solution.
fn error(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    let apart = found.iter().zip(expected).map(|(a, b)| if a.is_nan() { f32::INFINITY } else { (a - b).abs() });
    apart.fold(0.0, f32::max) / size
}

#[test]
fn solutions_agree_with_the_cpu() {
    on_every_device!(gpu => {
        for (rows, count) in [(1, 1), (7, 3), (16, 2), (17, 5), (52, 40), (400, 9)] {
            let bands: Vec<RandomBand> = (0..count).map(|number| RandomBand::new(number, rows)).collect();
            let systems = Systems::upload(&gpu, &bands);
            systems.solve();
            let found = systems.solutions().unwrap();
            assert_eq!(found.len(), bands.len());
            let worst = found.iter().zip(expected(&bands)).map(|(found, right)| error(found, &right)).fold(0.0, f32::max);
            println!("{rows} rows on {}: {worst:e}", gpu.name());
            assert!(worst < 1e-5, "{rows} rows: {worst}");
        }
    });
}

/// For an indefinite matrix, pivots are clamped to the same fraction of the diagonal.
#[test]
fn small_pivots_are_clamped() {
    on_every_device!(gpu => {
        let bands: Vec<RandomBand> = (0..8)
            .map(|number| {
                let mut band = RandomBand::new(number, 40);
                // With two equal rows, the second pivot is zero.
                let column = band.columns[20];
                band.columns[20] = [column[0], column[0], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
                band.columns[21] = band.columns[20];
                band.columns[21][1] = 0.0;
                (0..20).for_each(|j| band.columns[j] = [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
                (band.rhs[20], band.rhs[21]) = (1.0, 1.5);
                band
            })
            .collect();
        let systems = Systems::upload(&gpu, &bands);
        systems.solve();
        for (found, right) in systems.solutions().unwrap().iter().zip(expected(&bands)) {
            assert!(right[21].abs() > 1e4, "the pivot is clamped: {}", right[21]);
            assert!(error(found, &right) < 1e-5, "{} {}", found[21], right[21]);
        }
    });
}
