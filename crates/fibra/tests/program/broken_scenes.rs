//! Broken scenes: each gives one message that names the position and the remedy.
//!
//! The messages are snapshots. After a deliberate change, run the tests with `INSTA_UPDATE=always` and review the
//! difference before committing it.

use fibra_scene::{Material, Scene, SceneError, Transfer, builtin};
use proptest::prelude::*;
use std::fmt::Write;

/// A valid scene; each broken scene differs from it in one place.
const VALID: &str = r#"title = "A ball drops"
method = "mpm"
gravity = [0, -9.81, 0]

[time]
frames = 24
fps = 24

[mpm]
dx = 0.05

[domain]
min = [-1, -1, -1]
max = [1, 2, 1]

[[object]]
name = "ball"
shape.sphere = { center = [0, 1, 0], radius = 0.2 }
material.sand = { density = 1600, poisson_ratio = 0.3 }

[[object]]
name = "brick"
shape.box = { center = [0.5, 1, 0], size = [0.2, 0.2, 0.2] }
material.snow = {}

[[collider]]
name = "ground"
shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }

[[collider]]
name = "wheel"
shape.cylinder = { center = [0, 0.3, 0], radius = 0.2, height = 0.4, axis = [0, 0, 1] }
motion.spin = { axis = [0, 0, 1], rate = 3 }

[camera]
eye = [2, 1, 3]
target = [0, 0.5, 0]

[[expect]]
quantity = "lowest"
object = "ball"
min = -0.05

[preset.fine]
mpm.dx = 0.025
object.ball.material.sand.density = 1700
"#;

/// Lines of [`VALID`] that many broken scenes replace.
const BRICK: &str = "shape.box = { center = [0.5, 1, 0], size = [0.2, 0.2, 0.2] }";
const SNOW_BRICK: &str = "shape.box = { center = [0.5, 1, 0], size = [0.2, 0.2, 0.2] }\nmaterial.snow = {}";
const SPIN: &str = "motion.spin = { axis = [0, 0, 1], rate = 3 }";

/// The problem, the text of [`VALID`] to replace, and its replacement.
#[rustfmt::skip]
const BROKEN: &[(&str, &str, &str)] = &[
    // TOML syntax.
    ("not TOML at all", "[time]", "time {"),
    ("an unterminated string", "\"A ball drops\"", "\"A ball drops"),
    ("a duplicate key", "fps = 24", "fps = 24\nfps = 25"),
    ("a number too large to read", "fps = 24", "fps = 1e999"),
    ("an integer too large to read", "frames = 24", "frames = 99999999999999999999"),
    // Keys.
    ("an unknown key at the top", "gravity =", "gravitiy ="),
    ("an unknown key in a table", "dx = 0.05", "dx = 0.05\nkernal = \"cubic\""),
    ("an unknown nested key", "density = 1600", "densty = 1600"),
    ("an unknown table", "[camera]", "[kamera]"),
    ("a missing key", "dx = 0.05\n", ""),
    ("a missing table", "[time]\nframes = 24\nfps = 24\n", ""),
    ("a missing material", "material.snow = {}\n", ""),
    ("a shape without its size", ", radius = 0.2 }\nmaterial.sand", " }\nmaterial.sand"),
    // Types.
    ("gravity as a string", "[0, -9.81, 0]", "\"down\""),
    ("gravity with two numbers", "[0, -9.81, 0]", "[0, -9.81]"),
    ("gravity with four numbers", "[0, -9.81, 0]", "[0, -9.81, 0, 0]"),
    ("a string among numbers", "{ center = [0, 1, 0]", "{ center = [0, \"1\", 0]"),
    ("a fractional number of frames", "frames = 24", "frames = 24.5"),
    ("negative frames", "frames = 24", "frames = -1"),
    ("a date for a number", "fps = 24", "fps = 2024-01-01"),
    ("a number for a title", "title = \"A ball drops\"", "title = 7"),
    ("a number for a table", "[time]\nframes = 24\nfps = 24\n", "time = 24\n"),
    ("a table for a list", "[[expect]]", "[expect]"),
    // Choices.
    ("an unknown method", "method = \"mpm\"", "method = \"mmp\""),
    ("an unknown material", "material.snow", "material.snwo"),
    ("an unknown shape", "shape.box", "shape.cone"),
    ("two shapes at once", "shape.box =", "shape.sphere = { center = [0, 1, 0], radius = 0.2 }\nshape.box ="),
    ("a material as a string", "material.snow = {}", "material = \"snow\""),
    ("a method as a table", "method = \"mpm\"", "method.mpm = {}"),
    ("a kernel by number", "dx = 0.05", "dx = 0.05\nkernel = 2"),
    ("an unknown quantity", "\"lowest\"", "\"lowst\""),
    // Numbers.
    ("frames = 0", "frames = 24", "frames = 0"),
    ("no frames per second", "fps = 24", "fps = 0"),
    ("cfl of 1", "fps = 24", "fps = 24\ncfl = 1"),
    ("longest step below the shortest", "fps = 24", "fps = 24\nmax_dt = 1e-9"),
    ("shortest step longer than a frame", "fps = 24", "fps = 24\nmin_dt = 1"),
    ("zero dx", "dx = 0.05", "dx = 0"),
    ("NaN", "dx = 0.05", "dx = nan"),
    ("infinity in a list", "{ center = [0, 1, 0]", "{ center = [0, inf, 0]"),
    ("a number too large to compute with", "density = 1600", "density = 1e40"),
    ("damping with FLIP", "dx = 0.05", "dx = 0.05\ntransfer = \"flip\"\ndamping_rate = 500"),
    ("a negative damping", "dx = 0.05", "dx = 0.05\ndamping_rate = -1"),
    ("a damping per step", "dx = 0.05", "dx = 0.05\ndamping = 0.5"),
    ("linear kernel with apic", "dx = 0.05", "dx = 0.05\nkernel = \"linear\""),
    ("no particles", "dx = 0.05", "dx = 0.05\nparticles_per_cell = 0"),
    ("negative density", "density = 1600", "density = -1600"),
    ("Poisson's ratio of 0.5", "poisson_ratio = 0.3", "poisson_ratio = 0.5"),
    ("Poisson's ratio of -1", "poisson_ratio = 0.3", "poisson_ratio = -1"),
    ("no stiffness", "material.snow = {}", "material.snow = { youngs_modulus = 0 }"),
    ("a friction angle of 90 degrees", "density = 1600", "friction_angle = 90"),
    ("an invalid fluid", "material.snow = {}", "material.fluid = { gamma = 0.5 }"),
    ("an invalid goo", "material.snow = {}", "material.goo = { yield_stress = -1 }"),
    ("negative friction", "name = \"ground\"", "name = \"ground\"\nfriction = -0.1"),
    ("a color in the range 0 to 255", "name = \"brick\"", "name = \"brick\"\ncolor = [255, 0, 0]"),
    ("a blank title", "A ball drops", "  "),
    // Shapes and positions.
    ("a negative radius", "radius = 0.2 }\nmaterial", "radius = -0.2 }\nmaterial"),
    ("a flat box", "size = [0.2, 0.2, 0.2]", "size = [0.2, 0.0, 0.2]"),
    ("a zero normal", "normal = [0, 1, 0]", "normal = [0, 0, 0]"),
    ("a spin about a zero axis", "motion.spin = { axis = [0, 0, 1]", "motion.spin = { axis = [0, 0, 0]"),
    ("a capsule without length", BRICK, "shape.capsule = { start = [0, 1, 0], end = [0, 1, 0], radius = 0.1 }"),
    ("an object thinner than a cell", "size = [0.2, 0.2, 0.2]", "size = [0.2, 0.01, 0.2]"),
    ("an object that is a plane", BRICK, "shape.plane = { point = [0, 0, 0] }"),
    ("an object outside the domain", "center = [0.5, 1, 0]", "center = [0.95, 1, 0]"),
    ("a domain with max below min", "max = [1, 2, 1]", "max = [1, -2, 1]"),
    ("a domain of two cells", "max = [1, 2, 1]", "max = [1, 2, -0.9]"),
    ("a camera that looks at itself", "target = [0, 0.5, 0]", "target = [2, 1, 3]"),
    ("a field of view of 180 degrees", "target = [0, 0.5, 0]", "target = [0, 0.5, 0]\nfov_degrees = 180"),
    // Names.
    ("a name with a space", "name = \"brick\"", "name = \"Red brick\""),
    ("two objects with the same name", "name = \"brick\"", "name = \"ball\""),
    ("two colliders with the same name", "name = \"wheel\"", "name = \"ground\""),
    ("an expectation of an unknown object", "object = \"ball\"", "object = \"bell\""),
    ("an expectation without bounds", "min = -0.05", ""),
    ("an expectation with min above max", "min = -0.05", "min = 1\nmax = 0"),
    ("an expectation with a multi-line reason", "min = -0.05", "min = 1\nbecause = \"one\\ntwo\""),
    // Motion.
    ("keyframes out of order", SPIN, "motion.keyframes = { times = [0, 2, 1], translations = [[0, 0, 0], [0, 0, 0], [0, 0, 0]] }"),
    ("keyframes of different lengths", SPIN, "motion.keyframes = { times = [0, 1], translations = [[0, 0, 0]] }"),
    ("keyframes without times", SPIN, "motion.keyframes = { times = [], translations = [] }"),
    ("rotations given twice", SPIN, "motion.keyframes = { times = [0], translations = [[0, 0, 0]], rotations = [[0, 0, 0, 1]], rotations_degrees = [[0, 0, 0]] }"),
    ("a zero quaternion", SPIN, "motion.keyframes = { times = [0], translations = [[0, 0, 0]], rotations = [[0, 0, 0, 0]] }"),
    ("an unknown motion", "motion.spin", "motion.spinn"),
    // Files.
    ("a missing mesh file", BRICK, "shape.mesh = { file = \"/nowhere/bunny.obj\" }"),
    ("a mesh that is a folder", BRICK, "shape.mesh = { file = \"/\" }"),
    ("an unknown built-in mesh", BRICK, "shape.mesh = { file = \"builtin:bunny.obj\" }"),
    ("a missing recording", SPIN, "motion.recorded = { file = \"/nowhere/poses.txt\", fps = 24 }"),
    // Cloth and fibers.
    ("cloth with a solid shape", "material.snow = {}", "material.cloth = {}"),
    ("snow with a surface shape", BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depth = 0.5 }"),
    ("fibers with a surface shape", SNOW_BRICK, "shape.curtain = { top = [0, 1, 0], width = 0.8, height = 0.4, span = 0.5 }\nmaterial.fiber = {}"),
    ("a misspelled shape", BRICK, "shape.sheeet = { center = [0, 1, 0], width = 0.5, depth = 0.5 }"),
    ("an unknown key of a sheet", SNOW_BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depht = 0.5 }\nmaterial.cloth = {}"),
    ("a sheet with zero spacing", SNOW_BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depth = 0.5, spacing = 0 }\nmaterial.cloth = {}"),
    ("a collider that is a curtain", "shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }", "shape.curtain = {}"),
    ("cloth with zero thickness", SNOW_BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depth = 0.5 }\nmaterial.cloth = { thickness = 0 }"),
    ("cloth with friction but no shear stiffness", SNOW_BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depth = 0.5 }\nmaterial.cloth = { shear_stiffness = 0 }"),
    ("an unknown contact", SNOW_BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depth = 0.5 }\nmaterial.cloth = { contact = \"sticky\" }"),
    ("a fiber with zero radius", SNOW_BRICK, "shape.strands = { curves = [[[0, 1, 0], [0.5, 1, 0]]] }\nmaterial.fiber = { radius = 0 }"),
    ("a bundle spread too far", SNOW_BRICK, "shape.fiber-bundle = { center = [0, 1, 0], size = [0.5, 0.2, 0.2], fibers = 9, min_length = 0.1, max_length = 0.2, spread_degrees = 90 }\nmaterial.fiber = {}"),
    ("a knit without its yarn", SNOW_BRICK, "shape.knit = { center = [0, 1, 0], courses = 9, wales = 9 }\nmaterial.fiber = {}"),
    ("a missing curve file", SNOW_BRICK, "shape.curve-file = { file = \"/nowhere/long.hair\" }\nmaterial.fiber = {}"),
    ("a missing surface mesh", SNOW_BRICK, "shape.surface-mesh = { file = \"/nowhere/shirt.obj\" }\nmaterial.cloth = {}"),
    ("no Newton iterations", "dx = 0.05", "dx = 0.05\nimplicit = { newton_iterations = 0 }"),
    // Pins.
    ("a pin in snow", "material.snow = {}", "material.snow = {}\npin = [{ region.sphere = { center = [0, 1, 0], radius = 0.1 } }]"),
    ("a pin without a region", "material.snow = {}", "material.snow = {}\npin = [{ until = 1 }]"),
    ("a pin that follows an unknown collider", SNOW_BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depth = 0.5 }\nmaterial.cloth = {}\npin = [{ region.sphere = { center = [0, 1, 0], radius = 0.1 }, follow = \"whel\" }]"),
    ("a pin with both follow and motion", SNOW_BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depth = 0.5 }\nmaterial.cloth = {}\npin = [{ region.sphere = { center = [0, 1, 0], radius = 0.1 }, follow = \"wheel\", motion.spin = { axis = [0, 1, 0], rate = 1 } }]"),
    ("a pin released at the start", SNOW_BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depth = 0.5 }\nmaterial.cloth = {}\npin = [{ region.sphere = { center = [0, 1, 0], radius = 0.1 }, until = 0 }]"),
    // Presets.
    ("a misspelled key in a preset", "mpm.dx = 0.025", "mpm.dxx = 0.025"),
    ("a preset for an unknown object", "object.ball.material", "object.bell.material"),
    ("a preset that is not a table", "[preset.fine]\nmpm.dx = 0.025\nobject.ball.material.sand.density = 1700\n", "[preset]\nfine = 3\n"),
    // Methods.
    ("no settings of the method", "[mpm]\ndx = 0.05\n", ""),
    ("settings of another method", "[mpm]\ndx = 0.05\n", "[mpm]\ndx = 0.05\n[rods]\nspacing = 0.1\n"),
    ("a material of another method", SNOW_BRICK, "shape.strands = { curves = [[[0, 1, 0], [0.5, 1, 0]]] }\nmaterial.rod = {}"),
    ("a quantity of another method", "\"lowest\"", "\"unsolved_share\""),
    ("a hairstyle without a head", SNOW_BRICK, "shape.hairstyle = {}\nmaterial.fiber = {}"),
    ("`hold` for cloth", SNOW_BRICK, "shape.sheet = { center = [0, 1, 0], width = 0.5, depth = 0.5 }\nmaterial.cloth = {}\npin = [{ region.sphere = { center = [0, 1, 0], radius = 0.1 }, hold = \"pinned\" }]"),
    // Several at once.
    ("three errors at once", "[0.2, 0.2, 0.2] }\nmaterial.snow = {}", "[0.2, 0.2, -0.2] }\nmaterial.snow = { density = 0, hardening = -1 }"),
];

/// A valid rod scene.
const VALID_RODS: &str = r#"title = "A rod and a ball"
method = "rods"
time.frames = 24

[rods]
spacing = 0.01
dt = 0.001

[[object]]
name = "rod"
shape.strands = { curves = [[[0, 1, 0], [0.2, 1, 0]]] }
material.rod = { model = "corde", radius = 0.001 }
pin = [{ region.sphere = { center = [0, 1, 0], radius = 0.001 }, hold = "pinned" }]
pull = [{ region.sphere = { center = [0.2, 1, 0], radius = 0.001 }, force = [0, 0, 1] }]

[[object]]
name = "ball"
shape.sphere = { center = [0, 0.5, 0], radius = 0.1 }
material.rigid = { density = 500 }

[[collider]]
name = "ground"
shape.plane = { point = [0, 0, 0] }

[[expect]]
quantity = "smallest_gap"
min = 0.9
"#;

/// The problem, the text of [`VALID_RODS`] to replace, and its replacement.
#[rustfmt::skip]
const BROKEN_RODS: &[(&str, &str, &str)] = &[
    ("no settings of rods", "[rods]\nspacing = 0.01\ndt = 0.001\n", ""),
    ("rods with settings of MPM", "[rods]\nspacing = 0.01\ndt = 0.001\n", "[mpm]\ndx = 0.01\n"),
    ("a zero step", "dt = 0.001", "dt = 0"),
    ("a step of 1 s", "dt = 0.001", "dt = 1"),
    ("max_dt for rods", "time.frames = 24", "time = { frames = 24, max_dt = 0.01 }"),
    ("no spacing", "spacing = 0.01", "spacing = 0"),
    ("no tolerance", "dt = 0.001", "tolerance = 0"),
    ("no sweeps", "dt = 0.001", "sweeps = 0"),
    ("an unknown solver", "dt = 0.001", "solver = \"jacobi\""),
    ("an unknown model", "\"corde\"", "\"cord\""),
    ("a rod with zero radius", "radius = 0.001 }\npin", "radius = 0 }\npin"),
    ("a rod with negative friction, drag and damping", "model = \"corde\"", "friction = -0.1, drag = -1, internal_damping = -1"),
    ("a rod with restitution above 1", "model = \"corde\"", "restitution = 1.5"),
    ("a super-helix without elements", "model = \"corde\"", "elements = 0"),
    ("sand with rods", "material.rigid = { density = 500 }", "material.sand = {}"),
    ("a rod that is a ball", "material.rigid = { density = 500 }", "material.rod = {}"),
    ("a rigid box", "shape.sphere = { center = [0, 0.5, 0], radius = 0.1 }", "shape.box = { center = [0, 0.5, 0], size = [0.1, 0.1, 0.1] }"),
    ("a rigid strand", "material.rod = { model = \"corde\", radius = 0.001 }", "material.rigid = {}"),
    ("rods with an angular velocity", "name = \"rod\"", "name = \"rod\"\nangular_velocity = [0, 1, 0]"),
    ("a pinned ball", "material.rigid = { density = 500 }", "material.rigid = {}\npin = [{ region.sphere = { center = [0, 0.5, 0], radius = 0.1 } }]"),
    ("a pulled ball", "material.rigid = { density = 500 }", "material.rigid = {}\npull = [{ region.sphere = { center = [0, 0.5, 0], radius = 0.1 }, force = [0, 1, 0] }]"),
    ("an unknown hold", "\"pinned\"", "\"glued\""),
    ("a sticky ground", "name = \"ground\"", "name = \"ground\"\ncontact = \"sticky\""),
    ("a quantity that rods do not have", "\"smallest_gap\"", "\"volume_ratio\""),
    ("a scalp cap of 170 degrees", "shape.strands = { curves = [[[0, 1, 0], [0.2, 1, 0]]] }", "shape.scalp = { center = [0, 1, 0], radius = 0.1, strands = 9, length = 0.1, cap_degrees = 170 }"),
];

/// A valid hair scene.
const VALID_HAIR: &str = r#"title = "Hair on a head"
method = "hair"
time.frames = 24

[hair]
step = 0.0025
substeps = 3
drag = 0.5
strand = { radius = 5e-5, density = 1300, stretching_modulus = 1.6e7, bending_modulus = 1.5e10, shear_modulus = 7.7e9 }
grid = { cell = 0.01, youngs_modulus = 1200, poisson_ratio = 0.3, between = "sand", friction_angle = 20, flip_ratio = 0.3, trap_breaking = [0.05, 0.2] }
head = { position = [0, 1.5, 0], size = [0.15, 0.2, 0.2], motion.spin = { axis = [0, 1, 0], rate = 2 }, friction = 0.2 }

[[object]]
name = "hair"
shape.hairstyle = { style = "short", strands = 100, curl = "straight" }
material.hair = { pinned = 2, bangs = { region.sphere = { center = [0, 1.5, 0.1], radius = 0.05 }, pinned = 4 }, natural = "as-made" }

[[collider]]
name = "ground"
shape.plane = { point = [0, 0, 0] }
contact = "sticky"

[[expect]]
quantity = "deep_inside"
max = 0.005
"#;

/// The problem, the text of [`VALID_HAIR`] to replace, and its replacement.
#[rustfmt::skip]
const BROKEN_HAIR: &[(&str, &str, &str)] = &[
    ("hair with settings of rods", "[hair]\nstep = 0.0025", "[rods]\nspacing = 0.01\n[hair]\nstep = 0.0025"),
    ("a zero step", "step = 0.0025", "step = 0"),
    ("no substeps", "substeps = 3", "substeps = 0"),
    ("too many substeps", "substeps = 3", "substeps = 1000"),
    ("negative drag", "drag = 0.5", "drag = -0.5"),
    ("follow above 1", "drag = 0.5", "follow = 1.5"),
    ("zero slack", "drag = 0.5", "slack = 0"),
    ("max_dt for hair", "time.frames = 24", "time = { frames = 24, max_dt = 0.01 }"),
    ("hair with zero radius", "radius = 5e-5", "radius = 0"),
    ("hair with negative density", "density = 1300", "density = -1"),
    ("hair without bending stiffness", "bending_modulus = 1.5e10", "bending_modulus = 0"),
    ("no cells", "cell = 0.01", "cell = 0"),
    ("an incompressible grid", "poisson_ratio = 0.3", "poisson_ratio = 0.5"),
    ("an unknown grid model", "\"sand\"", "\"glue\""),
    ("a friction angle above 90 degrees", "friction_angle = 20", "friction_angle = 95"),
    ("a flip ratio above 1", "flip_ratio = 0.3", "flip_ratio = 1.3"),
    ("a trap_breaking above 1", "[0.05, 0.2]", "[0.05, 2]"),
    ("a head without depth", "size = [0.15, 0.2, 0.2]", "size = [0.15, 0.2, 0]"),
    ("a head with a zero rotation axis", "axis = [0, 1, 0]", "axis = [0, 0, 0]"),
    ("a misspelled key of the head", "friction = 0.2", "frction = 0.2"),
    ("a negative max_rotation", "friction = 0.2", "max_rotation = -1"),
    ("an unknown style", "\"short\"", "\"bob\""),
    ("an unknown curl", "\"straight\"", "\"frizzy\""),
    ("a hair cap of 180 degrees", "strands = 100", "strands = 100, cap_degrees = 180"),
    ("a negative pinned count", "pinned = 2,", "pinned = -2,"),
    ("bangs with fewer pinned vertices than other hair", "pinned = 4", "pinned = 1"),
    ("bangs with zero radius", "radius = 0.05", "radius = 0"),
    ("hair with zero drawn radius", "natural = \"as-made\"", "drawn_radius = 0"),
    ("hair with an initial velocity", "name = \"hair\"", "name = \"hair\"\nvelocity = [0, 1, 0]"),
    ("pinned hair", "name = \"hair\"", "name = \"hair\"\npin = [{ region.sphere = { center = [0, 1, 0], radius = 1 } }]"),
    ("hair of sand", "material.hair = { pinned = 2, bangs = { region.sphere = { center = [0, 1.5, 0.1], radius = 0.05 }, pinned = 4 }, natural = \"as-made\" }", "material.sand = {}"),
    ("hair with a ball shape", "shape.hairstyle = { style = \"short\", strands = 100, curl = \"straight\" }", "shape.sphere = { center = [0, 1, 0], radius = 0.1 }"),
    ("a missing hair file", "shape.hairstyle = { style = \"short\", strands = 100, curl = \"straight\" }", "shape.hair-file = { file = \"/no/such.hair\", scale = 0, strands = 0 }"),
    ("a quantity that hair does not have", "\"deep_inside\"", "\"smallest_gap\""),
    ("too much hair", "strands = 100", "strands = 4000000000"),
];

/// A valid scene with anisotropic materials.
const VALID_ANISOTROPIC: &str = r#"title = "Layers and grains"
method = "mpm"
time.frames = 24
mpm = { dx = 0.05, integrator = "explicit" }

[[object]]
name = "layers"
shape.box = { center = [0, 1, 0], size = [0.4, 0.4, 0.4] }
material.sand = {}
[object.anisotropy]
youngs_moduli = [5e5, 5e5, 5e4]
poisson_ratios = [0.4, 0.3, 0.1]
reverse_poisson_ratios = [0.4, 0.03, 0.01]
shear_moduli = [2e5, 1e5, 1e5]
scales = [0.8, 0.8, 1.4]
axes.direction = { along = [0, 1, 0], across = [1, 0, 0] }

[[object]]
name = "grains"
shape.box = { center = [1, 1, 0], size = [0.4, 0.4, 0.4] }
material.tissue = { density = 900, critical_shear = 0.2, softening = 5 }
[object.anisotropy]
axes.random = { spread_degrees = 20, about = [1, 0, 0], length = 0.1 }
[object.anisotropy.orientation]
elongation = 0.8
along = { youngs_modulus = 1e5, poisson_ratio = 0.1, scale = 0.7 }
alignment.linear = { from = [0, 1, 0], to = [2, 1, 0], start = [0, 0, 1], end = [0.2, 0.2, 0.6] }
"#;

/// The problem, the text of [`VALID_ANISOTROPIC`] to replace, and its replacement.
#[rustfmt::skip]
const BROKEN_ANISOTROPIC: &[(&str, &str, &str)] = &[
    ("a Poisson ratio without positive energy", "[0.4, 0.3, 0.1]\nreverse_poisson_ratios = [0.4, 0.03, 0.01]", "[1.2, 0.3, 0.1]"),
    ("layers with zero stiffness", "material.sand = {}", "material.sand = { youngs_modulus = 0 }"),
    ("Poisson ratios without positive energy together", "[0.4, 0.3, 0.1]\nreverse_poisson_ratios = [0.4, 0.03, 0.01]", "[0.9, 0.9, 1.2]"),
    ("ratios that contradict each other", "[0.4, 0.03, 0.01]", "[0.4, 0.3, 0.01]"),
    ("a modulus of zero", "youngs_moduli = [5e5, 5e5, 5e4]", "youngs_moduli = [5e5, 0, 5e4]"),
    ("a negative shear modulus", "[2e5, 1e5, 1e5]", "[2e5, 1e5, -1]"),
    ("two moduli instead of three", "youngs_moduli = [5e5, 5e5, 5e4]", "youngs_moduli = [5e5, 5e5]"),
    ("moduli without ratios", "poisson_ratios = [0.4, 0.3, 0.1]\nreverse_poisson_ratios = [0.4, 0.03, 0.01]", ""),
    ("ratios without moduli", "youngs_moduli = [5e5, 5e5, 5e4]\n", ""),
    ("a factor of zero", "scales = [0.8, 0.8, 1.4]", "scales = [0.8, 0.0, 1.4]"),
    ("both stiffness and moduli", "shear_moduli = [2e5, 1e5, 1e5]", "stiffness = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1]"),
    ("both orientation and moduli", "shear_moduli = [2e5, 1e5, 1e5]", "orientation = {}"),
    ("both stress_map and scales", "shear_moduli = [2e5, 1e5, 1e5]", "stress_map = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1]"),
    ("a stress map that is not positive definite", "scales = [0.8, 0.8, 1.4]", "stress_map = [1, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1]"),
    ("a stiffness of 20 numbers", "scales = [0.8, 0.8, 1.4]", "stress_map = [1, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0]"),
    ("fibers with zero stiffness", "axes.random", "transverse = { youngs_modulus_along = 0, youngs_modulus_across = 1, poisson_ratio_along = 0, poisson_ratio_across = 0, shear_modulus_along = 1 }\naxes.random"),
    ("invalid transverse fibers", "[object.anisotropy]\naxes.random = { spread_degrees = 20, about = [1, 0, 0], length = 0.1 }\n[object.anisotropy.orientation]\nelongation = 0.8\nalong = { youngs_modulus = 1e5, poisson_ratio = 0.1, scale = 0.7 }\nalignment.linear = { from = [0, 1, 0], to = [2, 1, 0], start = [0, 0, 1], end = [0.2, 0.2, 0.6] }\n", "anisotropy.transverse = { youngs_modulus_along = 1, youngs_modulus_across = 1, poisson_ratio_along = 1.5, poisson_ratio_across = 0, shear_modulus_along = 1 }\n"),
    ("water with layers", "material.sand = {}", "material.fluid = {}"),
    ("scales for a material without plastic flow", "material.sand = {}", "material.fixed-corotated = {}"),
    ("an unknown elasticity", "material.sand = {}", "material.sand = { elasticity = \"linear\" }"),
    ("an unknown flow rule", "scales = [0.8, 0.8, 1.4]", "flow = \"associated\""),
    ("axes along a zero vector", "along = [0, 1, 0]", "along = [0, 0, 0]"),
    ("two parallel axes", "across = [1, 0, 0]", "across = [0, 2, 0]"),
    ("an unknown kind of axes", "axes.direction", "axes.directions"),
    ("a misspelled key of axes", "across = [1, 0, 0]", "accross = [1, 0, 0]"),
    ("axes around a zero axis", "axes.direction = { along = [0, 1, 0], across = [1, 0, 0] }", "axes.radial = { center = [0, 0, 0], axis = [0, 0, 0] }"),
    ("an unknown principal axis", "axes.direction = { along = [0, 1, 0], across = [1, 0, 0] }", "axes.principal = { third = \"thickest\" }"),
    ("a missing built-in file of axes", "axes.direction = { along = [0, 1, 0], across = [1, 0, 0] }", "axes.file = { file = \"builtin:twig.csv\" }"),
    ("a missing file of axes", "axes.direction = { along = [0, 1, 0], across = [1, 0, 0] }", "axes.file = { file = \"/nowhere/field.csv\" }"),
    ("axes spread too far", "spread_degrees = 20", "spread_degrees = 120"),
    ("axes with zero correlation length", "length = 0.1", "length = 0"),
    ("an elongation above 1", "elongation = 0.8", "elongation = 1.2"),
    ("grains with zero stiffness", "youngs_modulus = 1e5, poisson_ratio = 0.1, scale = 0.7", "youngs_modulus = 0, poisson_ratio = 0.5, scale = 0"),
    ("an alignment with a trace above 1", "start = [0, 0, 1]", "start = [0, 0.2, 1]"),
    ("an alignment along a line of zero length", "to = [2, 1, 0]", "to = [0, 1, 0]"),
    ("alignment with least above most", "alignment.linear = { from = [0, 1, 0], to = [2, 1, 0], start = [0, 0, 1], end = [0.2, 0.2, 0.6] }", "alignment.random = { least = 0.8, most = 0.4 }"),
    ("alignment with zero radius", "alignment.linear = { from = [0, 1, 0], to = [2, 1, 0], start = [0, 0, 1], end = [0.2, 0.2, 0.6] }", "alignment.radial = { center = [0, 0, 0], radius = 0, inner = [0, 0, 1], outer = [0, 1, 0] }"),
    ("tissue with zero critical shear", "critical_shear = 0.2, softening = 5", "critical_shear = 0, softening = -1"),
];

/// The problem, the preset and the `--set` options.
#[rustfmt::skip]
const BROKEN_OPTIONS: &[(&str, Option<&str>, &[&str])] = &[
    ("a preset that does not exist", Some("fin"), &[]),
    ("an option without a value", None, &["mpm.dx"]),
    ("an option without a key", None, &["=3"]),
    ("an option with an unknown key", None, &["mpm.dz=0.1"]),
    ("an option for an unknown object", None, &["object.boll.velocity=[0,1,0]"]),
    ("an option past the end of a list", None, &["object.7.velocity=[0,1,0]"]),
    ("an option with a bad value", None, &["object.ball.velocity=[0,1"]),
    ("an option with a wrong type", None, &["mpm.dx=small"]),
    ("an option out of range", None, &["mpm.dx=0.1", "object.ball.material.sand.density=-3"]),
    ("an option for another material", None, &["object.brick.material.sand.density=1500"]),
    ("an option with a very deep path", None, &["a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=1"]),
];

fn load(source: &str) -> Result<(), SceneError> {
    Scene::load(source, None, &[]).map(|_| ())
}

fn write_case(messages: &mut String, what: &str, outcome: Result<(), SceneError>) {
    let error = outcome.expect_err(what);
    for problem in error.problems() {
        assert!(miette::Diagnostic::help(problem).is_some(), "{what}: no remedy");
    }
    writeln!(messages, "=== {what}\n{}", error.render(false)).unwrap();
}

#[test]
fn the_valid_scene_loads() {
    for preset in [None, Some("fine")] {
        if let Err(error) = Scene::load(VALID, preset, &[]) {
            panic!("{}", error.render(false));
        }
    }
}

#[test]
fn broken_scenes() {
    let mut messages = String::new();
    for (what, from, to) in BROKEN {
        assert_eq!(VALID.matches(from).count(), 1, "{what}: `{from}` is not in the valid scene exactly once");
        write_case(&mut messages, what, load(&VALID.replacen(from, to, 1)));
    }
    insta::assert_snapshot!("scenes", messages);
}

#[test]
fn broken_rods() {
    load(VALID_RODS).unwrap_or_else(|error| panic!("{}", error.render(false)));
    let mut messages = String::new();
    for (what, from, to) in BROKEN_RODS {
        assert_eq!(VALID_RODS.matches(from).count(), 1, "{what}: `{from}` is not in the valid scene exactly once");
        write_case(&mut messages, what, load(&VALID_RODS.replacen(from, to, 1)));
    }
    insta::assert_snapshot!("rods", messages);
}

#[test]
fn broken_hair() {
    load(VALID_HAIR).unwrap_or_else(|error| panic!("{}", error.render(false)));
    let mut messages = String::new();
    for (what, from, to) in BROKEN_HAIR {
        assert_eq!(VALID_HAIR.matches(from).count(), 1, "{what}: `{from}` is not in the valid scene exactly once");
        write_case(&mut messages, what, load(&VALID_HAIR.replacen(from, to, 1)));
    }
    insta::assert_snapshot!("hair", messages);
}

#[test]
fn broken_anisotropy() {
    load(VALID_ANISOTROPIC).unwrap_or_else(|error| panic!("{}", error.render(false)));
    let mut messages = String::new();
    for (what, from, to) in BROKEN_ANISOTROPIC {
        assert_eq!(
            VALID_ANISOTROPIC.matches(from).count(),
            1,
            "{what}: `{from}` is not in the valid scene exactly once"
        );
        write_case(&mut messages, what, load(&VALID_ANISOTROPIC.replacen(from, to, 1)));
    }
    insta::assert_snapshot!("anisotropy", messages);
}

#[test]
fn a_resolved_anisotropic_scene_loads_to_the_same_scene() {
    let loaded = Scene::load(VALID_ANISOTROPIC, None, &[]).unwrap();
    let resolved = Scene::load(&loaded.to_resolved_toml(), None, &[]).unwrap();
    assert_eq!(resolved.scene, loaded.scene);
    let turned = "object.layers.anisotropy.axes.fixed={ rotate_degrees = [0, 0, 90] }".to_owned();
    let scene = Scene::load(VALID_ANISOTROPIC, None, &[turned]).unwrap().scene;
    assert_eq!(scene.objects[0].anisotropy.as_ref().unwrap().axes.name(), "fixed");
}

#[test]
fn broken_options() {
    let mut messages = String::new();
    for (what, preset, sets) in BROKEN_OPTIONS {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        write_case(&mut messages, what, Scene::load(VALID, *preset, &sets).map(|_| ()));
    }
    write_case(&mut messages, "zero frames", Scene::load(VALID, None, &["time.frames=0".to_owned()]).map(|_| ()));
    insta::assert_snapshot!("options", messages);
}

#[test]
fn broken_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("recorded.toml", VALID.replace(SPIN, "motion.recorded = { file = \"poses.txt\", fps = 24 }").as_bytes());
    let mut messages = String::new();

    write_case(&mut messages, "a misspelled built-in scene", load("sand-colum"));
    write_case(&mut messages, "a missing file", load("nowhere/scene.toml"));
    write_case(&mut messages, "a folder", load(&path("")));
    write("latin.toml", b"title = \"caf\xe9\"\n");
    write_case(&mut messages, "a file that is not UTF-8", load(&path("latin.toml")));
    write("empty.toml", b"");
    write_case(&mut messages, "an empty file", load(&path("empty.toml")));
    write("objects.toml", b"title = \"Nothing\"\nmethod = \"mpm\"\ntime.frames = 1\nmpm.dx = 1\n");
    write_case(&mut messages, "no objects", load(&path("objects.toml")));
    write_case(&mut messages, "a missing recording beside the scene", load(&path("recorded.toml")));

    insta::assert_snapshot!("files", messages.replace(&format!("{}/", folder.path().display()), "FOLDER/"));
}

/// The message depends on the memory of the machine, so it is not a snapshot.
#[test]
fn a_scene_that_exceeds_the_memory_is_rejected() {
    let error = load(&VALID.replace("dx = 0.05", "dx = 1e-6")).unwrap_err().render(false);
    for part in ["too large", "particles", "[scene:10:6]", "dx = 1e-6", "would fit"] {
        assert!(error.contains(part), "`{part}` is not in\n{error}");
    }
}

#[test]
fn options_override_the_named_values() {
    let sets = [
        "object.ball.material.sand.density=1500",
        "object.1.velocity=[0,1,0]",
        "mpm.transfer=pic",
        "object.1.velocity.2=5",
        "time.frames=7",
    ];
    let scene = Scene::load(VALID, Some("fine"), &sets.map(str::to_owned)).unwrap().scene;
    assert_eq!(scene.objects[0].material.density(), 1500.0);
    assert_eq!(scene.objects[1].velocity, [0.0, 1.0, 5.0]);
    let mpm = scene.mpm.as_ref().unwrap();
    assert_eq!((mpm.transfer, mpm.dx), (Transfer::Pic, 0.025));
    assert_eq!(scene.time.frames, 7);

    let whole = "object.ball.material.fluid={ viscosity = 2 }".to_owned();
    let scene = Scene::load(VALID, None, &[whole]).unwrap().scene;
    assert!(matches!(&scene.objects[0].material, Material::Fluid(fluid) if fluid.viscosity == 2.0));
}

#[test]
fn files_are_found_beside_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("poses.txt"), "0,0,0,0,0,0,1\n").unwrap();
    let path = folder.path().join("wheel.toml");
    std::fs::write(&path, VALID.replace(SPIN, "motion.recorded = { file = \"poses.txt\", fps = 24 }")).unwrap();
    let loaded = Scene::load(&path.display().to_string(), None, &[]).unwrap();
    assert_eq!((loaded.name.as_str(), loaded.base_dir.as_deref()), ("wheel", Some(folder.path())));
    let resolved = Scene::load(&loaded.to_resolved_toml(), None, &[]).unwrap();
    assert_eq!(resolved.scene, loaded.scene);
    let later = loaded.error_at("collider.1.shape.cylinder", "`{}` is in the way", "move it").render(false);
    assert!(later.contains("`collider.wheel.shape.cylinder` is in the way"), "{later}");
    assert!(later.contains("wheel.toml:32:"), "{later}");
}

/// Checks that the loader does not panic and that its message can be rendered.
fn survives(source: &str, sets: &[String]) {
    if let Err(error) = Scene::load(source, None, sets) {
        assert!(!error.render(false).is_empty());
    }
}

/// Returns a text with some bytes changed, inserted, truncated or duplicated. It ends in a line break, which marks it as text.
fn mutated(text: &str, edits: &[(usize, u8, u8)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (position, kind, byte) in edits {
        bytes.push(b'\n');
        let position = position % bytes.len();
        match kind % 4 {
            0 => bytes[position] = *byte,
            1 => bytes.insert(position, *byte),
            2 => bytes.truncate(bytes.len() - position / 8),
            _ => {
                let piece: Vec<u8> = bytes[position..].iter().take(usize::from(*byte)).copied().collect();
                bytes.splice(position..position, piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned() + "\n"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn random_bytes_never_make_the_loader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), set in any::<String>()) {
        survives(&(String::from_utf8_lossy(&bytes).into_owned() + "\n"), &[]);
        survives(VALID, &[set]);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        survives(&file.path().display().to_string(), &[]);
    }

    #[test]
    fn mutated_scenes_never_make_the_loader_panic(
        which in 0..builtin::SCENES.len(),
        edits in proptest::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 1..6),
    ) {
        survives(&mutated(builtin::SCENES[which].text, &edits), &[]);
    }

    #[test]
    fn mutated_options_never_make_the_loader_panic(
        edits in proptest::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 1..4),
    ) {
        survives(VALID, &[mutated("object.ball.material.sand.density=[1.5, {a = 2}]", &edits)]);
    }
}

#[test]
fn deep_nesting_is_rejected() {
    let deep = |piece: &str| piece.repeat(50_000);
    for text in ["a = ".to_owned() + &deep("["), deep("a."), deep("["), "a = ".to_owned() + &deep("{a=")] {
        survives(&(text + "\n"), &[]);
    }
    survives(VALID, &["mpm.dx=".to_owned() + &deep("[")]);
    survives(VALID, &[deep("a.") + "=1"]);
}
