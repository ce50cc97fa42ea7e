//! Checkpoints: the state as named tensors, bit-exact. Loading validates everything that a step relies on, so that a corrupt file cannot
//! make a step panic.

use crate::bending::RodFrames;
use crate::display_grains::{Grain, GrainLag};
use crate::params::Params;
use crate::state::{Extremes, Particles, State};
use fibra_core::block_key::BlockKey;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::particle_sort::Run;
use fibra_core::tensor::Tensor;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_materials::kind::{Group, Kind};

/// Tensors of numbers that must be finite, one row per particle.
const FINITE: [&str; 8] = ["x", "v", "c", "f", "tau", "memory", "mass", "volume"];
/// Tensors of the material frames, one row per segment, and of the twists, one row per joint.
const RODS: [&str; 5] = ["rods.tangent", "rods.director", "rods.spin", "rods.torque", "rods.twist"];
/// Number of `f32` values per grain.
const GRAIN_NUMBERS: usize = size_of::<Grain>() / size_of::<f32>();
/// Tensors of indices, one row per particle.
const INDICES: [&str; 3] = ["kind", "object", "id"];

/// Stores the whole state in tensors.
///
/// | tensor | shape | contents |
/// |---|---|---|
/// | `x`, `v` | `[n, 3]` | positions relative to the run origin [m], velocities [m/s] |
/// | `c`, `f` | `[n, 9]` | affine velocities [1/s], elastic deformation gradients [-], row after row |
/// | `tau` | `[n, 6]` | Kirchhoff stresses [Pa]: xx, yy, zz, yz, xz, xy |
/// | `memory`, `mass`, `volume` | `[n]` | scalar state of the constitutive models, masses [kg], rest volumes [m^3] |
/// | `alignment` | `[n, 3]` or `[0, 3]` | alignments of rotating grains, see [`Particles::alignment`] |
/// | `kind` | `[n]` | particle kinds, as the discriminants of [`Kind`] |
/// | `pull` | `[n, 3]` or `[0, 3]` | mesh forces, see [`Particles::pull`] |
/// | `object`, `id` | `[n]` | index of the object, id of the particle |
/// | `run.key`, `run.group`, `run.end` | `[r]` | blocks and groups of the last sort; each run starts at the end of the previous one |
/// | `time`, `steps` | `[1]` | simulated time [s], number of steps |
/// | `fastest` | `[2]` | largest particle speed and largest wave speed [m/s] |
/// | `drifted` | `[1]` | 1 if the next step must sort |
/// | `rods.tangent`, `rods.director` | `[s, 3]` | tangents and first material directors of the segments that bend [-]; absent if there are none |
/// | `rods.spin`, `rods.torque` | `[s]` | spins [rad/s] and torques [N m] about the tangents; absent if there are none |
/// | `rods.twist` | `[j]` | twists of the joints between segments [rad]; absent if there are none |
/// | `grains` | `[g, 13]` | display-only grains: position [m], quaternion x, y, z, w, velocity [m/s], angular velocity [rad/s]; absent if there are none |
/// | `grains.flying` | `[g]` | 1 for flying grains; absent if there are no grains |
/// | `grains.lag` | `[3]` | since the last move: time [s], distance [m], largest grain speed [m/s]; absent if there are no grains |
pub fn save(state: &State) -> TensorFile<'_> {
    let p = &state.particles;
    let of_runs = |field: fn(&Run) -> u32| Tensor::values(state.runs.iter().map(field).collect::<Vec<u32>>());
    let tensors = [
        ("x", Tensor::rows(&p.x)),
        ("v", Tensor::rows(&p.v)),
        ("c", Tensor::rows::<f32, 9>(bytemuck::cast_slice(&p.c))),
        ("f", Tensor::rows::<f32, 9>(bytemuck::cast_slice(&p.f))),
        ("tau", Tensor::rows::<f32, 6>(bytemuck::cast_slice(&p.tau))),
        ("memory", Tensor::slice(&p.memory)),
        ("alignment", Tensor::rows(&p.alignment)),
        ("mass", Tensor::slice(&p.mass)),
        ("volume", Tensor::slice(&p.volume)),
        ("kind", Tensor::values(p.kind.iter().map(|&kind| kind as u32).collect::<Vec<u32>>())),
        ("pull", Tensor::rows(&p.pull)),
        ("object", Tensor::slice(&p.object)),
        ("id", Tensor::slice(&p.id)),
        ("run.key", Tensor::values(state.runs.iter().map(|run| run.key.0).collect::<Vec<u64>>())),
        ("run.group", of_runs(|run| run.group)),
        ("run.end", of_runs(|run| run.end)),
        ("time", Tensor::values([state.time])),
        ("steps", Tensor::values([state.steps])),
        ("fastest", Tensor::values([state.extremes.speed, state.extremes.wave_speed])),
        ("drifted", Tensor::values([u32::from(state.extremes.drifted)])),
    ];
    let mut file =
        TensorFile { tensors: tensors.map(|(name, tensor)| (name.to_owned(), tensor)).into(), ..TensorFile::default() };
    if !state.rods.tangent.is_empty() {
        let RodFrames { tangent, director, spin, torque, twist } = &state.rods;
        let vectors = [tangent, director].map(|rows| Tensor::rows(rows));
        let tensors = vectors.into_iter().chain([spin, torque, twist].map(|values| Tensor::slice(values)));
        file.tensors.extend(RODS.into_iter().map(str::to_owned).zip(tensors));
    }
    if !state.grains.is_empty() {
        let rows = Tensor::rows::<f32, GRAIN_NUMBERS>(bytemuck::cast_slice(&state.grains));
        file.tensors.insert("grains".to_owned(), rows);
        file.tensors.insert("grains.flying".to_owned(), Tensor::slice(&state.flying));
        let GrainLag { time, distance, speed } = state.grain_lag;
        file.tensors.insert("grains.lag".to_owned(), Tensor::values([time, distance, f64::from(speed)]));
    }
    file
}

/// Loads and validates a state of `particles` particles.
pub fn load(file: &TensorFile, params: &Params, particles: usize) -> Result<State, TensorFault> {
    for name in FINITE.into_iter().chain(INDICES) {
        file.expect_rows(name, particles)?;
    }
    for name in FINITE.into_iter().chain(["pull"]) {
        file.expect_finite(name)?;
    }
    file.expect_rows("pull", if params.meshes.corners.is_empty() { 0 } else { particles })?;
    let has_grains = params.substances.iter().any(|substance| substance.material.has_grains());
    file.expect_rows("alignment", if has_grains { particles } else { 0 })?;
    let matrices = |name: &str| -> Result<Vec<Mat3>, TensorFault> {
        Ok(file.rows::<f32, 9>(name)?.iter().map(|rows| Mat3::from_rows(*rows)).collect())
    };
    let stress = |&[xx, yy, zz, yz, xz, xy]: &[f32; 6]| Sym3 { xx, yy, zz, yz, xz, xy };
    let loaded = Particles {
        x: file.rows("x")?.to_vec(),
        v: file.rows("v")?.to_vec(),
        c: matrices("c")?,
        f: matrices("f")?,
        tau: file.rows::<f32, 6>("tau")?.iter().map(stress).collect(),
        memory: file.values("memory")?.to_vec(),
        alignment: file.rows("alignment")?.to_vec(),
        mass: file.values("mass")?.to_vec(),
        volume: file.values("volume")?.to_vec(),
        kind: kinds(file)?,
        pull: file.rows("pull")?.to_vec(),
        object: file.values("object")?.to_vec(),
        id: file.values("id")?.to_vec(),
    };
    check_particles(&loaded, params)?;
    let runs = load_runs(file, &loaded, params)?;

    let rods = load_rods(file, params)?;
    let (grains, flying, grain_lag) = load_grains(file, params)?;
    let time = file.time("time")?;
    let steps = file.steps("steps")?;
    let [speed, wave_speed] = file.array::<f32, 2>("fastest")?;
    let [drifted] = file.array::<u32, 1>("drifted")?;
    if !(speed >= 0.0 && wave_speed >= 0.0) {
        return Err(TensorFault::element("fastest", 0, format!("invalid speeds: {speed} and {wave_speed} m/s")));
    }
    if drifted > 1 {
        return Err(TensorFault::element("drifted", 0, format!("must be 0 or 1, not {drifted}")));
    }
    let extremes = Extremes { speed, wave_speed, drifted: drifted == 1, broken: false };
    Ok(State { time, steps, particles: loaded, runs, extremes, rods, grains, flying, grain_lag })
}

/// Loads the material frames of curves that bend.
fn load_rods(file: &TensorFile, params: &Params) -> Result<RodFrames, TensorFault> {
    let bending = &params.meshes.bending;
    let (segments, joints) = (bending.segments.len(), bending.joints.len());
    if segments == 0 {
        return Ok(RodFrames::default());
    }
    for (name, count) in RODS.into_iter().zip([segments, segments, segments, segments, joints]) {
        file.expect_rows(name, count)?;
        file.expect_finite(name)?;
    }
    let [tangent, director, spin, torque, twist] = RODS;
    let rods = RodFrames {
        tangent: file.rows(tangent)?.to_vec(),
        director: file.rows(director)?.to_vec(),
        spin: file.values(spin)?.to_vec(),
        torque: file.values(torque)?.to_vec(),
        twist: file.values(twist)?.to_vec(),
    };
    let is_unit = |v: &[f32; 3]| (v.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-3;
    for (name, vectors) in [(tangent, &rods.tangent), (director, &rods.director)] {
        if let Some(at) = vectors.iter().position(|v| !is_unit(v)) {
            return Err(TensorFault::element(name, at, format!("{:?} is not a unit vector", vectors[at])));
        }
    }
    Ok(rods)
}

/// Loads the display-only grains, their flying flags and their lag.
fn load_grains(file: &TensorFile, params: &Params) -> Result<(Vec<Grain>, Vec<u32>, GrainLag), TensorFault> {
    let count: usize = params.grains.iter().map(|lot| lot.count as usize).sum();
    if count == 0 {
        return Ok((Vec::new(), Vec::new(), GrainLag::default()));
    }
    file.expect_rows("grains", count)?;
    file.expect_rows("grains.flying", count)?;
    file.expect_finite("grains")?;
    let grains: Vec<Grain> = bytemuck::cast_slice(file.rows::<f32, GRAIN_NUMBERS>("grains")?).to_vec();
    let flying = file.values::<u32>("grains.flying")?.to_vec();
    let is_unit = |grain: &Grain| (grain.rotation.iter().map(|q| q * q).sum::<f32>() - 1.0).abs() < 1e-3;
    if let Some(at) = grains.iter().position(|grain| !is_unit(grain)) {
        return Err(TensorFault::element("grains", at, format!("{:?} is not a unit quaternion", grains[at].rotation)));
    }
    let [time, distance, speed] = file.array::<f64, 3>("grains.lag")?;
    if ![time, distance, speed].iter().all(|number| (0.0..1e30).contains(number)) {
        let problem = format!("{time} s, {distance} m and {speed} m/s must be finite and not negative");
        return Err(TensorFault::element("grains.lag", 0, problem));
    }
    let lag = GrainLag { time, distance, speed: speed as f32 };
    match flying.iter().position(|flies| *flies > 1) {
        Some(at) => Err(TensorFault::element("grains.flying", at, format!("must be 0 or 1, not {}", flying[at]))),
        None => Ok((grains, flying, lag)),
    }
}

/// Loads the particle kinds.
fn kinds(file: &TensorFile) -> Result<Vec<Kind>, TensorFault> {
    let numbers = file.values::<u32>("kind")?.iter().enumerate();
    let kind = |(at, &number): (usize, &u32)| match Kind::ALL.get(number as usize) {
        Some(kind) => Ok(*kind),
        None => Err(TensorFault::element("kind", at, format!("must be below {}, not {number}", Kind::COUNT))),
    };
    numbers.map(kind).collect()
}

/// Checks masses, volumes and indices, on which steps and frames rely.
fn check_particles(p: &Particles, params: &Params) -> Result<(), TensorFault> {
    if let Some(at) = p.mass.iter().position(|mass| *mass <= 0.0) {
        return Err(TensorFault::element("mass", at, format!("must be above 0, not {}", p.mass[at])));
    }
    let invalid =
        |w: &[f32; 3]| !(w.iter().all(|w| (0.0..=1.0).contains(w)) && (w.iter().sum::<f32>() - 1.0).abs() < 1e-3);
    if let Some(at) = p.alignment.iter().position(invalid) {
        return Err(TensorFault::element(
            "alignment",
            at,
            format!("must be three numbers from 0 to 1, not {:?}", p.alignment[at]),
        ));
    }
    let without_volume = |at: usize| p.volume[at] < 0.0 || p.volume[at] == 0.0 && !p.kind[at].is_vertex();
    if let Some(at) = (0..p.len()).find(|&at| without_volume(at)) {
        return Err(TensorFault::element("volume", at, format!("must be above 0, not {}", p.volume[at])));
    }
    let objects = params.objects.len();
    if let Some(at) = p.object.iter().position(|&object| object as usize >= objects) {
        return Err(TensorFault::element("object", at, format!("must be below {objects}, not {}", p.object[at])));
    }
    // Every id must occur exactly once: frames store particles by id.
    let mut seen = vec![false; p.len()];
    for (at, &id) in p.id.iter().enumerate() {
        match seen.get_mut(id as usize) {
            Some(taken) if !*taken => *taken = true,
            Some(_) => return Err(TensorFault::element("id", at, format!("the id {id} occurs twice"))),
            None => {
                return Err(TensorFault::element(
                    "id",
                    at,
                    format!("the id {id} is out of range for {} particles", p.len()),
                ));
            }
        }
    }
    // The meshes define which ids are elements and vertices. Only vertices may differ: they are pinned or free.
    let wrong_kind = (0..p.len()).find(|&at| match params.meshes.kind_of(p.id[at]) {
        Some(kind) => p.kind[at] != kind && !(p.kind[at].is_vertex() && kind.is_vertex()),
        None => p.kind[at] != Kind::Point,
    });
    match wrong_kind {
        Some(at) => Err(TensorFault::element("kind", at, format!("particle {} is not a {:?}", p.id[at], p.kind[at]))),
        None => Ok(()),
    }
}

/// Loads the runs of the last sort. They must be sorted, inside the range of the grid, and cover all particles.
fn load_runs(file: &TensorFile, p: &Particles, params: &Params) -> Result<Vec<Run>, TensorFault> {
    let keys = file.values::<u64>("run.key")?;
    for name in ["run.group", "run.end"] {
        file.expect_rows(name, keys.len())?;
    }
    let (groups, ends) = (file.values::<u32>("run.group")?, file.values::<u32>("run.end")?);
    let mut runs: Vec<Run> = Vec::with_capacity(keys.len());
    for (at, ((&key, &group), &end)) in keys.iter().zip(groups).zip(ends).enumerate() {
        let key = BlockKey(key);
        let start = runs.last().map_or(0, |run| run.end);
        if BlockKey::new(key.coordinates()) != Some(key) {
            return Err(TensorFault::element("run.key", at, "is not a valid block key"));
        }
        if runs.last().is_some_and(|last| (last.key, last.group) >= (key, group)) {
            return Err(TensorFault::element("run.key", at, "is not greater than the previous key and group"));
        }
        if end <= start || end as usize > p.len() {
            return Err(TensorFault::element(
                "run.end",
                at,
                format!("must be from {} to {}, not {end}", start + 1, p.len()),
            ));
        }
        let group_of = |particle: u32| {
            let material = params.objects[p.object[particle as usize] as usize].material;
            Group { material, kind: p.kind[particle as usize] }.number()
        };
        if let Some(other) = (start..end).find(|&particle| group_of(particle) != group) {
            return Err(TensorFault::element(
                "run.group",
                at,
                format!("is {group}, but particle {other} does not belong to this group"),
            ));
        }
        runs.push(Run { key, group, start, end });
    }
    match runs.last() {
        Some(last) if (last.end as usize) < p.len() => Err(TensorFault::element(
            "run.end",
            runs.len() - 1,
            format!("the last run ends before particle {}", p.len()),
        )),
        _ => Ok(runs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::materials::anisotropy::{AxisParameters, Orientation};
    use crate::materials::{Anisotropic, Fluid, Lame, Material, NeoHookean, Sand};
    use crate::mesh::Meshes;
    use crate::params::Integrator;
    use crate::params::{Kernel, Object, StepLimits, Substance, Transfer};
    use crate::step::{start, step};
    use crate::workspace::Workspace;
    use glam::DVec3;
    use proptest::prelude::*;

    /// Returns the parameters of two blocks of different materials that are about to collide.
    fn params() -> Params {
        let jelly = Material::NeoHookean(NeoHookean { lame: Lame::new(1e4, 0.3) });
        let water = Material::Fluid(Fluid { bulk_modulus: 1e4, gamma: 7.0, viscosity: 0.0 });
        Params {
            dx: 0.1,
            kernel: Kernel::Quadratic,
            transfer: Transfer::Apic { damping: 0.0 },
            gravity: [0.0, -9.81, 0.0],
            integrator: Integrator::Explicit,
            meshes: Meshes::default(),
            limits: StepLimits { cfl: 0.4, sound_cfl: 0.4, max_dt: 1e-2, min_dt: 1e-7 },
            objects: vec![
                Object { name: "jelly".into(), material: 0 },
                Object { name: "water".into(), material: 1 },
                Object { name: "more-water".into(), material: 1 },
            ],
            substances: vec![
                Substance { material: jelly, density: 1000.0 },
                Substance { material: water, density: 1000.0 },
            ],
            grains: Vec::new(),
            colliders: vec![],
            origin: DVec3::ZERO,
        }
    }

    fn initial_state(params: &Params) -> State {
        let mut state = State::default();
        let p = &mut state.particles;
        for i in 0..300u32 {
            let cell = [i % 6, i / 6 % 5, i / 30].map(|k| 0.05 * k as f32 - 0.1);
            p.x.push(cell);
            p.v.push([0.0, if i < 150 { 1.0 } else { -1.0 }, 0.1]);
            p.c.push(Mat3::ZERO);
            p.f.push(Mat3::IDENTITY);
            p.tau.push(Sym3::default());
            p.memory.push(0.0);
            p.kind.push(Kind::Point);
            p.mass.push(0.125);
            p.volume.push(1.25e-4);
            p.object.push(i / 120);
            p.id.push(i);
        }
        start(params, &mut state);
        state
    }

    fn advanced(params: &Params, mut state: State, steps: usize) -> State {
        let mut work = Workspace::default();
        for _ in 0..steps {
            step(params, &mut state, &mut work, 10.0).unwrap();
        }
        state
    }

    #[test]
    fn a_loaded_state_continues_bit_exactly() {
        let params = params();
        for steps in [0, 1, 17] {
            let state = advanced(&params, initial_state(&params), steps);
            let mut bytes = Vec::new();
            save(&state).write_to(&mut bytes).unwrap();
            let again = load(&TensorFile::from_bytes(&bytes).unwrap(), &params, 300).unwrap();
            assert_eq!(again, state);
            assert_eq!(advanced(&params, again, 9), advanced(&params, state, 9));
        }
    }

    /// Replaces the second material by rotating grains.
    fn with_grains() -> Params {
        let axis = |youngs_modulus, scale| AxisParameters { youngs_modulus, poisson_ratio: 0.2, scale };
        let orientation = Orientation {
            elongation: 0.9,
            along: axis(2e4, 1.3),
            across: axis(1e4, 0.8),
            mixed: axis(1.5e4, 1.0),
            start: [0.2, 0.3, 0.5],
        };
        let sand = Material::Sand(Sand::new(Lame::new(1e4, 0.3), 0.5, 0.0, true));
        let mut params = params();
        params.substances[1].material =
            Material::Anisotropic(Anisotropic::of_grains(&sand, &orientation).unwrap().into());
        params
    }

    #[test]
    fn alignments_survive_a_checkpoint() {
        let params = with_grains();
        let state = advanced(&params, initial_state(&params), 12);
        let moved = |w: &&[f32; 3]| **w != [0.2, 0.3, 0.5] && **w != [1.0 / 3.0; 3];
        assert!(state.particles.alignment.iter().filter(moved).count() > 100, "no grain rotated");
        let mut bytes = Vec::new();
        save(&state).write_to(&mut bytes).unwrap();
        let again = load(&TensorFile::from_bytes(&bytes).unwrap(), &params, 300).unwrap();
        assert_eq!(again, state);
        assert_eq!(advanced(&params, again, 9), advanced(&params, state.clone(), 9));
        let file = save(&state);
        let half = [[0.5f32; 3]; 300];
        for (tensor, part) in [(Tensor::rows(&half), "from 0 to 1"), (Tensor::rows(&half[..9]), "expected 300 rows")] {
            let text = load(&with(&file, "alignment", tensor), &params, 300).unwrap_err().to_string();
            assert!(text.contains(part), "{text}");
        }
    }

    /// Replaces one tensor.
    fn with<'a>(file: &TensorFile<'a>, name: &str, tensor: Tensor<'a>) -> TensorFile<'a> {
        let mut file = file.clone();
        file.tensors.insert(name.to_owned(), tensor);
        file
    }

    #[test]
    fn errors_identify_corrupt_tensors() {
        let params = params();
        let state = advanced(&params, initial_state(&params), 3);
        let file = save(&state);
        let ids = |change: fn(&mut Vec<u32>)| {
            let mut ids = state.particles.id.clone();
            change(&mut ids);
            Tensor::values(ids)
        };
        let keys: Vec<u64> = state.runs.iter().map(|run| run.key.0).collect();
        let ends: Vec<u32> = state.runs.iter().map(|run| run.end).collect();
        let last = ends.len() - 1;
        let edited = |mut values: Vec<u32>, at: usize, value: u32| {
            values[at] = value;
            Tensor::values(values)
        };
        let mut reversed = keys.clone();
        reversed.reverse();
        let cases = [
            ("x", Tensor::values([0.0f32; 300]), "expected [n, 3]"),
            ("x", Tensor::rows(&[[0.0f32; 3]; 299]), "expected 300 rows"),
            ("v", Tensor::rows(&[[f32::NAN; 3]; 300]), "`v` is not finite at element 0"),
            ("mass", Tensor::values([-1.0f32; 300]), "must be above 0"),
            ("object", Tensor::values([3u32; 300]), "must be below 3, not 3"),
            ("object", Tensor::values([0u32; 300]), "does not belong to"),
            ("kind", Tensor::values([5u32; 300]), "must be below 5"),
            ("kind", Tensor::values([1u32; 300]), "is not a Vertex"),
            ("pull", Tensor::rows(&[[0.0f32; 3]; 300]), "expected 0 rows"),
            ("id", ids(|ids| ids[5] = ids[6]), "occurs twice"),
            ("id", ids(|ids| ids[5] = 300), "out of range for 300 particles"),
            ("run.key", Tensor::values(reversed), "is not greater"),
            ("run.key", Tensor::values(vec![0u64; keys.len()]), "not a valid block key"),
            ("run.key", Tensor::values(vec![0u32; keys.len()]), "is of type U32"),
            ("run.end", edited(ends.clone(), last, 299), "ends before particle 300"),
            ("run.end", edited(ends.clone(), last, 301), "must be from"),
            ("run.end", edited(ends.clone(), 0, 0), "must be from"),
            ("run.end", Tensor::values(vec![300u32]), "rows"),
            ("time", Tensor::values([f64::NAN]), "not a valid time"),
            ("steps", Tensor::values([u64::MAX]), "out of range"),
            ("fastest", Tensor::values([-1.0f32, 2.0]), "invalid speeds"),
            ("drifted", Tensor::values([2u32]), "0 or 1"),
        ];
        for (name, tensor, expected) in cases {
            let message = load(&with(&file, name, tensor), &params, 300).unwrap_err().to_string();
            assert!(message.contains(expected), "{name}: {message}");
        }
        for name in file.tensors.keys() {
            let mut without = file.clone();
            without.tensors.remove(name);
            assert!(load(&without, &params, 300).unwrap_err().to_string().contains(name));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        /// If arbitrary bytes of a file are changed, its state is either rejected or can be stepped.
        #[test]
        fn corrupt_files_never_panic_a_step(edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
            let params = params();
            let mut bytes = Vec::new();
            save(&advanced(&params, initial_state(&params), 3)).write_to(&mut bytes).unwrap();
            for (at, byte) in edits {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let Ok(file) = TensorFile::from_bytes(&bytes) else { return Ok(()) };
            let Ok(mut state) = load(&file, &params, 300) else { return Ok(()) };
            let mut work = Workspace::default();
            for _ in 0..3 {
                let until = state.time + 0.01;
                if step(&params, &mut state, &mut work, until).is_err() {
                    break;
                }
            }
        }
    }
}
