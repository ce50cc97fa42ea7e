//! Matrices, decompositions and elementary functions of `fibra-core` on every device, compared with the CPU and with their
//! definitions. Tolerances allow for CUDA, whose square roots and divisions are not correctly rounded.

use cubecl::prelude::*;
use fibra_core::decompose::{LeftSvd, Polar, Qr, Svd, eigen, left_svd, polar, qr, svd};
use fibra_core::elementary::{exp, exp_m1, ln, pick};
use fibra_core::invariants::{Coaxial, eigenvalues, left_stretch, right_polar};
use fibra_core::mat3::{Diag3, Mat3, Sym3};
use fibra_core::random::CounterRng;
use fibra_gpu::launch::cubes_for;
use fibra_gpu::on_every_device;

#[cube]
fn get(from: &Array<f32>, at: usize) -> Mat3 {
    Mat3 {
        xx: from[at],
        xy: from[at + 1],
        xz: from[at + 2],
        yx: from[at + 3],
        yy: from[at + 4],
        yz: from[at + 5],
        zx: from[at + 6],
        zy: from[at + 7],
        zz: from[at + 8],
    }
}

#[cube]
fn put(to: &mut Array<f32>, at: usize, m: &Mat3) {
    to[at] = m.xx;
    to[at + 1] = m.xy;
    to[at + 2] = m.xz;
    to[at + 3] = m.yx;
    to[at + 4] = m.yy;
    to[at + 5] = m.yz;
    to[at + 6] = m.zx;
    to[at + 7] = m.zy;
    to[at + 8] = m.zz;
}

#[cube]
fn diagonal(d: &Diag3) -> Mat3 {
    Mat3::diagonal(d.x, d.y, d.z)
}

/// Number of matrices that the kernel writes for each input, in this order.
const RESULTS: usize = 19;

#[cube(launch)]
fn results(input: &Array<f32>, output: &mut Array<f32>) {
    if ABSOLUTE_POS < input.len() / 9 {
        let a = get(input, 9 * ABSOLUTE_POS);
        let at = 9 * RESULTS * ABSOLUTE_POS;
        put(output, at, &a.mul(&a.transpose().scale(0.5)).sub(&a));
        put(output, at + 9, &a.cofactor());
        let svd = svd(&a);
        put(output, at + 18, &svd.u);
        put(output, at + 27, &diagonal(&svd.sigma));
        put(output, at + 36, &svd.v);
        let polar = polar(&a);
        put(output, at + 45, &polar.r);
        put(output, at + 54, &polar.s.to_mat3());
        let qr = qr(&a);
        put(output, at + 63, &qr.q);
        put(output, at + 72, &qr.r);
        let left = left_svd(&a);
        put(output, at + 81, &left.u);
        put(output, at + 90, &diagonal(&left.sigma));
        let s = a.symmetric_part();
        let found = eigen(&s);
        put(output, at + 99, &found.v);
        put(output, at + 108, &diagonal(&found.d));
        put(output, at + 117, &left_stretch(&a).to_mat3());
        put(output, at + 126, &right_polar(&a).rotation);
        let values = eigenvalues(&s);
        put(output, at + 135, &diagonal(&values));
        let cubes = Diag3 {
            x: values.x * values.x * values.x,
            y: values.y * values.y * values.y,
            z: values.z * values.z * values.z,
        };
        put(output, at + 144, &Coaxial::new(&s, &values).with(&cubes).to_mat3());
        put(output, at + 153, &Mat3::diagonal(exp(a.xx), exp_m1(a.yy), ln(f32::abs(a.zz))));
        put(output, at + 162, &Mat3::diagonal(a.det(), s.inner(&s), pick(a.xx < 0.0, 2.0, -3.0)));
    }
}

fn size(m: &Mat3) -> f32 {
    m.to_rows().iter().fold(0.0, |a, b| a.max(b.abs()))
}

fn close(what: &str, found: &Mat3, wanted: &Mat3, tolerance: f32) {
    let off = size(&found.sub(wanted));
    assert!(off <= tolerance, "{what}: {found:?} is not {wanted:?}, error {off}, tolerance {tolerance}");
}

fn is_rotation(what: &str, q: &Mat3) {
    close(what, &q.mul_transpose(q), &Mat3::IDENTITY, 1e-5);
    assert!((q.det() - 1.0).abs() < 1e-5, "{what}: det {}", q.det());
}

/// Compares with the CPU and checks the defining properties.
fn check(a: &Mat3, r: &[Mat3]) {
    let of = |m: &Mat3| Diag3 { x: m.xx, y: m.yy, z: m.zz };
    let scale = size(a);
    close("products", &r[0], &a.mul(&a.transpose().scale(0.5)).sub(a), 2e-6 * (scale + scale * scale));
    close("cofactors", &r[1], &a.cofactor(), 1e-6 * scale * scale);
    for (what, k) in [("U", 2), ("V", 4), ("R", 5), ("Q", 7), ("left U", 9), ("axes", 11)] {
        is_rotation(what, &r[k]);
    }
    let exact = svd(a);
    let Svd { u, sigma, v } = Svd { u: r[2], sigma: of(&r[3]), v: r[4] };
    close("singular values", &r[3], &Mat3::diagonal(exact.sigma.x, exact.sigma.y, exact.sigma.z), 1e-5 * scale);
    close("svd", &u.mul_diag(&sigma).mul_transpose(&v), a, 1.5e-5 * scale);
    let Polar { r: rotation, .. } = polar(a);
    close("polar", &r[5].mul(&r[6]), a, 1.5e-5 * scale);
    let Qr { q, r: upper } = qr(a);
    close("qr", &r[7].mul(&r[8]), a, 1e-5 * scale);
    let LeftSvd { u: left, sigma: lengths } = left_svd(a);
    let square = |d: Diag3| Diag3 { x: d.x * d.x, y: d.y * d.y, z: d.z * d.z };
    close("left svd", &r[9].conjugate_diag(&square(of(&r[10]))).to_mat3(), &a.mul_transpose(a), 2e-5 * scale * scale);
    let symmetric = a.symmetric_part();
    close("eigen", &r[11].conjugate_diag(&of(&r[12])).to_mat3(), &symmetric.to_mat3(), 4e-5 * scale);
    let values = eigen(&symmetric).d;
    let mut sorted = [values.x, values.y, values.z];
    sorted.sort_by(|a, b| b.total_cmp(a));
    close("eigenvalues", &r[15], &Mat3::diagonal(sorted[0], sorted[1], sorted[2]), 1.5e-5 * scale);
    let s = symmetric.to_mat3();
    close("coaxial", &r[16], &s.mul(&s).mul(&s), 4e-5 * scale * scale * scale);
    // Well-defined rotations match those of the CPU.
    let magnified = exact.sigma.x * exact.sigma.x
        / ((exact.sigma.y + exact.sigma.z) * (exact.sigma.x + exact.sigma.z)).max(f32::MIN_POSITIVE);
    if magnified < 50.0 {
        let slack = 1e-5 * magnified.max(1.0);
        close("rotation", &r[5], &rotation, slack);
        close("rotation from invariants", &r[14], &rotation, slack);
        close("Q", &r[7], &q, slack.max(1e-3));
        close("R", &r[8], &upper, 1e-3 * scale);
        close("left stretch", &r[13], &left.conjugate_diag(&lengths).to_mat3(), slack * scale);
    }
    let functions = [exp(a.xx), exp_m1(a.yy), ln(a.zz.abs())];
    for (found, wanted) in [r[17].xx, r[17].yy, r[17].zz].into_iter().zip(functions) {
        assert!((found - wanted).abs() <= 5e-7 * wanted.abs().max(0.25), "{found} is not {wanted}");
    }
    let numbers = [a.det(), symmetric.inner(&symmetric), if a.xx < 0.0 { 2.0 } else { -3.0 }];
    for (found, wanted) in [r[18].xx, r[18].yy, r[18].zz].into_iter().zip(numbers) {
        assert!((found - wanted).abs() <= 2e-6 * (1.0 + scale * scale * scale), "{found} is not {wanted}");
    }
}

/// Matrices of several magnitudes, near the identity, near singular, and reflections.
fn matrices() -> Vec<Mat3> {
    let rng = CounterRng::new(7);
    let random = |i: u64, of: f32| {
        Mat3::from_rows(std::array::from_fn(|k| of * (2.0 * rng.uniform(&[i, k as u64]) as f32 - 1.0)))
    };
    let of = |i: u64| match i % 5 {
        0 => random(i, 2.0),
        1 => Mat3::IDENTITY.add(&random(i, 0.05)),
        2 => Mat3::IDENTITY.add(&random(i, 1e-4)),
        3 => random(i, 1.0).mul(&Mat3::diagonal(1.0, 1.0, 1e-3)),
        _ => Mat3::diagonal(-0.7, 1.0, 1.2).add(&random(i, 0.3)),
    };
    (0..5000).map(of).collect()
}

#[test]
fn matrix_decompositions_match_the_cpu() {
    on_every_device!(gpu => {
        let matrices = matrices();
        let input = gpu.upload(bytemuck::cast_slice::<Mat3, f32>(&matrices));
        let output = gpu.empty::<f32>(9 * RESULTS * matrices.len());
        results::launch(&gpu.client, cubes_for(matrices.len(), 64), CubeDim::new_1d(64), input.arg(), output.arg());
        let found = output.read(&gpu).unwrap();
        let found: &[Mat3] = bytemuck::cast_slice(&found);
        for (a, r) in matrices.iter().zip(found.chunks(RESULTS)) {
            check(a, r);
        }
        let same = |k: usize, exact: &dyn Fn(&Mat3) -> Mat3| {
            matrices.iter().zip(found.chunks(RESULTS)).filter(|(a, r)| r[k] == exact(a)).count()
        };
        let stretch = |a: &Mat3| -> Mat3 { Sym3::to_mat3(&left_stretch(a)) };
        println!(
            "{}: of {}, bitwise equal to the CPU: {} singular vectors, {} left stretches",
            gpu.name(), matrices.len(), same(2, &|a| svd(a).u), same(13, &stretch),
        );
    });
}
