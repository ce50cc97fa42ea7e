//! The state as named tensors, to the bit: what a checkpoint holds.

use crate::cloud::Cloud;
use crate::connectivity::Connectivity;
use crate::elaston::Elaston;
use crate::gmls::Sample;
use crate::law::Strains;
use crate::world::{Matter, Params, Reference, State, Surface};
use fibra_core::tensor::{Element, Tensor};
use fibra_core::tensor_file::{TensorFault, TensorFile};
use glam::{DMat3, DVec3};

/// Numbers of an elaston: centre, axes, sides and volume.
const ELASTON: usize = 3 + 9 + 3 + 1;
/// Numbers of an elaston's strains: membrane, and bending along three axes.
const STRAINS: usize = 4 * 9;

/// Puts the whole state into tensors.
///
/// | tensor | shape | holds |
/// |---|---|---|
/// | `time`, `steps`, `generation` | `[1]` | simulated time [s], number of steps, number of changes of the rest state |
/// | `sampled` | `[0]` or `[1]` | when bodies were last sampled anew [s] |
/// | `cloud.points`, `cloud.radii`, `cloud.volumes`, `cloud.spreads` | `[p, 3]`, `[p]`, `[p]`, `[p, 9]` | the pieces of material |
/// | `objects`, `owners` | `[p]` | object and elaston of each piece |
/// | `links.ends`, `links.to` | `[p]`, `[l]` | where the neighbours of each piece end, and which they are |
/// | `samples`, `anchors` | `[s, 4]`, `[s]` | position and radius of the samples [m], and their anchors |
/// | `elastons`, `plastic` | `[e, 16]`, `[e, 36]` | centre, axes, sides and volume of the elastons, and their permanent strains |
/// | `surface.vertices`, `surface.pieces`, `surface.triangles` | `[v, 3]`, `[v]`, `[t, 3]` | what is drawn |
/// | `displacements`, `velocities` | `[u]` | unknowns of the samples [m], [m/s] |
/// | `reference.displacements`, `reference.dt`, `reference.holding` | `[u]`, `[0]` or `[1]`, `[h]` | what the matrix in use was made of |
/// | `reference.counts` | `[0]`, `[1]` or `[2]` | iterations that its age has cost, and those of its first step |
pub fn save(state: &State) -> TensorFile<'_> {
    let Matter { cloud, objects, links, samples, anchors, elastons, owners, surface } = &state.matter;
    let mut ends = Vec::with_capacity(links.len());
    let mut to = Vec::new();
    for piece in 0..links.len() {
        to.extend_from_slice(links.neighbours(piece));
        ends.push(to.len() as u64);
    }
    let sample = |sample: &Sample| [sample.position.x, sample.position.y, sample.position.z, sample.radius];
    let reference = state.reference.as_ref();
    let tensors = [
        ("time", Tensor::values([state.time])),
        ("steps", Tensor::values([state.steps])),
        ("generation", Tensor::values([state.generation])),
        ("sampled", Tensor::values(Vec::from_iter(state.sampled))),
        ("cloud.points", vectors(&cloud.points)),
        ("cloud.radii", Tensor::slice(&cloud.radii)),
        ("cloud.volumes", Tensor::slice(&cloud.volumes)),
        ("cloud.spreads", table(&cloud.spreads, DMat3::to_cols_array)),
        ("objects", Tensor::slice(objects)),
        ("owners", Tensor::slice(owners)),
        ("links.ends", Tensor::values(ends)),
        ("links.to", Tensor::values(to)),
        ("samples", table(samples, sample)),
        ("anchors", Tensor::slice(anchors)),
        ("elastons", table(elastons, elaston_numbers)),
        ("plastic", table(&state.plastic, strain_numbers)),
        ("surface.vertices", vectors(&surface.vertices)),
        ("surface.pieces", Tensor::slice(&surface.pieces)),
        ("surface.triangles", Tensor::rows(&surface.triangles)),
        ("displacements", Tensor::slice(&state.displacements)),
        ("velocities", Tensor::slice(&state.velocities)),
        ("reference.displacements", Tensor::slice(reference.map_or(&[], |r| r.displacements.as_slice()))),
        ("reference.dt", Tensor::values(Vec::from_iter(reference.map(|r| r.dt)))),
        (
            "reference.holding",
            Tensor::values(reference.map_or(Vec::new(), |r| r.holding.iter().map(|&held| u32::from(held)).collect())),
        ),
        (
            "reference.counts",
            Tensor::values(Vec::from_iter(reference.into_iter().flat_map(|r| [Some(r.excess), r.fresh]).flatten())),
        ),
    ];
    TensorFile { tensors: tensors.map(|(name, tensor)| (name.to_owned(), tensor)).into(), ..TensorFile::default() }
}

fn table<T, const N: usize>(items: &[T], numbers: impl Fn(&T) -> [f64; N]) -> Tensor<'static> {
    Tensor::new(vec![items.len(), N], items.iter().flat_map(numbers).collect::<Vec<f64>>())
}

fn vectors(items: &[DVec3]) -> Tensor<'static> {
    table(items, DVec3::to_array)
}

fn elaston_numbers(elaston: &Elaston) -> [f64; ELASTON] {
    let mut numbers = [0.0; ELASTON];
    numbers[..3].copy_from_slice(&elaston.centre.to_array());
    numbers[3..12].copy_from_slice(&elaston.axes.to_cols_array());
    numbers[12..15].copy_from_slice(&elaston.sides.to_array());
    numbers[15] = elaston.volume;
    numbers
}

fn strain_numbers(strains: &Strains) -> [f64; STRAINS] {
    let mut numbers = [0.0; STRAINS];
    for (part, matrix) in numbers.chunks_exact_mut(9).zip([strains.membrane].iter().chain(&strains.bending)) {
        part.copy_from_slice(&matrix.to_cols_array());
    }
    numbers
}

/// The state that was saved of a run with these parameters.
pub fn load(file: &TensorFile, params: &Params) -> Result<State, TensorFault> {
    let floats = [
        "cloud.points",
        "cloud.radii",
        "cloud.volumes",
        "cloud.spreads",
        "samples",
        "elastons",
        "plastic",
        "surface.vertices",
        "displacements",
        "velocities",
        "reference.displacements",
        "reference.dt",
        "sampled",
    ];
    floats.into_iter().try_for_each(|name| file.expect_finite(name))?;
    let ([time], [steps], [generation]) = (fixed(file, "time")?, fixed(file, "steps")?, fixed(file, "generation")?);
    if !(time >= 0.0 && f64::is_finite(time)) {
        return Err(wrong("time", 0, format!("{time} s is no time to go on from")));
    }
    // Half the range is more steps than any run takes, and leaves room to count on.
    if u64::max(steps, generation) > u64::MAX / 2 {
        return Err(wrong("steps", 0, format!("{steps} steps cannot have been taken")));
    }
    let matter = load_matter(file, params)?;
    let unknowns = 3 * params.order.functions() * matter.samples.len();
    file.expect_rows("displacements", unknowns)?;
    file.expect_rows("velocities", unknowns)?;
    file.expect_rows("plastic", matter.elastons.len())?;
    Ok(State {
        time,
        steps,
        displacements: file.values("displacements")?.to_vec(),
        velocities: file.values("velocities")?.to_vec(),
        plastic: file.rows::<f64, STRAINS>("plastic")?.iter().map(strains).collect(),
        generation,
        reference: load_reference(file, params, unknowns)?,
        sampled: optional(file, "sampled")?,
        matter,
    })
}

fn load_matter(file: &TensorFile, params: &Params) -> Result<Matter, TensorFault> {
    let points: Vec<DVec3> = file.rows::<f64, 3>("cloud.points")?.iter().copied().map(DVec3::from_array).collect();
    let pieces = points.len();
    for name in ["cloud.radii", "cloud.volumes", "cloud.spreads", "objects", "owners", "links.ends"] {
        file.expect_rows(name, pieces)?;
    }
    let elaston = |numbers: &[f64; ELASTON]| Elaston {
        centre: DVec3::from_slice(numbers),
        axes: DMat3::from_cols_slice(&numbers[3..]),
        sides: DVec3::from_slice(&numbers[12..]),
        volume: numbers[15],
    };
    let elastons: Vec<Elaston> = file.rows::<f64, ELASTON>("elastons")?.iter().map(elaston).collect();
    let sample = |&[x, y, z, radius]: &[f64; 4]| Sample { position: DVec3::new(x, y, z), radius };
    let samples: Vec<Sample> = file.rows::<f64, 4>("samples")?.iter().map(sample).collect();
    let surface = Surface {
        vertices: file.rows::<f64, 3>("surface.vertices")?.iter().copied().map(DVec3::from_array).collect(),
        pieces: numbers_below(file, "surface.pieces", pieces)?,
        triangles: file.rows::<u32, 3>("surface.triangles")?.to_vec(),
    };
    file.expect_rows("anchors", samples.len())?;
    file.expect_rows("surface.pieces", surface.vertices.len())?;
    below("surface.triangles", surface.triangles.as_flattened(), surface.vertices.len())?;
    if let Some(at) = params.holds.iter().position(|hold| hold.pieces.iter().any(|&piece| piece as usize >= pieces)) {
        return Err(wrong("cloud.points", 0, format!("{pieces} pieces are too few for pin {at}")));
    }
    Ok(Matter {
        cloud: Cloud {
            points,
            radii: file.values("cloud.radii")?.to_vec(),
            volumes: file.values("cloud.volumes")?.to_vec(),
            spreads: file.rows::<f64, 9>("cloud.spreads")?.iter().map(DMat3::from_cols_array).collect(),
        },
        objects: numbers_below(file, "objects", params.objects.len())?,
        links: load_links(file, pieces)?,
        anchors: numbers_below(file, "anchors", pieces)?,
        owners: numbers_below(file, "owners", elastons.len())?,
        samples,
        elastons,
        surface,
    })
}

/// Links, each known to both of its pieces, in ascending order.
fn load_links(file: &TensorFile, pieces: usize) -> Result<Connectivity, TensorFault> {
    let to = numbers_below(file, "links.to", pieces)?;
    let mut start = 0;
    let mut lists = Vec::with_capacity(pieces);
    for (piece, &end) in file.values::<u64>("links.ends")?.iter().enumerate() {
        let own = usize::try_from(end).ok().and_then(|end| to.get(start..end));
        let Some(own) = own.filter(|own| own.windows(2).all(|pair| pair[0] < pair[1])) else {
            return Err(wrong("links.ends", piece, "these are not the neighbours of a piece".to_owned()));
        };
        start = end as usize;
        lists.push(own.to_vec());
    }
    let known = |piece: usize, other: u32| lists[other as usize].binary_search(&(piece as u32)).is_ok();
    let alone = (0..pieces).find(|&piece| lists[piece].iter().any(|&other| !known(piece, other)));
    match alone {
        Some(piece) => Err(wrong("links.to", piece, "a neighbour of this piece does not know it".to_owned())),
        None => Ok(Connectivity::from_lists(lists)),
    }
}

fn load_reference(file: &TensorFile, params: &Params, unknowns: usize) -> Result<Option<Reference>, TensorFault> {
    let Some(dt) = optional::<f64>(file, "reference.dt")? else { return Ok(None) };
    file.expect_rows("reference.displacements", unknowns)?;
    file.expect_rows("reference.holding", params.holds.len())?;
    let (excess, fresh) = match *file.values::<u64>("reference.counts")? {
        [excess] => (excess, None),
        [excess, fresh] => (excess, Some(fresh)),
        _ => return Err(wrong("reference.counts", 0, "one or two are needed".to_owned())),
    };
    Ok(Some(Reference {
        displacements: file.values("reference.displacements")?.to_vec(),
        dt,
        holding: file.values::<u32>("reference.holding")?.iter().map(|&held| held != 0).collect(),
        fresh,
        excess,
    }))
}

fn strains(numbers: &[f64; STRAINS]) -> Strains {
    let matrix = |part: usize| DMat3::from_cols_slice(&numbers[9 * part..]);
    Strains { membrane: matrix(0), bending: [matrix(1), matrix(2), matrix(3)] }
}

fn numbers_below(file: &TensorFile, name: &str, limit: usize) -> Result<Vec<u32>, TensorFault> {
    let numbers = file.values::<u32>(name)?;
    below(name, numbers, limit)?;
    Ok(numbers.to_vec())
}

fn below(name: &str, numbers: &[u32], limit: usize) -> Result<(), TensorFault> {
    match numbers.iter().position(|&number| number as usize >= limit) {
        Some(at) => Err(wrong(name, at, format!("{} is not below {limit}", numbers[at]))),
        None => Ok(()),
    }
}

fn optional<T: Element>(file: &TensorFile, name: &str) -> Result<Option<T>, TensorFault> {
    match file.values::<T>(name)? {
        [] => Ok(None),
        [value] => Ok(Some(*value)),
        more => Err(wrong(name, 1, format!("{} values where one is enough", more.len()))),
    }
}

fn fixed<T: Element, const N: usize>(file: &TensorFile, name: &str) -> Result<[T; N], TensorFault> {
    file.expect_rows(name, N)?;
    let values = file.values::<T>(name)?;
    Ok(std::array::from_fn(|i| values[i]))
}

fn wrong(tensor: &str, element: usize, problem: String) -> TensorFault {
    TensorFault::Malformed(format!("tensor `{tensor}`, element {element}: {problem}"))
}
