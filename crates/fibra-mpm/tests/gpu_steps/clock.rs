//! The clock on a device chooses the same steps as the CPU.

use fibra_gpu::on_every_device;
use fibra_mpm::internals::gpu::clock::{Bounds, Clock, DT};
use fibra_mpm::internals::timestep::fitted_dt;

fn bounds(travel: f32, shortest: f32) -> Bounds {
    Bounds { travel, sound: 1.0, constant: 1e30, longest: 1e30, shortest }
}

#[test]
fn steps_end_on_the_span_like_on_the_cpu() {
    on_every_device!(gpu => {
        for stable in [0.3f32, 0.1, 0.029, 1.0, 2.0] {
            let mut clock = Clock::start(&gpu, 1.0, 0.5, 1e-3);
            let mut time = 0.0f64;
            for expected in 1.. {
                let dt = fitted_dt(f64::from(stable), time, 1.0);
                time = if dt == 1.0 - time { 1.0 } else { time + dt };
                clock.begin_step(&gpu, &bounds(0.5 * stable, 1e-6));
                let now = clock.read(&gpu).unwrap();
                assert!((f64::from(now.left) - (1.0 - time)).abs() < 1e-5, "{now:?} {time}");
                assert_eq!((now.steps, now.left == 0.0), (expected, time == 1.0));
                if time == 1.0 {
                    break;
                }
                // The particles keep their speed.
                clock.extremes = gpu.upload(&[0.25f32.to_bits(), 0, 0, 0]);
            }
            clock.begin_step(&gpu, &bounds(0.5 * stable, 1e-6));
            let bits = clock.buffer.read(&gpu).unwrap();
            assert_eq!(bits[DT], 0);
        }
    });
}

#[test]
fn steps_below_the_minimum_are_not_taken() {
    on_every_device!(gpu => {
        let clock = Clock::start(&gpu, 1.0, 1e3, 1e-3);
        clock.begin_step(&gpu, &bounds(0.1, 1e-3));
        let now = clock.read(&gpu).unwrap();
        let too_short = now.too_short.unwrap();
        assert!((too_short.wanted - 1e-4).abs() < 1e-8 && too_short.because.contains("fastest particle"), "{too_short:?}");
        assert_eq!((now.steps, now.left), (0, 1.0));
    });
}
