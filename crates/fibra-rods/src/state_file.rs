//! Bit-exact conversion of the state to and from named tensors, the contents of a checkpoint.

use crate::ball::Ball;
use crate::body::Body;
use crate::contact::ContactKey;
use crate::step::Turning;
use crate::world::{State, Statistics, Touch};
use fibra_core::tensor::Tensor;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use glam::{DQuat, DVec3};

/// Number of state values of a ball.
const BALL_NUMBERS: usize = 3 + 4 + Ball::UNKNOWNS;

/// Writes the whole state to tensors.
///
/// | tensor | shape | contents |
/// |---|---|---|
/// | `time`, `steps` | `[1]` | simulated time [s], number of steps |
/// | `bodies` | `[n]` | state of all bodies, concatenated |
/// | `body_end` | `[bodies]` | end index of each body in `bodies` |
/// | `contact.key` | `[c, 4]` | contacts of the last step: body and segment of both sides |
/// | `contact.share` | `[c]` | fraction of the first side's segment [-] |
/// | `contact.normal`, `contact.force` | `[c, 3]` | normals [-] and forces [N] of the contacts |
/// | `turning` | `[bodies, 6]` | angular momentum that the next step restores: missing, lost in the last step [kg m^2/s] |
/// | `account.counts` | `[4]` | numbers of steps with contacts and of unsolved steps, largest numbers of contacts and of Newton iterations |
/// | `account.extremes` | `[2]` | largest conditioning number, largest residual [-] |
pub fn save(state: &State) -> TensorFile<'static> {
    let (mut numbers, mut ends) = (Vec::new(), Vec::new());
    for body in &state.bodies {
        match body {
            Body::Rod(rod) => numbers.extend(rod.save()),
            Body::Ball(ball) => {
                numbers.extend(ball.center.to_array());
                numbers.extend(ball.rotation.to_array());
                numbers.extend(ball.velocity);
            }
        }
        ends.push(numbers.len() as u64);
    }
    let contacts = &state.contacts;
    let keys: Vec<u32> = contacts.iter().flat_map(|touch| [touch.key.a, touch.key.b]).flatten().collect();
    let vectors = |of: fn(&Touch) -> DVec3| {
        let values: Vec<f64> = contacts.iter().flat_map(|touch| of(touch).to_array()).collect();
        Tensor::new(vec![contacts.len(), 3], values)
    };
    let turning: Vec<f64> = (0..state.bodies.len())
        .flat_map(|body| {
            let Turning { missing, loss } = state.turning.get(body).copied().unwrap_or_default();
            [missing.to_array(), loss.to_array()].as_flattened().to_vec()
        })
        .collect();
    let Statistics { contact_steps, unsolved_steps, most_contacts, most_iterations, largest_nu, worst_residual } =
        state.statistics;
    let counts = [contact_steps, unsolved_steps, most_contacts as u64, most_iterations as u64];
    let tensors = [
        ("time", Tensor::values([state.time])),
        ("steps", Tensor::values([state.steps])),
        ("bodies", Tensor::values(numbers)),
        ("body_end", Tensor::values(ends)),
        ("contact.key", Tensor::new(vec![contacts.len(), 4], keys)),
        ("contact.share", Tensor::values(contacts.iter().map(|touch| touch.share).collect::<Vec<f64>>())),
        ("contact.normal", vectors(|touch| touch.normal)),
        ("contact.force", vectors(|touch| touch.force)),
        ("turning", Tensor::new(vec![state.bodies.len(), 6], turning)),
        ("account.counts", Tensor::values(counts)),
        ("account.extremes", Tensor::values([largest_nu, worst_residual])),
    ];
    TensorFile { tensors: tensors.map(|(name, tensor)| (name.to_owned(), tensor)).into(), ..TensorFile::default() }
}

/// Restores a saved state of the same bodies. After an error the state is invalid.
pub fn load(file: &TensorFile, state: &mut State) -> Result<(), TensorFault> {
    for name in ["bodies", "turning", "contact.share", "contact.normal", "contact.force"] {
        file.expect_finite(name)?;
    }
    let time = file.time("time")?;
    let steps = file.steps("steps")?;
    (state.time, state.steps) = (time, steps);
    load_bodies(file, &mut state.bodies)?;
    state.contacts = load_contacts(file)?;
    file.expect_rows("turning", state.bodies.len())?;
    let turning = file.rows::<f64, 6>("turning")?;
    let turning =
        turning.iter().map(|row| Turning { missing: DVec3::from_slice(row), loss: DVec3::from_slice(&row[3..]) });
    state.turning = turning.collect();
    let [contact_steps, unsolved_steps, most_contacts, most_iterations] = file.array::<u64, 4>("account.counts")?;
    if contact_steps.max(unsolved_steps) > u64::MAX / 2 {
        return Err(TensorFault::element("account.counts", 0, "the number of steps is implausibly large"));
    }
    let [largest_nu, worst_residual] = file.array::<f64, 2>("account.extremes")?;
    state.statistics = Statistics {
        contact_steps,
        unsolved_steps,
        most_contacts: most_contacts as usize,
        most_iterations: most_iterations as usize,
        largest_nu,
        worst_residual,
    };
    Ok(())
}

fn load_bodies(file: &TensorFile, bodies: &mut [Body]) -> Result<(), TensorFault> {
    file.expect_rows("body_end", bodies.len())?;
    let (numbers, ends) = (file.values::<f64>("bodies")?, file.values::<u64>("body_end")?);
    let mut start = 0;
    for (at, (body, &end)) in bodies.iter_mut().zip(ends).enumerate() {
        let mine = usize::try_from(end).ok().and_then(|end| numbers.get(start..end));
        let fits = mine.is_some_and(|mine| load_body(body, mine));
        if !fits {
            return Err(TensorFault::element("body_end", at, "the number of values does not match this body"));
        }
        start = end as usize;
    }
    if start == numbers.len() {
        Ok(())
    } else {
        Err(TensorFault::element("bodies", start, "there are more values than the bodies need"))
    }
}

fn load_body(body: &mut Body, numbers: &[f64]) -> bool {
    match body {
        Body::Rod(rod) => rod.load(numbers),
        Body::Ball(ball) => {
            let Ok(numbers) = <[f64; BALL_NUMBERS]>::try_from(numbers) else { return false };
            ball.center = DVec3::from_slice(&numbers);
            ball.rotation = DQuat::from_slice(&numbers[3..]);
            ball.velocity.copy_from_slice(&numbers[7..]);
            true
        }
    }
}

fn load_contacts(file: &TensorFile) -> Result<Vec<Touch>, TensorFault> {
    let keys = file.rows::<u32, 4>("contact.key")?;
    for name in ["contact.share", "contact.normal", "contact.force"] {
        file.expect_rows(name, keys.len())?;
    }
    let (normals, forces) = (file.rows::<f64, 3>("contact.normal")?, file.rows::<f64, 3>("contact.force")?);
    let shares = file.values::<f64>("contact.share")?;
    let touch = |(at, &[a, s, b, t]): (usize, &[u32; 4])| Touch {
        key: ContactKey { a: [a, s], b: [b, t] },
        share: shares[at],
        normal: DVec3::from_array(normals[at]),
        force: DVec3::from_array(forces[at]),
    };
    let contacts: Vec<Touch> = keys.iter().enumerate().map(touch).collect();
    match contacts.windows(2).position(|pair| pair[0].key >= pair[1].key) {
        Some(at) => Err(TensorFault::element("contact.key", 4 * (at + 1), "the keys must be strictly increasing")),
        None => Ok(contacts),
    }
}
