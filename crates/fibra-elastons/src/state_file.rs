//! Checkpoints: the state as named tensors, bitwise exact.

use crate::cloud::Cloud;
use crate::connectivity::Connectivity;
use crate::elaston::Elaston;
use crate::friction::{Partner, Slip};
use crate::gmls::Sample;
use crate::law::Strains;
use crate::world::{Matter, Params, Reference, State, Surface, SurfaceCuts};
use fibra_core::tensor::Tensor;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use glam::{DMat3, DVec3};

/// Values per elaston: center, axes, sides, volume.
const ELASTON: usize = 16;
/// Values per elaston's strains: four matrices.
const STRAINS: usize = 36;

/// Saves the complete state as tensors. `pieces` is the number of material points.
///
/// | tensor | shape | contents |
/// |---|---|---|
/// | `time`, `sampled` | `[1]` | simulated time, and time of the last resampling (negative if there was none) [s] |
/// | `steps`, `generation` | `[1]` | number of steps taken, number of changes of the rest shape |
/// | `cloud.point`, `cloud.spread` | `[pieces, 3]`, `[pieces, 9]` | positions [m] and second moments [m^2] of the material points |
/// | `cloud.radius`, `cloud.volume`, `cloud.object`, `cloud.owner` | `[pieces]` | radii [m], volumes [m^3], objects and elastons of the material points |
/// | `cloud.grading`, `cloud.branch` | `[pieces]` | relative sample spacing at the material points, and their branches |
/// | `links`, `link_end` | `[links]`, `[pieces]` | neighbors of the material points, and the end of each list |
/// | `sample`, `anchor` | `[samples, 4]`, `[samples]` | rest position and support radius of samples [m], their anchors |
/// | `elaston` | `[elastons, 16]` | elastons |
/// | `plastic`, `flowed` | `[elastons, 36]` | plastic strains relative to the rest shape, and since the start |
/// | `surface.vertex`, `surface.piece`, `surface.triangle` | `[vertices, 3]`, `[vertices]`, `[triangles, 3]` | the render surface |
/// | `surface.cut` | `[3]` or `[0]` | for a surface being cut: first vertex of the last cut, numbers of permanent vertices and triangles |
/// | `surface.closed`, `surface.open_edge` | `[vertices]`, `[edges, 4]` | vertices of closed parts, edges cut on one side only |
/// | `surface.blade` | `[blades]` | blades of the last cut |
/// | `displacement`, `velocity` | `[unknowns]` | displacement [m] and velocity [m/s] unknowns |
/// | `slip`, `slip.pair` | `[slips, 3]`, `[slips, 3]` | slips of contacts [m]; material point, whether the partner is a material point, and index of the partner |
/// | `reference.displacement` | `[unknowns]` or `[0]` | displacements at the factorization [m] |
/// | `reference.step`, `reference.counts`, `reference.holding` | `[1]`, `[4]`, `[holds]` | at the factorization: time step [s], iteration counts and whether it is in double precision, active holds |
pub fn save(state: &State) -> TensorFile<'static> {
    let matter = &state.matter;
    let cloud = &matter.cloud;
    let vectors = |values: &[DVec3]| {
        Tensor::new(vec![values.len(), 3], values.iter().flat_map(DVec3::to_array).collect::<Vec<f64>>())
    };
    let matrices = |values: &[DMat3]| {
        Tensor::new(vec![values.len(), 9], values.iter().flat_map(DMat3::to_cols_array).collect::<Vec<f64>>())
    };
    let (mut links, mut ends) = (Vec::new(), Vec::new());
    for piece in 0..matter.links.len() {
        links.extend_from_slice(matter.links.neighbors(piece));
        ends.push(links.len() as u64);
    }
    let samples: Vec<f64> = matter
        .samples
        .iter()
        .flat_map(|sample| sample.position.to_array().into_iter().chain([sample.radius]))
        .collect();
    let elastons: Vec<f64> = matter.elastons.iter().flat_map(elaston_numbers).collect();
    let plastic: Vec<f64> = state.plastic.iter().flat_map(strain_numbers).collect();
    let flowed: Vec<f64> = state.flowed.iter().flat_map(strain_numbers).collect();
    let triangles: Vec<u32> = matter.surface.triangles.iter().flatten().copied().collect();
    let no_cuts = SurfaceCuts::default();
    let cuts = matter.surface.cuts.as_ref().unwrap_or(&no_cuts);
    let [vertices, faces] = cuts.lasting;
    let cut = matter.surface.cuts.iter().flat_map(|_| [cuts.first_made, vertices, faces]).collect::<Vec<u32>>();
    let open_edges: Vec<u32> = cuts.open_edges.iter().flatten().flatten().copied().collect();
    let none = Reference {
        displacements: Vec::new(),
        dt: 0.0,
        holding: Vec::new(),
        fresh: None,
        excess: 0,
        aged: 0,
        double: false,
    };
    let reference = state.reference.as_ref().unwrap_or(&none);
    // Number of iterations of the first step plus one; 0 before the first step.
    let fresh = reference.fresh.map_or(0, |fresh| fresh + 1);
    let tensors = [
        ("time", Tensor::values([state.time])),
        ("sampled", Tensor::values([state.sampled.unwrap_or(-1.0)])),
        ("steps", Tensor::values([state.steps])),
        ("generation", Tensor::values([state.generation])),
        ("cloud.point", vectors(&cloud.points)),
        ("cloud.spread", matrices(&cloud.spreads)),
        ("cloud.radius", Tensor::values(cloud.radii.clone())),
        ("cloud.volume", Tensor::values(cloud.volumes.clone())),
        ("cloud.object", Tensor::values(matter.objects.clone())),
        ("cloud.owner", Tensor::values(matter.owners.clone())),
        ("cloud.grading", Tensor::values(matter.gradings.clone())),
        ("cloud.branch", Tensor::values(matter.branches.clone())),
        ("links", Tensor::values(links)),
        ("link_end", Tensor::values(ends)),
        ("sample", Tensor::new(vec![matter.samples.len(), 4], samples)),
        ("anchor", Tensor::values(matter.anchors.clone())),
        ("elaston", Tensor::new(vec![matter.elastons.len(), ELASTON], elastons)),
        ("plastic", Tensor::new(vec![state.plastic.len(), STRAINS], plastic)),
        ("flowed", Tensor::new(vec![state.flowed.len(), STRAINS], flowed)),
        ("surface.vertex", vectors(&matter.surface.vertices)),
        ("surface.piece", Tensor::values(matter.surface.pieces.clone())),
        ("surface.triangle", Tensor::new(vec![matter.surface.triangles.len(), 3], triangles)),
        ("surface.cut", Tensor::values(cut)),
        ("surface.closed", flags(&cuts.closed)),
        ("surface.blade", Tensor::values(cuts.blades.clone())),
        ("surface.open_edge", Tensor::new(vec![cuts.open_edges.len(), 4], open_edges)),
        ("displacement", Tensor::values(state.displacements.clone())),
        ("velocity", Tensor::values(state.velocities.clone())),
        ("slip", vectors(&state.slips.iter().map(|slip| slip.displacement).collect::<Vec<_>>())),
        (
            "slip.pair",
            Tensor::new(vec![state.slips.len(), 3], state.slips.iter().flat_map(pair_of).collect::<Vec<u32>>()),
        ),
        ("reference.displacement", Tensor::values(reference.displacements.clone())),
        ("reference.step", Tensor::values([reference.dt])),
        ("reference.counts", Tensor::values([fresh, reference.excess, reference.aged, u64::from(reference.double)])),
        ("reference.holding", flags(&reference.holding)),
    ];
    TensorFile { tensors: tensors.map(|(name, tensor)| (name.to_owned(), tensor)).into(), ..TensorFile::default() }
}

/// Loads a saved state of the same scene.
pub fn load(file: &TensorFile, params: &Params) -> Result<State, TensorFault> {
    let finite = [
        "sampled",
        "cloud.point",
        "cloud.spread",
        "cloud.radius",
        "cloud.volume",
        "cloud.grading",
        "sample",
        "elaston",
        "plastic",
        "flowed",
        "surface.vertex",
        "displacement",
        "velocity",
        "slip",
        "reference.displacement",
        "reference.step",
    ];
    for name in finite {
        file.expect_finite(name)?;
    }
    let time = file.time("time")?;
    let [sampled] = file.array::<f64, 1>("sampled")?;
    let steps = file.steps("steps")?;
    let generation = file.steps("generation")?;
    let matter = load_matter(file, params)?;
    let unknowns = 3 * params.order.functions() * matter.samples.len();
    for name in ["displacement", "velocity"] {
        file.expect_rows(name, unknowns)?;
    }
    for name in ["plastic", "flowed"] {
        file.expect_rows(name, matter.elastons.len())?;
    }
    Ok(State {
        time,
        steps,
        generation,
        displacements: file.values::<f64>("displacement")?.to_vec(),
        velocities: file.values::<f64>("velocity")?.to_vec(),
        plastic: file.rows::<f64, STRAINS>("plastic")?.iter().map(strains_from).collect(),
        flowed: file.rows::<f64, STRAINS>("flowed")?.iter().map(strains_from).collect(),
        reference: load_reference(file, params, unknowns)?,
        sampled: (sampled >= 0.0).then_some(sampled),
        slips: load_slips(file, params, matter.cloud.points.len())?,
        matter,
    })
}

fn load_matter(file: &TensorFile, params: &Params) -> Result<Matter, TensorFault> {
    let points = vectors_from(file, "cloud.point")?;
    let pieces = points.len();
    let per_piece = [
        "cloud.spread",
        "cloud.radius",
        "cloud.volume",
        "cloud.object",
        "cloud.owner",
        "cloud.grading",
        "cloud.branch",
        "link_end",
    ];
    for name in per_piece {
        file.expect_rows(name, pieces)?;
    }
    let cloud = Cloud {
        points,
        radii: positive(file, "cloud.radius")?,
        volumes: positive(file, "cloud.volume")?,
        spreads: file.rows::<f64, 9>("cloud.spread")?.iter().map(DMat3::from_cols_array).collect(),
    };
    let elastons: Vec<Elaston> = file.rows::<f64, ELASTON>("elaston")?.iter().map(elaston_from).collect();
    let samples: Vec<Sample> = file.rows::<f64, 4>("sample")?.iter().map(sample_from).collect();
    if let Some(at) = samples.iter().position(|sample| sample.radius <= 0.0) {
        return Err(TensorFault::element("sample", 4 * at + 3, "a radius must be above 0"));
    }
    file.expect_rows("anchor", samples.len())?;
    let vertices = vectors_from(file, "surface.vertex")?;
    file.expect_rows("surface.piece", vertices.len())?;
    let triangles = file.rows::<u32, 3>("surface.triangle")?.to_vec();
    if let Some(at) = triangles.iter().flatten().position(|&vertex| vertex as usize >= vertices.len()) {
        return Err(TensorFault::element("surface.triangle", at, format!("there are {} vertices", vertices.len())));
    }
    if let Some(hold) = params.holds.iter().flat_map(|hold| &hold.pieces).find(|&&piece| piece as usize >= pieces) {
        return Err(TensorFault::element(
            "cloud.point",
            3 * pieces,
            format!("a hold of the scene contains material point {hold}, but the file has only {pieces}"),
        ));
    }
    let matter = Matter {
        objects: indices(file, "cloud.object", params.objects.len())?,
        owners: indices(file, "cloud.owner", elastons.len())?,
        gradings: positive(file, "cloud.grading")?,
        links: load_links(file, pieces)?,
        branches: indices(file, "cloud.branch", pieces)?,
        anchors: indices(file, "anchor", pieces)?,
        surface: Surface {
            cuts: load_cuts(file, vertices.len(), triangles.len())?,
            pieces: indices(file, "surface.piece", pieces)?,
            vertices,
            triangles,
        },
        cloud,
        samples,
        elastons,
    };
    Ok(matter)
}

fn load_cuts(file: &TensorFile, vertices: usize, triangles: usize) -> Result<Option<SurfaceCuts>, TensorFault> {
    let &[first_made, lasting_vertices, lasting_triangles] = file.values::<u32>("surface.cut")? else {
        return Ok(None);
    };
    if first_made.max(lasting_vertices) as usize > vertices || lasting_triangles as usize > triangles {
        return Err(TensorFault::element(
            "surface.cut",
            0,
            format!("there are {vertices} vertices and {triangles} triangles"),
        ));
    }
    if file.values::<u32>("surface.closed")?.len() < vertices {
        return Err(TensorFault::element("surface.closed", 0, format!("{vertices} vertices need a value")));
    }
    let open_edges = file.rows::<u32, 4>("surface.open_edge")?;
    if let Some(at) = open_edges.as_flattened().iter().position(|&vertex| vertex as usize >= vertices) {
        return Err(TensorFault::element("surface.open_edge", at, format!("there are {vertices} vertices")));
    }
    let edge = |&[a, b, c, d]: &[u32; 4]| [[a, b], [c, d]];
    Ok(Some(SurfaceCuts {
        first_made,
        closed: file.values::<u32>("surface.closed")?.iter().map(|&flag| flag != 0).collect(),
        open_edges: open_edges.iter().map(edge).collect(),
        lasting: [lasting_vertices, lasting_triangles],
        blades: file.values::<u32>("surface.blade")?.to_vec(),
    }))
}

fn pair_of(slip: &Slip) -> [u32; 3] {
    match slip.partner {
        Partner::Collider(index) => [slip.piece, 0, index],
        Partner::Piece(index) => [slip.piece, 1, index],
    }
}

fn load_slips(file: &TensorFile, params: &Params, pieces: usize) -> Result<Vec<Slip>, TensorFault> {
    let displacements = vectors_from(file, "slip")?;
    file.expect_rows("slip.pair", displacements.len())?;
    let pairs = file.rows::<u32, 3>("slip.pair")?;
    let slip = |(at, (&displacement, &[piece, kind, index])): (usize, (&DVec3, &[u32; 3]))| {
        let (partner, count) = match kind {
            0 => (Partner::Collider(index), params.colliders.len()),
            _ => (Partner::Piece(index), pieces),
        };
        if piece as usize >= pieces || index as usize >= count {
            let message = format!("there are {pieces} material points and {} colliders", params.colliders.len());
            return Err(TensorFault::element("slip.pair", 3 * at, message));
        }
        Ok(Slip { piece, partner, displacement })
    };
    let mut slips: Vec<Slip> = displacements.iter().zip(pairs).enumerate().map(slip).collect::<Result<_, _>>()?;
    slips.sort_by_key(|slip| (slip.piece, slip.partner));
    Ok(slips)
}

fn flags(values: &[bool]) -> Tensor<'static> {
    Tensor::values(values.iter().map(|&value| u32::from(value)).collect::<Vec<u32>>())
}

fn load_links(file: &TensorFile, pieces: usize) -> Result<Connectivity, TensorFault> {
    let links = indices(file, "links", pieces)?;
    let mut start = 0;
    let mut lists = Vec::with_capacity(pieces);
    for (at, &end) in file.values::<u64>("link_end")?.iter().enumerate() {
        let list = usize::try_from(end).ok().and_then(|end| links.get(start..end));
        let Some(list) = list else {
            return Err(TensorFault::element("link_end", at, format!("there are {} links", links.len())));
        };
        lists.push(list.to_vec());
        start = end as usize;
    }
    for (piece, list) in lists.iter().enumerate() {
        let sorted = list.windows(2).all(|pair| pair[0] < pair[1]);
        let mutual = |&other: &u32| lists[other as usize].binary_search(&(piece as u32)).is_ok();
        if !sorted || !list.iter().all(mutual) {
            return Err(TensorFault::element("link_end", piece, "links must be sorted and symmetric"));
        }
    }
    Ok(Connectivity::from_lists(lists))
}

fn load_reference(file: &TensorFile, params: &Params, unknowns: usize) -> Result<Option<Reference>, TensorFault> {
    let displacements = file.values::<f64>("reference.displacement")?.to_vec();
    if displacements.is_empty() {
        return Ok(None);
    }
    file.expect_rows("reference.displacement", unknowns)?;
    file.expect_rows("reference.holding", params.holds.len())?;
    let [dt] = file.array::<f64, 1>("reference.step")?;
    let [fresh, excess, aged, double] = file.array::<u64, 4>("reference.counts")?;
    if dt <= 0.0 || fresh.max(excess).max(aged) > u64::MAX / 4 {
        return Err(TensorFault::element(
            "reference.step",
            0,
            format!("a time step of {dt} s with {fresh} and {excess} iterations is not valid"),
        ));
    }
    let holding = file.values::<u32>("reference.holding")?.iter().map(|&flag| flag != 0).collect();
    Ok(Some(Reference { displacements, dt, holding, fresh: fresh.checked_sub(1), excess, aged, double: double != 0 }))
}

fn elaston_numbers(elaston: &Elaston) -> [f64; ELASTON] {
    let mut numbers = [0.0; ELASTON];
    elaston.center.write_to_slice(&mut numbers[..3]);
    numbers[3..12].copy_from_slice(&elaston.axes.to_cols_array());
    elaston.sides.write_to_slice(&mut numbers[12..15]);
    numbers[15] = elaston.volume;
    numbers
}

fn elaston_from(numbers: &[f64; ELASTON]) -> Elaston {
    Elaston {
        center: DVec3::from_slice(numbers),
        axes: DMat3::from_cols_slice(&numbers[3..]),
        sides: DVec3::from_slice(&numbers[12..]),
        volume: numbers[15],
    }
}

fn sample_from(numbers: &[f64; 4]) -> Sample {
    Sample { position: DVec3::from_slice(numbers), radius: numbers[3] }
}

fn strain_numbers(strains: &Strains) -> Vec<f64> {
    [strains.membrane].iter().chain(&strains.bending).flat_map(DMat3::to_cols_array).collect()
}

fn strains_from(numbers: &[f64; STRAINS]) -> Strains {
    let matrix = |at: usize| DMat3::from_cols_slice(&numbers[9 * at..]);
    Strains { membrane: matrix(0), bending: [matrix(1), matrix(2), matrix(3)] }
}

fn vectors_from(file: &TensorFile, name: &str) -> Result<Vec<DVec3>, TensorFault> {
    Ok(file.rows::<f64, 3>(name)?.iter().map(|&vector| DVec3::from_array(vector)).collect())
}

fn positive(file: &TensorFile, name: &str) -> Result<Vec<f64>, TensorFault> {
    let values = file.values::<f64>(name)?.to_vec();
    match values.iter().position(|&value| value <= 0.0) {
        Some(at) => Err(TensorFault::element(name, at, format!("{} must be above 0", values[at]))),
        None => Ok(values),
    }
}

/// Reads indices, which must be below `count`.
fn indices(file: &TensorFile, name: &str, count: usize) -> Result<Vec<u32>, TensorFault> {
    let values = file.values::<u32>(name)?.to_vec();
    match values.iter().position(|&value| value as usize >= count) {
        Some(at) => Err(TensorFault::element(name, at, format!("{} must be below {count}", values[at]))),
        None => Ok(values),
    }
}
